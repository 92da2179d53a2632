#include "msd-sim/src/Physics/Collision/CollisionHandler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim {

namespace {

CollisionResult resultOf(const ContactManifold& manifold) {
  CollisionResult result;
  result.normal = manifold.normal;
  result.penetrationDepth = 0.0;
  result.contactCount = static_cast<std::size_t>(manifold.count);
  for (std::size_t i = 0; i < result.contactCount; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    result.contacts[i] = {point.pointA, point.pointB, std::max(-point.gap, 0.0)};
    result.contacts[i].feature = point.feature;
    result.penetrationDepth = std::max(result.penetrationDepth, result.contacts[i].depth);
  }
  return result;
}

double leastGap(const ContactManifold& manifold) {
  double least = manifold.points[0].gap;
  for (int i = 1; i < manifold.count; ++i) least = std::min(least, manifold.points[i].gap);
  return least;
}

/// Calls found(manifold) for all manifolds of two shapes.
template <class Found>
void collide(const PlacedShape& a, const PlacedShape& b, double epsilon, const Found& found) {
  std::array<ContactManifold, kMaxTriangleManifolds> manifolds;
  ManifoldCache cache;
  const double margin = epsilon * std::min(a.shape.size, b.shape.size);
  const int count = collideShapes(a.shape, a.pose, b.shape, b.pose, margin, cache, manifolds);
  for (int i = 0; i < count; ++i) found(manifolds[static_cast<std::size_t>(i)]);
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
  std::optional<ContactManifold> deepest;
  collide(a, b, epsilon_, [&](const ContactManifold& manifold) {
    if (!deepest || leastGap(manifold) < leastGap(*deepest)) deepest = manifold;
  });
  if (!deepest) return std::nullopt;
  return resultOf(*deepest);
}

std::vector<PartCollision> CollisionHandler::checkParts(std::span<const CollisionPart> partsA,
                                                        const Pose& poseA,
                                                        std::span<const CollisionPart> partsB,
                                                        const Pose& poseB) const {
  std::vector<PartCollision> collisions;
  for (std::uint32_t i = 0; i < partsA.size(); ++i) {
    const PlacedShape a{partsA[i].shape, poseA * partsA[i].local};
    for (std::uint32_t k = 0; k < partsB.size(); ++k) {
      const PlacedShape b{partsB[k].shape, poseB * partsB[k].local};
      collide(a, b, epsilon_, [&](const ContactManifold& manifold) {
        collisions.push_back({i, k, resultOf(manifold)});
      });
    }
  }
  return collisions;
}

std::optional<CollisionResult> CollisionHandler::deepestOf(
    const std::vector<PartCollision>& collisions) {
  const auto deepest = std::max_element(
      collisions.begin(), collisions.end(), [](const PartCollision& x, const PartCollision& y) {
        return x.result.penetrationDepth < y.result.penetrationDepth;
      });
  if (deepest == collisions.end()) return std::nullopt;
  return deepest->result;
}

}  // namespace msd_sim
