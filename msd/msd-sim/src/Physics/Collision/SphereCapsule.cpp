#include <algorithm>

#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PointManifold.hpp"

namespace msd_sim {

void collideSphereCapsule(const CollisionShape& sphere, const Placement& poseA,
                          const CollisionShape& capsule, const Placement& poseB, double margin,
                          ManifoldCache& /*cache*/, ContactManifold& out) {
  const Vector3D axis = poseB.rotation.col(2);
  const Vector3D r = poseB.position - poseA.position;
  const double h = capsule.halfHeight;
  const double t = std::clamp(-axis.dot(r), -h, h);
  const Vector3D toAxis = r + t * axis;
  const double distance = toAxis.norm();
  // A centre on the axis: any direction across it.
  const Vector3D n = distance > 0.0 ? Vector3D{toAxis / distance} : TangentFrame{axis}.t1;
  const std::uint32_t code = t == h    ? featureCode(FeatureKind::kCorner, 1)
                             : t == -h ? featureCode(FeatureKind::kCorner, 0)
                                       : featureCode(FeatureKind::kSide, 0);
  writePoint({n, poseA.position + sphere.radius * n,
              poseB.position + t * axis - capsule.radius * n,
              distance - sphere.radius - capsule.radius,
              featurePair(featureCode(FeatureKind::kCorner, 0), code), NormalOwner::kNeither},
             margin, out);
}

}  // namespace msd_sim
