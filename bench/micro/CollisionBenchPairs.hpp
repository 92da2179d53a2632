#pragma once

#include <memory>
#include <vector>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

/// The pairs that every engine gets, the same for all: 1024 placements of two shapes of about 1 m.
namespace msd_bench {

using msd_sim::CollisionShape;
using msd_sim::Pose;
using msd_sim::Vector3D;

struct PlacedPair {
  Pose a;
  Pose b;
};

/// Surfaces a distance of 0.1 to 1 m apart.
[[nodiscard]] std::vector<PlacedPair> makeApart(const CollisionShape& a, const CollisionShape& b);
/// Surfaces between 1 cm of overlap and 1 cm of gap, any orientation.
[[nodiscard]] std::vector<PlacedPair> makeTouching(const CollisionShape& a, const CollisionShape& b);
/// b stands flat on a, as in a stack, 1 mm deep, turned about the vertical.
[[nodiscard]] std::vector<PlacedPair> makeStacked(const CollisionShape& a, const CollisionShape& b);

/// A hull of 24 vertices: a box with its corners cut.
[[nodiscard]] std::vector<Vector3D> hullPoints();

/// Hills of 200,000 triangles, 0.2 m a side.
[[nodiscard]] std::shared_ptr<const msd_assets::TriangleMesh> makeHills();
/// Places on the hills for a shape with this reach below its origin [m].
[[nodiscard]] std::vector<Pose> makePlacesOnHills(double reach);

struct BenchRay {
  Vector3D origin;
  Vector3D direction;
  double length;
};
[[nodiscard]] std::vector<BenchRay> makeRays();

}  // namespace msd_bench
