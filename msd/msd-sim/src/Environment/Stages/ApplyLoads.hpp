#pragma once

#include <cstdint>

namespace msd_sim {

struct Simulation;

/// Gravity and the user's forces of one body, as loads of the solver.
void writeLoad(Simulation& sim, std::uint32_t slot);

/// Notes every body's energy in the fields at the start of a step, and their loads over all of it.
void beginFields(Simulation& sim, double dt);

/// What fields of force mean for a body's energy balance [J].
struct FieldBalance {
  double energy;    ///< at the end of the step
  double change;    ///< of that energy over the step
  double position;  ///< the part of it that position correction made
};
[[nodiscard]] FieldBalance balanceFields(const Simulation& sim, std::uint32_t slot);

}  // namespace msd_sim
