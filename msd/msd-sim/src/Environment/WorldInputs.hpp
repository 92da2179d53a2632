#pragma once

#include <array>
#include <cstdint>

namespace msd_sim {

struct Simulation;

/// What a user gives a world that is controlled before every step: forces, targets, poses. A way
/// back leads through them (StepUndo.hpp), so they do not count as a change from outside.
struct WorldInput {
  enum class Kind : std::uint8_t {
    kForce,        ///< at the centre: force [N]
    kForceAt,      ///< force [N], point of the world [m]
    kTorque,       ///< [N·m]
    kMotorTarget,  ///< target and the speed at which it moves
    kMove,         ///< pose of a kinematic body: position [m], w x y z, and the step's length [s]
  };
  Kind kind{Kind::kForce};
  std::uint32_t index{0};  ///< slot of the body or joint
  std::uint32_t step{0};   ///< comes after so many of StepUndo::steps
  std::array<double, 8> values{};
};

/// Does what the input says. It has been found to be possible.
void applyInput(Simulation& sim, const WorldInput& input);
/// The same for a user, and notes it for going back.
void takeInput(Simulation& sim, WorldInput input);

}  // namespace msd_sim
