#pragma once

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

// The solver's arrays hold plain doubles; these give them their meaning back.

[[nodiscard]] inline Vector3D vectorOf(const double (&a)[3]) {
  return {a[0], a[1], a[2]};
}

/// From w, x, y, z.
[[nodiscard]] inline Vector3D vectorOf(const float (&a)[3]) {
  return Eigen::Vector3f{a[0], a[1], a[2]}.cast<double>();
}

[[nodiscard]] inline Quaternion quaternionOf(const double (&q)[4]) {
  return {q[0], q[1], q[2], q[3]};
}

/// From 00, 11, 22, 01, 02, 12.
[[nodiscard]] inline Matrix3D symmetricOf(const double (&s)[6]) {
  Matrix3D m;
  m << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  return m;
}

}  // namespace msd_sim
