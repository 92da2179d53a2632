#include <cmath>

#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PointManifold.hpp"

namespace msd_sim {

void collideSphereCylinder(const CollisionShape& sphere, const Placement& poseA,
                           const CollisionShape& cylinder, const Placement& poseB, double margin,
                           ManifoldCache& /*cache*/, ContactManifold& out) {
  const Matrix3D& R = poseB.rotation;
  const Coordinate c = R.transpose() * (poseA.position - poseB.position);
  const double radial = std::sqrt(c.x() * c.x() + c.y() * c.y());
  const double up = c.z() < 0.0 ? -1.0 : 1.0;
  const double beyondCap = std::abs(c.z()) - cylinder.halfHeight;
  const double beyondSide = radial - cylinder.radius;
  const Vector3D u = radial > 0.0 ? Vector3D{c.x() / radial, c.y() / radial, 0.0}
                                  : Vector3D{Vector3D::UnitX()};
  Vector3D outward;
  Coordinate surface;
  double distance = 0.0;
  std::uint32_t code = 0;
  NormalOwner owner = NormalOwner::kNeither;
  if (beyondCap > 0.0 && beyondSide > 0.0) {
    distance = std::sqrt(beyondCap * beyondCap + beyondSide * beyondSide);
    outward = (beyondSide / distance) * u + Vector3D{0.0, 0.0, up * beyondCap / distance};
    surface = cylinder.radius * u + Vector3D{0.0, 0.0, up * cylinder.halfHeight};
    code = featureCode(FeatureKind::kRim, up > 0.0 ? 1 : 0);
  } else if (beyondCap >= beyondSide) {
    distance = beyondCap;
    outward = {0.0, 0.0, up};
    surface = {c.x(), c.y(), up * cylinder.halfHeight};
    code = featureCode(FeatureKind::kFace, up > 0.0 ? 1 : 0);
    owner = NormalOwner::kBodyB;
  } else {
    distance = beyondSide;
    outward = u;
    surface = cylinder.radius * u + Vector3D{0.0, 0.0, c.z()};
    code = featureCode(FeatureKind::kSide, 8);
  }
  const Vector3D n = -(R * outward);
  writePoint({n, poseA.position + sphere.radius * n, poseB.position + R * surface,
              distance - sphere.radius,
              featurePair(featureCode(FeatureKind::kCorner, 0), code), owner},
             margin, out);
}

}  // namespace msd_sim
