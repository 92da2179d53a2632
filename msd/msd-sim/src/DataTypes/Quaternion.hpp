#pragma once

#include <Eigen/Geometry>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// A rotation as a unit quaternion; constructed and written w, x, y, z.
using Quaternion = Eigen::Quaterniond;

/// The rotation by |angle| about the axis of `angle` [rad], from the Cayley map
/// q = (1, angle/2)/|...|: exact to third order in the angle, free of trigonometric functions, and
/// the same bits on every machine.
[[nodiscard]] inline Quaternion cayleyRotation(const Vector3D& angle) {
  const Vector3D half = 0.5 * angle;
  const double scale = 1.0 / std::sqrt(1.0 + half.squaredNorm());
  return {scale, scale * half.x(), scale * half.y(), scale * half.z()};
}

}  // namespace msd_sim
