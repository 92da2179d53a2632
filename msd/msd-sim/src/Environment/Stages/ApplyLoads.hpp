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
  double energy;       ///< at the end of the step
  double change;       ///< of that energy over the step
  double impulseWork;  ///< part of the change of kinetic energy that the field's impulses explain
  double position;     ///< change of that energy by position correction
  double integrator;   ///< what the discretisation of time adds
};
[[nodiscard]] FieldBalance balanceFields(const Simulation& sim, std::uint32_t slot);

/// Work that kinematic bodies did on others through contacts [J].
[[nodiscard]] double kinematicWork(Simulation& sim);

}  // namespace msd_sim
