#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace msd_sim {

enum class JointKind : std::uint8_t {
  kBall,         ///< one common point
  kHinge,        ///< one common point and axis; turns about it
  kSlider,       ///< slides along the axis, does not turn
  kCylindrical,  ///< slides along and turns about the axis
  kUniversal,    ///< one common point; axis (on A) stays perpendicular to axisB (on B)
  kFixed,        ///< no relative motion
  kDistance,     ///< anchors keep their distance
  kRope,         ///< anchors no farther apart than the length
  kSpring,       ///< linear spring and damper between the anchors
};

/// Range of a joint's free coordinate: angle [rad] for hinges and cylindrical joints, travel [m]
/// for sliders. The coordinate is 0 where the joint was made.
struct JointLimit {
  double lower{-std::numeric_limits<double>::infinity()};
  double upper{std::numeric_limits<double>::infinity()};
};

enum class MotorMode : std::uint8_t {
  kVelocity,  ///< reaches a speed
  kPosition,  ///< pulls to a place
  kForce,     ///< pushes with a force or torque
};

/// Drives a joint's free coordinate q (the angle of a hinge or cylindrical joint's rotation, the
/// travel of a slider). All values are those on the motor's side of its gear: the motor moves by
/// gear·q and what it pushes with counts gear times on the joint.
///
///   velocity   q̇ = target, with as much force as it takes up to maxForce; where `damping` is set,
///              the force damping·(target - q̇)
///   position   the force stiffness·(target - q) + damping·(targetVelocity - q̇); without
///              `stiffness` both gains follow from frequency and dampingRatio (J-14)
///   force      the force `target`
struct JointMotor {
  static constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

  MotorMode mode{MotorMode::kVelocity};
  double target{0.0};  ///< [rad/s] or [m/s]; in position mode [rad] or [m]; in force mode [N·m] or [N]
  double maxForce{std::numeric_limits<double>::infinity()};  ///< [N·m] or [N]
  /// Position mode without `stiffness`: natural frequency [Hz] and damping ratio [-] of the
  /// coordinate with the mechanism behind it, as the other motors hold it.
  double frequency{4.0};
  double dampingRatio{1.0};
  double stiffness{kUnset};    ///< kp, position mode [N·m/rad] or [N/m]
  double damping{kUnset};      ///< kd, position and velocity mode [N·m·s/rad] or [N·s/m]
  double targetVelocity{0.0};  ///< position mode: speed at which the target moves [rad/s] or [m/s]
  double feedForward{0.0};     ///< force added in position and soft velocity mode [N·m] or [N]
  /// Position mode: the motor also carries what gravity and other loads on the mechanism ask of it
  /// where it stands (J-29). Unset: where the gains follow from the frequency.
  std::optional<bool> carriesLoad{};
  double gear{1.0};          ///< turns of the motor per turn of the joint, not zero [-]
  double rotorInertia{0.0};  ///< on the motor's side; gear² of it counts [kg·m²] or [kg]

  /// Gains follow from frequency and damping ratio.
  [[nodiscard]] bool isTuned() const {
    return mode == MotorMode::kPosition && !(stiffness >= 0.0);
  }
  /// A force that depends on place and speed, in place of a speed that holds whatever it takes.
  [[nodiscard]] bool isSoft() const { return mode != MotorMode::kVelocity || damping >= 0.0; }
};

}  // namespace msd_sim
