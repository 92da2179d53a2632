#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointKinds.hpp"

namespace msd_sim {

class Constraint;

/// A joint as the solver holds it: body slots, and everything fixed to a body in that body's axes,
/// from its centre of mass. Slot 0 is the world.
struct JointDefinition {
  JointKind kind{JointKind::kBall};
  std::uint32_t bodyA{0};
  std::uint32_t bodyB{0};
  Vector3D anchorA{Vector3D::Zero()};  ///< [m]
  Vector3D anchorB{Vector3D::Zero()};  ///< [m]
  /// Columns t₁, t₂, n: n the axis. The frames coincide when the joint is made; a universal joint's
  /// frameB has its own axis in the first column.
  Matrix3D frameA{Matrix3D::Identity()};
  Matrix3D frameB{Matrix3D::Identity()};

  double length{0.0};     ///< distance, rope, spring [m]
  double stiffness{0.0};  ///< spring, or of the free coordinate [N/m] or [N·m/rad]
  double damping{0.0};    ///< likewise [N·s/m] or [N·m·s/rad]
  double rest{0.0};       ///< free coordinate at which its spring is at rest [m] or [rad]
  double armature{0.0};   ///< inertia that turns with the free coordinate [kg] or [kg·m²]
  std::optional<JointLimit> limit{};
  std::optional<JointMotor> motor{};
  double friction{0.0};                                            ///< [N] or [N·m]
  double breakingForce{std::numeric_limits<double>::infinity()};   ///< [N]
  double breakingTorque{std::numeric_limits<double>::infinity()};  ///< [N·m]

  /// One row of a user's own constraint, in place of a kind (UserRows.cpp); not owned.
  const Constraint* constraint{nullptr};
  int constraintRow{0};
  double lower{-std::numeric_limits<double>::infinity()};  ///< bounds of its multiplier [N]
  double upper{std::numeric_limits<double>::infinity()};
};

/// Where the two bodies of a joint stand.
struct JointPlace {
  Vector3D xA, xB;    ///< centres of mass [m]
  Quaternion qA, qB;  ///< body axes
  double time{0.0};   ///< [s]; constraints may move by themselves
  // Velocities, for users' constraints that look at them.
  Vector3D vA{Vector3D::Zero()}, wA{Vector3D::Zero()};
  Vector3D vB{Vector3D::Zero()}, wB{Vector3D::Zero()};
};

/// One row of a Jacobian: velocity = linearA·v_A + angularA·w_A + linearB·v_B + angularB·w_B.
struct JointRow {
  Vector3D linearA, angularA, linearB, angularB;
};

/// Most rows that hold one joint together.
inline constexpr int kMostHoldingRows = 6;

/// Rows that hold a joint of this kind together (docs/theory/joints.md, table J-3).
[[nodiscard]] int holdingRowCount(JointKind kind);
[[nodiscard]] int holdingRowCount(const JointDefinition& joint);
/// True for the kinds with a free coordinate that limits, motors and friction act on.
[[nodiscard]] bool hasFreeCoordinate(JointKind kind);
/// Inertia on the free coordinate: armature and the motor's rotor seen through its gear (J-31).
[[nodiscard]] double rotorInertia(const JointDefinition& joint);
/// True when the joint can give its bodies energy: motors, springs, rotors, constraints of the
/// user's own.
[[nodiscard]] bool feedsEnergy(const JointDefinition& joint);
/// True where holding row `row` measures a length, false where it measures an angle.
[[nodiscard]] bool isLength(JointKind kind, int row);

/// What the holding rows should keep at zero, [m] or [-].
void evaluateErrors(const JointDefinition& joint, const JointPlace& place, double* errors);
/// Their gradients.
void evaluateRows(const JointDefinition& joint, const JointPlace& place, JointRow* rows);

/// Angle in (-π, π], travel, or distance of the anchors.
[[nodiscard]] double evaluateCoordinate(const JointDefinition& joint, const JointPlace& place);
/// From A's anchor to B's [m].
[[nodiscard]] Vector3D evaluateLine(const JointDefinition& joint, const JointPlace& place);
/// Gradient of the coordinate. Its rate is the joint's velocity.
[[nodiscard]] JointRow evaluateCoordinateRow(const JointDefinition& joint, const JointPlace& place);
/// True when the coordinate is an angle and needs its turns counted.
[[nodiscard]] bool isAngle(JointKind kind);

/// The coordinate nearest to `last` that a measured value stands for: angles come without turns.
[[nodiscard]] double continuedCoordinate(const JointDefinition& joint, double value, double last);

/// Energy of the joint's spring at a coordinate [J].
[[nodiscard]] double springEnergy(const JointDefinition& joint, double coordinate);

/// Value, gradient and ∂C/∂t of a user's row; the gradient is zero where the constraint is not
/// active.
[[nodiscard]] double userValue(const JointDefinition& joint, const JointPlace& place);
[[nodiscard]] JointRow userRow(const JointDefinition& joint, const JointPlace& place);
[[nodiscard]] double userRate(const JointDefinition& joint, const JointPlace& place);
/// Share of an error that a substep of h is to remove: as the constraint's α and β ask, or all of it.
[[nodiscard]] double userCorrection(const JointDefinition& joint, double h);

/// Distance of what should coincide: the anchors, or the parts of it that the joint does not leave
/// free [m].
[[nodiscard]] double evaluateSeparation(const JointDefinition& joint, const JointPlace& place);

}  // namespace msd_sim
