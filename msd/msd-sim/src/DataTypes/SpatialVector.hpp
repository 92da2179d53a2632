#pragma once

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// A linear and an angular part: the velocity bias [m/s, rad/s], a twist, or a wrench [N, N·m].
struct SpatialVector {
  Vector3D linear{Vector3D::Zero()};
  Vector3D angular{Vector3D::Zero()};

  SpatialVector() = default;
  SpatialVector(const Vector3D& lin, const Vector3D& ang) : linear{lin}, angular{ang} {}
};

}  // namespace msd_sim
