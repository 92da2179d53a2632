#pragma once

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Where a frame B stands in the world W: p_WP = position + orientation * p_BP.
struct Pose {
  Coordinate position{Coordinate::Zero()};            ///< of B's origin in W [m]
  Quaternion orientation{Quaternion::Identity()};     ///< R_WB

  [[nodiscard]] Coordinate toWorld(const Coordinate& p_BP) const {
    return position + orientation * p_BP;
  }
  [[nodiscard]] Coordinate toLocal(const Coordinate& p_WP) const {
    return orientation.conjugate() * (p_WP - position);
  }
  /// The pose of C in W, when `other` is the pose of C in B.
  [[nodiscard]] Pose operator*(const Pose& other) const {
    return {toWorld(other.position), orientation * other.orientation};
  }
  [[nodiscard]] Pose inverse() const {
    const Quaternion back = orientation.conjugate();
    return {-(back * position), back};
  }
};

/// A pose with its rotation matrix at hand, for those who turn many vectors by it.
struct Placement : Pose {
  Matrix3D rotation{Matrix3D::Identity()};  ///< of the orientation, R_WB

  Placement() = default;
  Placement(const Pose& pose)  // NOLINT: every pose is one
      : Pose{pose}, rotation{pose.orientation.toRotationMatrix()} {}

  [[nodiscard]] Coordinate toWorld(const Coordinate& p_BP) const {
    return position + rotation * p_BP;
  }
  [[nodiscard]] Coordinate toLocal(const Coordinate& p_WP) const {
    return rotation.transpose() * (p_WP - position);
  }
};

}  // namespace msd_sim
