#pragma once

#include <array>
#include <span>

#include "msd-sim/src/Physics/Constraints/Joints/JointRecord.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/SystemRow.hpp"

namespace msd_sim {

/// The rows on a joint's coordinate (docs/theory/joints.md, section 5): a soft one without bounds
/// that holds spring, damper, rotor and every motor of unlimited strength that has gains; a motor
/// that has bounds or reaches its speed whatever it takes; two stops; dry friction.
struct ExtraRows {
  std::array<SystemRow, kExtraRows> rows{};
  std::size_t count{0};

  [[nodiscard]] std::span<SystemRow> all() { return {rows.data(), count}; }
  [[nodiscard]] std::span<const SystemRow> all() const { return {rows.data(), count}; }
};

[[nodiscard]] ExtraRows extraRows(const JointDefinition& joint);
/// Has finite bounds, and is solved with the active set.
[[nodiscard]] bool isBounded(const SystemRow& row);
/// True when both have the same rows, so that only numbers differ.
[[nodiscard]] bool haveSameRows(const JointDefinition& a, const JointDefinition& b);

/// Gains of a motor on the joint's side of the gear.
struct MotorGains {
  double stiffness{0.0};  ///< [N/m] or [N·m/rad]
  double damping{0.0};    ///< [N·s/m] or [N·m·s/rad]
  double load{0.0};       ///< force that carries the mechanism [N] or [N·m]
};
/// Those the user gave; zero where they follow from the frequency.
[[nodiscard]] MotorGains givenGains(const JointMotor& motor);
/// (J-14): gains for the inertia that the motor feels.
[[nodiscard]] MotorGains tunedGains(const JointMotor& motor, double inertia);
/// True when the motor carries the loads of the mechanism (J-29).
[[nodiscard]] bool carriesLoad(const JointMotor& motor);
/// True where a motor holds a place or a speed.
[[nodiscard]] bool isHeld(const JointDefinition& joint);
/// True where gains or force of such a motor depend on the mechanism.
[[nodiscard]] bool needsInertia(const JointDefinition& joint);
/// Stiffness, damping, target and forces of a soft row, from the joint's own and the motor's.
void composeSoftRow(const JointDefinition& joint, const MotorGains& gains, SystemRow& row);

}  // namespace msd_sim
