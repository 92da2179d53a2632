#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim {

// Both go the common way: GJK on the cores and, where a core is pierced, the exact search of
// DeepCore.hpp or EPA; then the face, side line or disc that looks at the other shape is clipped.

void collideCapsuleConvex(const CollisionShape& capsule, const Placement& poseA,
                          const CollisionShape& solid, const Placement& poseB, double margin,
                          ManifoldCache& cache, ContactManifold& out) {
  collideConvexConvex(capsule, poseA, solid, poseB, margin, cache, out);
}

void collideCylinderConvex(const CollisionShape& cylinder, const Placement& poseA,
                           const CollisionShape& solid, const Placement& poseB, double margin,
                           ManifoldCache& cache, ContactManifold& out) {
  collideConvexConvex(cylinder, poseA, solid, poseB, margin, cache, out);
}

}  // namespace msd_sim
