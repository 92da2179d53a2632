#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "msd-sim/src/Physics/Collision/CollisionResult.hpp"
#include "msd-sim/src/Physics/Collision/PlacedShape.hpp"

namespace msd_sim {

/// A collision of two bodies, and of which of their shapes.
struct PartCollision {
  std::uint32_t partA{0};
  std::uint32_t partB{0};
  CollisionResult result;
};

/// Tests two placed shapes for collision, one pair at a time and without memory: the simple door to
/// collision, where CollisionPipeline is the fast one.
class CollisionHandler {
 public:
  /// Shapes count as touching up to a gap of `epsilon` times the smaller one's size [-]; rounding
  /// alone moves surfaces that should just touch by less. Throws std::invalid_argument unless
  /// 0 <= epsilon < 1.
  explicit CollisionHandler(double epsilon = 1e-6);

  /// The normal from A to B, the deepest penetration and one to four contact points, or nothing when
  /// the shapes are apart. Every depth is >= 0 and at most penetrationDepth. Against a mesh or terrain
  /// the manifold with the deepest point is given.
  [[nodiscard]] std::optional<CollisionResult> checkCollision(const PlacedShape& a,
                                                              const PlacedShape& b) const;

  template <Placeable A, Placeable B>
  [[nodiscard]] std::optional<CollisionResult> checkCollision(const A& a, const B& b) const {
    return checkCollision(PlacedShape{a.collisionShape(), a.pose()},
                          PlacedShape{b.collisionShape(), b.pose()});
  }

  /// Bodies: the deepest collision of any two of their shapes.
  template <PlaceableParts A, PlaceableParts B>
  [[nodiscard]] std::optional<CollisionResult> checkCollision(const A& a, const B& b) const {
    return deepestOf(checkCollisions(a, b));
  }

  /// Bodies: every manifold of every two of their shapes; several against a mesh or terrain.
  template <PlaceableParts A, PlaceableParts B>
  [[nodiscard]] std::vector<PartCollision> checkCollisions(const A& a, const B& b) const {
    return checkParts(a.collisionParts(), a.pose(), b.collisionParts(), b.pose());
  }

  [[nodiscard]] double epsilon() const { return epsilon_; }

 private:
  [[nodiscard]] std::vector<PartCollision> checkParts(std::span<const CollisionPart> partsA,
                                                      const Pose& poseA,
                                                      std::span<const CollisionPart> partsB,
                                                      const Pose& poseB) const;
  [[nodiscard]] static std::optional<CollisionResult> deepestOf(
      const std::vector<PartCollision>& collisions);

  double epsilon_;
};

}  // namespace msd_sim
