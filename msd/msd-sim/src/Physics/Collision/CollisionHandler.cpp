#include "msd-sim/src/Physics/Collision/CollisionHandler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim {

namespace {

double leastGap(const ContactManifold& manifold) {
  double least = manifold.points[0].gap;
  for (int i = 1; i < manifold.count; ++i) least = std::min(least, manifold.points[i].gap);
  return least;
}

}  // namespace

CollisionHandler::CollisionHandler(double epsilon) : epsilon_{epsilon} {
  if (!(epsilon >= 0.0) || !(epsilon < 1.0)) {
    throw std::invalid_argument(fmt::format(
        "CollisionHandler: epsilon is {}, expected a share of the size in [0, 1)", epsilon));
  }
}

std::optional<CollisionResult> CollisionHandler::checkCollision(const PlacedShape& a,
                                                                const PlacedShape& b) const {
  std::array<ContactManifold, kMaxTriangleManifolds> manifolds;
  ManifoldCache cache;
  const double margin = epsilon_ * std::min(a.shape.size, b.shape.size);
  const int count = collideShapes(a.shape, a.pose, b.shape, b.pose, margin, cache, manifolds);
  if (count == 0) return std::nullopt;
  int deepest = 0;
  for (int i = 1; i < count; ++i) {
    if (leastGap(manifolds[i]) < leastGap(manifolds[deepest])) deepest = i;
  }
  const ContactManifold& manifold = manifolds[deepest];
  CollisionResult result;
  result.normal = manifold.normal;
  result.penetrationDepth = std::max(-leastGap(manifold), 0.0);
  result.contactCount = static_cast<std::size_t>(manifold.count);
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    result.contacts[i] = {point.pointA, point.pointB, std::max(-point.gap, 0.0)};
  }
  return result;
}

}  // namespace msd_sim
