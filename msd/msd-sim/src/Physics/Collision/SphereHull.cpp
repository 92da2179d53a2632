#include "msd-sim/src/Physics/Collision/DeepCore.hpp"
#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/PointManifold.hpp"

namespace msd_sim {

void collideSphereHull(const CollisionShape& sphere, const Placement& poseA, const CollisionShape& hull,
                       const Placement& poseB, double margin, ManifoldCache& cache,
                       ContactManifold& out) {
  // The hull is the first of the pair here, so that its vertices need no transformation.
  const Matrix3D& R = poseB.rotation;
  ConvexPair pair;
  pair.a = makeConvexView(hull);
  pair.b = makeConvexView(sphere);
  pair.p_AB.noalias() = R.transpose() * (poseA.position - poseB.position);
  pair.size = hull.size + sphere.size;

  Simplex simplex;
  loadSimplex(pair, cache, ManifoldCache::Kind::kSimplex, simplex);
  Vector3D guess =
      cache.kind == ManifoldCache::Kind::kEmpty ? Vector3D{-pair.p_AB} : Vector3D{-cache.axis};
  if (!(guess.squaredNorm() > 0.0)) guess = Vector3D::UnitX();
  const GjkOutcome outcome = runGjk(pair, guess, margin + sphere.radius, simplex);

  Vector3D outward;  // from the hull, its frame
  double distance = 0.0;
  Coordinate surface;
  std::uint32_t code = 0;
  NormalOwner owner = NormalOwner::kNeither;
  if (outcome.status == GjkOutcome::Status::kFar) {
    out.count = 0;
    out.separation = outcome.lowerBound - sphere.radius;
    storeSimplex(simplex, -outcome.v.normalized(), ManifoldCache::Kind::kSimplex, cache);
    return;
  }
  if (outcome.status == GjkOutcome::Status::kNear) {
    distance = outcome.v.norm();
    outward = outcome.v / -distance;
    surface = simplex.pointA();
    owner = simplex.count == 3 ? NormalOwner::kBodyB : NormalOwner::kNeither;
    constexpr FeatureKind kKinds[3] = {FeatureKind::kCorner, FeatureKind::kSide,
                                       FeatureKind::kFace};
    code = featureCode(kKinds[simplex.count - 1], simplex.vertices[0].idA);
    storeSimplex(simplex, outward, ManifoldCache::Kind::kSimplex, cache);
  } else {
    const FaceNormal face = findNearestFace(pair.a, pair.p_AB, distance);
    outward = face.normal;
    surface = pair.p_AB - distance * outward;
    owner = NormalOwner::kBodyB;
    code = featureCode(FeatureKind::kFace, face.index);
    simplex.count = 0;
    storeSimplex(simplex, outward, ManifoldCache::Kind::kSimplex, cache);
  }
  const Vector3D n = -(R * outward);
  writePoint(
      {n, poseA.position + sphere.radius * n, poseB.position + R * surface,
       distance - sphere.radius, featurePair(featureCode(FeatureKind::kCorner, 0), code), owner},
      margin, out);
}

}  // namespace msd_sim
