#include <cmath>

#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PointManifold.hpp"

namespace msd_sim {

void collideSphereBox(const CollisionShape& sphere, const Placement& poseA, const CollisionShape& box,
                      const Placement& poseB, double margin, ManifoldCache& /*cache*/,
                      ContactManifold& out) {
  const Matrix3D& R = poseB.rotation;
  const Coordinate c = R.transpose() * (poseA.position - poseB.position);
  const Vector3D& h = box.halfExtents;
  const Coordinate clamped = c.cwiseMax(-h).cwiseMin(h);
  const Vector3D outside = c - clamped;
  // Which of the nine regions of each axis: below -1, inside 0, above +1.
  const int region = (outside.x() != 0.0 ? 1 : 0) + (outside.y() != 0.0 ? 1 : 0) +
                     (outside.z() != 0.0 ? 1 : 0);
  Vector3D outward;      // from the box, its frame
  Coordinate surface = clamped;
  double distance = 0.0;
  NormalOwner owner = NormalOwner::kBodyB;
  if (region >= 2) {  // over an edge or a corner
    distance = outside.norm();
    outward = outside / distance;
    owner = NormalOwner::kNeither;
  } else {  // over a face, or inside: the nearest face
    int axis = 0;
    (c.cwiseAbs() - h).maxCoeff(&axis);
    const double side = c[axis] < 0.0 ? -1.0 : 1.0;
    outward = side * Vector3D::Unit(axis);
    distance = std::abs(c[axis]) - h[axis];
    surface[axis] = side * h[axis];
  }
  const auto digit = [&](int k) -> std::uint32_t {
    return outward[k] > 0.0 ? 2u : (outward[k] < 0.0 ? 0u : 1u);
  };
  const std::uint32_t code = digit(0) + 3 * digit(1) + 9 * digit(2);
  const Vector3D n = -(R * outward);
  writePoint({n, poseA.position + sphere.radius * n, poseB.position + R * surface,
              distance - sphere.radius,
              featurePair(featureCode(FeatureKind::kCorner, 0), featureCode(FeatureKind::kSide, code)),
              owner},
             margin, out);
}

}  // namespace msd_sim
