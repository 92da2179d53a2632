#pragma once

#include <cstdint>
#include <limits>

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

enum class MotorMode : std::uint8_t { kVelocity, kPosition };

/// Drives a joint's free coordinate (the angle of a hinge or cylindrical joint's rotation, the
/// travel of a slider).
struct JointMotor {
  MotorMode mode{MotorMode::kVelocity};
  double target{0.0};  ///< [rad/s] or [m/s]; in position mode [rad] or [m]
  double maxForce{std::numeric_limits<double>::infinity()};  ///< [N·m] or [N]
  double frequency{4.0};     ///< position mode: natural frequency of the pull [Hz]
  double dampingRatio{1.0};  ///< position mode [-]
};

}  // namespace msd_sim
