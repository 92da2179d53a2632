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

}  // namespace msd_sim
