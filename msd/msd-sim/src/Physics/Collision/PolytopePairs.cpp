#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeManifold.hpp"

namespace msd_sim {

namespace {

// Pairs of edges beyond which testing every pair of them costs more than GJK and EPA do.
constexpr std::size_t kMostEdgePairs = 10000;

PlacedPolytope place(const CollisionShape& shape, const Pose& pose) {
  return {shape.polyhedron.get(), pose.position, pose.orientation.toRotationMatrix()};
}

AxisCache readAxis(const ManifoldCache& cache) {
  switch (cache.kind) {
    case ManifoldCache::Kind::kFaceA:
      return {AxisCache::Kind::kFaceA, cache.cornersA[0], 0};
    case ManifoldCache::Kind::kFaceB:
      return {AxisCache::Kind::kFaceB, 0, cache.cornersB[0]};
    case ManifoldCache::Kind::kEdges:
      return {AxisCache::Kind::kEdges, cache.cornersA[0], cache.cornersB[0]};
    default:
      return {};
  }
}

void writeAxis(const AxisCache& axis, ManifoldCache& cache) {
  switch (axis.kind) {
    case AxisCache::Kind::kNone:
      cache.kind = ManifoldCache::Kind::kEmpty;
      return;
    case AxisCache::Kind::kFaceA:
      cache.kind = ManifoldCache::Kind::kFaceA;
      break;
    case AxisCache::Kind::kFaceB:
      cache.kind = ManifoldCache::Kind::kFaceB;
      break;
    case AxisCache::Kind::kEdges:
      cache.kind = ManifoldCache::Kind::kEdges;
      break;
  }
  cache.cornersA[0] = axis.a;
  cache.cornersB[0] = axis.b;
}

}  // namespace

int collidePolyhedra(const CollisionShape& a, const Pose& poseA, const CollisionShape& b,
                     const Pose& poseB, double margin, ManifoldCache& cache,
                     std::span<ContactManifold> out) {
  AxisCache axis = readAxis(cache);
  int count = 0;
  if (a.kind == ShapeKind::kBox && b.kind == ShapeKind::kBox) {
    count = collideBoxes(place(a, poseA), a.halfExtents, place(b, poseB), b.halfExtents, margin,
                         axis, out);
  } else if (a.polyhedron->edges().size() * b.polyhedron->edges().size() > kMostEdgePairs) {
    collideConvexConvex(a, poseA, b, poseB, margin, cache, out[0]);
    return out[0].count > 0 ? 1 : 0;
  } else {
    count = collidePolytopes(place(a, poseA), place(b, poseB), margin, axis, out);
  }
  writeAxis(axis, cache);
  if (count != kNoFeature) return count;
  ManifoldCache fresh;
  collideConvexConvex(a, poseA, b, poseB, margin, fresh, out[0]);
  return out[0].count > 0 ? 1 : 0;
}

}  // namespace msd_sim
