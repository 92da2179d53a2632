#pragma once

#include <cstdint>
#include <optional>

#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/DataTypes/Aabb.hpp"

namespace msd_sim {

/// Which bodies a query sees.
struct QueryFilter {
  std::uint32_t mask{0xFFFFFFFFu};  ///< layers to look at
  BodyId ignore{};                  ///< one body to look through
};

/// From origin along direction (unit), up to length [m].
struct Ray {
  Coordinate origin{0.0, 0.0, 0.0};
  Vector3D direction{1.0, 0.0, 0.0};
  double length{1.0};
};

struct RayHit {
  BodyId body;
  double distance;   ///< along the ray [m]
  Coordinate point;  ///< [m]
  Vector3D normal;   ///< of the surface, outward
};

/// A convex shape moved without turning.
struct ShapeCast {
  msd_assets::Shape shape;
  Pose start{};
  Vector3D translation{0.0, 0.0, 0.0};  ///< [m]
};

struct ShapeCastHit {
  BodyId body;
  double fraction;   ///< of the translation at first touch, 0 to 1
  Coordinate point;  ///< [m]
  Vector3D normal;   ///< of the body that was hit, towards the cast shape
};

/// A shape that asks what it touches.
struct OverlapProbe {
  msd_assets::Shape shape;
  Pose pose{};
};

struct ClosestPoint {
  BodyId body;
  Coordinate point;  ///< on the surface of the body [m]
  double distance;   ///< 0 when the query point lies inside [m]
};

}  // namespace msd_sim
