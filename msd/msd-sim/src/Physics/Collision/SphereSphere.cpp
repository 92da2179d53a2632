#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PointManifold.hpp"

namespace msd_sim {

void collideSphereSphere(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                         const Placement& poseB, double margin, ManifoldCache& /*cache*/,
                         ContactManifold& out) {
  const Vector3D r = poseB.position - poseA.position;
  const double distance = r.norm();
  const Vector3D n = distance > 0.0 ? Vector3D{r / distance} : Vector3D::UnitZ();
  writePoint({n, poseA.position + a.radius * n, poseB.position - b.radius * n,
              distance - a.radius - b.radius,
              featurePair(featureCode(FeatureKind::kCorner, 0), featureCode(FeatureKind::kCorner, 0)),
              NormalOwner::kNeither},
             margin, out);
}

}  // namespace msd_sim
