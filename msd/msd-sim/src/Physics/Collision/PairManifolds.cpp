#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

#include <array>
#include <limits>

#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kKinds = 9;
using Table = std::array<std::array<PairEntry, kKinds>, kKinds>;

constexpr Table makeTable() {
  Table table{};
  const auto set = [&](ShapeKind a, ShapeKind b, CollideFunction function) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    table[i][j] = {function, false};
    if (i != j) table[j][i] = {function, true};
  };
  set(ShapeKind::kSphere, ShapeKind::kSphere, &collideSphereSphere);
  set(ShapeKind::kSphere, ShapeKind::kCapsule, &collideSphereCapsule);
  set(ShapeKind::kSphere, ShapeKind::kBox, &collideSphereBox);
  set(ShapeKind::kSphere, ShapeKind::kCylinder, &collideSphereCylinder);
  set(ShapeKind::kSphere, ShapeKind::kHull, &collideSphereHull);
  set(ShapeKind::kCapsule, ShapeKind::kCapsule, &collideCapsuleCapsule);
  set(ShapeKind::kCapsule, ShapeKind::kBox, &collideCapsuleConvex);
  set(ShapeKind::kCapsule, ShapeKind::kCylinder, &collideCapsuleConvex);
  set(ShapeKind::kCapsule, ShapeKind::kHull, &collideCapsuleConvex);
  set(ShapeKind::kCylinder, ShapeKind::kBox, &collideCylinderConvex);
  set(ShapeKind::kCylinder, ShapeKind::kCylinder, &collideCylinderConvex);
  set(ShapeKind::kCylinder, ShapeKind::kHull, &collideCylinderConvex);
  set(ShapeKind::kBox, ShapeKind::kBox, &collideConvexConvex);
  set(ShapeKind::kBox, ShapeKind::kHull, &collideConvexConvex);
  set(ShapeKind::kHull, ShapeKind::kHull, &collideConvexConvex);
  for (const ShapeKind convex : {ShapeKind::kSphere, ShapeKind::kBox, ShapeKind::kCapsule,
                                 ShapeKind::kCylinder, ShapeKind::kHull}) {
    set(convex, ShapeKind::kPlane, &collideConvexPlane);
  }
  return table;
}

constexpr Table kTable = makeTable();

}  // namespace

PairEntry findPairFunction(ShapeKind a, ShapeKind b) {
  return kTable[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

int collideShapes(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                  const Placement& poseB, double margin, ManifoldCache& cache,
                  std::span<ContactManifold> out, const SurfaceTrack& track) {
  if (out.empty()) return 0;
  const PairEntry entry = findPairFunction(a.kind, b.kind);
  if (entry.function != nullptr) {
    if (entry.isSwapped) {
      entry.function(b, poseB, a, poseA, margin, cache, out[0]);
      swapManifold(out[0]);
    } else {
      entry.function(a, poseA, b, poseB, margin, cache, out[0]);
    }
    return out[0].count > 0 ? 1 : 0;
  }
  out[0].count = 0;
  out[0].separation = std::numeric_limits<double>::infinity();
  out[0].normal.setZero();
  if (a.isConvex() && b.triangles != nullptr) {
    return collideConvexTriangles(a, poseA, b, poseB, margin, out, track);
  }
  if (b.isConvex() && a.triangles != nullptr) {
    const int count = collideConvexTriangles(b, poseB, a, poseA, margin, out, track);
    if (count == 0) out[0].normal = -out[0].normal;
    for (int i = 0; i < count; ++i) swapManifold(out[static_cast<std::size_t>(i)], true);
    return count;
  }
  return 0;
}

}  // namespace msd_sim
