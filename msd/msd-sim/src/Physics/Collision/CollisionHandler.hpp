#pragma once

#include <optional>

#include "msd-sim/src/Physics/Collision/CollisionResult.hpp"
#include "msd-sim/src/Physics/Collision/PlacedShape.hpp"

namespace msd_sim {

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

  [[nodiscard]] double epsilon() const { return epsilon_; }

 private:
  double epsilon_;
};

}  // namespace msd_sim
