#include <algorithm>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeManifold.hpp"

namespace msd_sim {

namespace {

// Pairs of edges beyond which testing every pair of them costs more than GJK and EPA do. A
// polyhedron has at least six edges, so none of these has more than 1667, nor more corners.
constexpr std::size_t kMostEdgePairs = 10000;

PlacedPolytope place(const CollisionShape& shape, const Placement& at) {
  return {shape.polyhedron.get(), at.position, at.rotation};
}

AxisCache readAxis(const ManifoldCache& cache) {
  AxisCache axis;
  switch (cache.kind) {
    case ManifoldCache::Kind::kFaceA:
      axis.set(AxisCache::Kind::kFaceA, cache.cornersA[0], 0);
      break;
    case ManifoldCache::Kind::kFaceB:
      axis.set(AxisCache::Kind::kFaceB, 0, cache.cornersB[0]);
      break;
    case ManifoldCache::Kind::kEdges:
      axis.set(AxisCache::Kind::kEdges, cache.cornersA[0], cache.cornersB[0]);
      break;
    default:
      return axis;
  }
  axis.faceA = cache.cornersA[1];
  axis.faceB = cache.cornersB[1];
  return axis;
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
  cache.cornersA = {axis.a, axis.faceA, 0, 0};
  cache.cornersB = {axis.b, axis.faceB, 0, 0};
}

/// Wide margins: how far the polytopes are apart by GJK, at most to the margin. Far ones need no
/// separating axis test, and for the others it need not look at edges that are farther apart.
struct Distance {
  double value;     ///< [m]
  Vector3D normal;  ///< along which, from A to B, in A's frame
};
Distance findDistance(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                      const Placement& poseB, double margin, ManifoldCache& cache) {
  const ConvexPair pair = makeConvexPair(makeConvexView(a), poseA, makeConvexView(b), poseB);
  Simplex simplex;
  const bool hasAxis = cache.kind == ManifoldCache::Kind::kAxis;
  Vector3D guess = hasAxis ? Vector3D{-cache.axis} : Vector3D{-pair.p_AB};
  if (!(guess.squaredNorm() > 0.0)) guess = Vector3D::UnitX();
  const GjkOutcome outcome = runGjk(pair, guess, margin, simplex);
  if (outcome.status == GjkOutcome::Status::kTouching) return {0.0, Vector3D::Zero()};
  const Vector3D normal = -outcome.v.normalized();
  if (outcome.status == GjkOutcome::Status::kNear) return {outcome.v.norm(), normal};
  cache.axis = normal;
  cache.kind = ManifoldCache::Kind::kAxis;
  return {std::max(outcome.lowerBound, margin), normal};
}

}  // namespace

int collidePolyhedra(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                     const Placement& poseB, double margin, ManifoldCache& cache,
                     std::span<ContactManifold> out) {
  int count = 0;
  if (a.kind == ShapeKind::kBox && b.kind == ShapeKind::kBox) {
    count = collideBoxes(poseA, a.halfExtents, poseB, b.halfExtents, margin, out);
  } else if (a.polyhedron->edges().size() * b.polyhedron->edges().size() > kMostEdgePairs) {
    collideConvexConvex(a, poseA, b, poseB, margin, cache, out[0]);
    return out[0].count > 0 ? 1 : 0;
  } else {
    AxisCache axis = readAxis(cache);
    double reach = margin;
    // What touched last time will mostly touch again, and needs the axes anyhow.
    if (axis.kind == AxisCache::Kind::kNone && margin > kFastMargin * std::min(a.size, b.size)) {
      const Distance distance = findDistance(a, poseA, b, poseB, margin, cache);
      reach = distance.value;
      if (reach >= margin) {
        out[0].count = 0;
        out[0].separation = reach;
        out[0].normal = poseA.rotation * distance.normal;
        return 0;
      }
    }
    count = collidePolytopes(place(a, poseA), place(b, poseB), margin, reach, axis, out);
    writeAxis(axis, cache);
  }
  if (count != kNoFeature) return count;
  ManifoldCache fresh;
  collideConvexConvex(a, poseA, b, poseB, margin, fresh, out[0]);
  return out[0].count > 0 ? 1 : 0;
}

}  // namespace msd_sim
