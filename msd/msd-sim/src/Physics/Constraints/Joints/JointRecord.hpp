#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

/// A joint's extra rows act on its coordinate (docs/theory/joints.md, section 4).
enum class ExtraRow : std::uint8_t { kSpring, kMotor, kLower, kUpper, kFriction };
inline constexpr int kExtraRows = 5;

/// A joint in the solver, with what persists from step to step.
struct JointRecord {
  JointDefinition definition;
  bool used{false};
  bool broken{false};
  double coordinate{0.0};  ///< angle with its turns [rad], travel or distance [m]
  /// Impulses of the last phase, the warm start of the next one: holding rows, then ExtraRow [N·s].
  std::array<double, kMostHoldingRows + kExtraRows> impulse{};
  SpatialVector reaction{};     ///< mean force on B over the last step, torque about B's anchor
  double multiplier{0.0};       ///< of a user's row: mean over the last step [N] or [N·m]
  double separation{0.0};       ///< at the end of the last step [m]
  double work{0.0};             ///< of motor, stops, friction and damper in the last step [J]
  double potential{0.0};        ///< of the spring at the end of the last step [J]
  double potentialChange{0.0};  ///< over the last step [J]
  double kinetic{0.0};          ///< of the rotor at the end of the last step [J]
  double kineticChange{0.0};    ///< over the last step [J]
  double motorForce{0.0};  ///< mean of the last step on the coordinate, behind the gear [N] or [N·m]
  /// Of the island's energy that no load has given, this joint's share; and the largest kinetic
  /// energy the island has had (J-23) [J].
  double energyGain{0.0};
  double energyPeak{0.0};
  double substep{0.0};  ///< length of the substep that the impulses belong to, 0: none [s]
  bool solved{true};    ///< had to be solved in the last step: its warm start was not right
  bool swept{false};    ///< is one of too many to be solved at once
  bool plain{true};     ///< it holds, and does nothing else
  bool ofTree{false};   ///< of a component that is solved with its contacts
  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;
  std::uint32_t slot{kNoSlot};  ///< a body that it can push
};

}  // namespace msd_sim
