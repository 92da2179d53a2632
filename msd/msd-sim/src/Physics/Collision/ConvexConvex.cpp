#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/DeepCore.hpp"
#include "msd-sim/src/Physics/Collision/EPA.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

/// True when n is the face normal up to rounding that a snap may remove.
bool isNear(const Vector3D& n, const Vector3D& faceNormal) {
  return (n - faceNormal).squaredNorm() <= tolerance::kNormalSnap * tolerance::kNormalSnap;
}

/// Replaces the normal by a face normal that separates no worse.
NormalOwner snapNormal(const ConvexPair& pair, const FaceNormal& faceA, const FaceNormal& faceB,
                       Separation& s) {
  const double worst = s.gap - tolerance::kSameGap * pair.size;
  const auto take = [&](const Vector3D& n) {
    if (!isNear(s.normal, n)) return false;
    if (n == s.normal) return true;
    const double gap = pair.gapAlong(n);
    if (gap < worst) return false;
    s.normal = n;
    s.gap = gap;
    return true;
  };
  if (faceA.cosine > tolerance::kFaceCosine && take(faceA.normal)) return NormalOwner::kBodyA;
  if (faceB.cosine > tolerance::kFaceCosine && take(-(pair.R_AB * faceB.normal))) {
    return NormalOwner::kBodyB;
  }
  return NormalOwner::kNeither;
}

/// A face that is seen as an area, or the edge where it is seen edge-on or where neither shape
/// turns a face to the other.
void extractFeature(const ConvexView& view, const FaceNormal& face, const Vector3D& d, bool asArea,
                    ContactFace& out) {
  const bool hasFaces = face.cosine > -1.0;
  const bool isSide = view.core == ConvexView::Core::kCylinder && face.cosine * face.cosine < 0.5;
  if (!hasFaces) {
    extractFace(view, face, d, out);
  } else if (asArea && (isSide || face.cosine > tolerance::kEdgeOnCosine)) {
    extractFace(view, face, d, out);
  } else {
    extractEdge(view, d, out);
  }
}

/// Where the search for the nearest points begins without a cache.
Vector3D startGuess(const ConvexPair& pair) {
  return pair.p_AB.squaredNorm() > 0.0 ? Vector3D{-pair.p_AB} : Vector3D::UnitX();
}

std::uint32_t witnessCode(const ContactFace& face) {
  return face.kind == ContactFace::Kind::kPoint ? featureCode(FeatureKind::kCorner, face.corners[0])
                                                : featureCode(FeatureKind::kSide, 0x2000u);
}

}  // namespace

Separation findSeparation(const ConvexPair& pair, double margin, ManifoldCache& cache) {
  Separation separation;
  Simplex simplex;
  int iterations = 0;
  loadSimplex(pair, cache, ManifoldCache::Kind::kDeep, simplex);
  if (simplex.count == 3 && growFromFace(pair, cache.axis, simplex, separation)) {
    storeSimplex(simplex, separation.normal, ManifoldCache::Kind::kDeep, cache);
    return separation;
  }

  loadSimplex(pair, cache, ManifoldCache::Kind::kSimplex, simplex);
  const bool isWarm = cache.kind != ManifoldCache::Kind::kEmpty && cache.axis.squaredNorm() > 0.0;
  const double reach = margin + pair.a.radius + pair.b.radius;
  GjkOutcome outcome = runGjk(pair, isWarm ? Vector3D{-cache.axis} : startGuess(pair), reach, simplex);
  // Which of two ways out of a curved shape is found, where they are as long to the search's tolerance, hangs on its start.
  const bool isCurved = pair.a.isCurved() || pair.b.isCurved();
  if (isWarm && isCurved && outcome.status == GjkOutcome::Status::kTouching) {
    simplex.count = 0;
    outcome = runGjk(pair, startGuess(pair), reach, simplex);
  }

  ManifoldCache::Kind kind = ManifoldCache::Kind::kSimplex;
  if (outcome.status == GjkOutcome::Status::kFar) {
    separation.normal = -outcome.v.normalized();
    separation.gap = outcome.lowerBound - pair.a.radius - pair.b.radius;
  } else if (outcome.status == GjkOutcome::Status::kNear) {
    const double length = outcome.v.norm();
    separation = {outcome.v / -length, length, simplex.pointA(), simplex.pointB()};
    finishSeparation(pair, separation);
  } else if (separateDeepCore(pair, separation)) {
    finishSeparation(pair, separation);
    simplex.count = 0;
  } else {
    separation = runEpa(pair, simplex, iterations);
    kind = ManifoldCache::Kind::kDeep;
  }
  storeSimplex(simplex, separation.normal, kind, cache);
  return separation;
}

NormalOwner findContacts(const ConvexPair& pair, double margin, Separation& separation,
                         CandidateList& candidates) {
  const FaceNormal faceA = findFaceNormal(pair.a, separation.normal);
  const FaceNormal faceB = findFaceNormal(pair.b, -(pair.R_AB.transpose() * separation.normal));
  const NormalOwner owner = snapNormal(pair, faceA, faceB, separation);

  const Vector3D& n = separation.normal;
  ContactFace a;
  ContactFace b;
  const bool asArea = std::max(faceA.cosine, faceB.cosine) > tolerance::kFaceCosine;
  extractFeature(pair.a, faceA, n, asArea, a);
  extractFeature(pair.b, faceB, -(pair.R_AB.transpose() * n), asArea, b);
  transformFace(pair.R_AB, pair.p_AB, b);

  clipFaces(a, b, n, pair.size, candidates);
  const Vector3D tie = kTieBreaker + pair.R_AB * kTieBreaker;  // the same with A and B exchanged
  reduceCandidates(n, tie, margin, pair.size, candidates);
  const double least = separation.gap + 2.0 * tolerance::kSameDepth * pair.size;
  bool hasDeepest = false;
  for (int i = 0; i < candidates.count; ++i) hasDeepest |= candidates.items[i].gap <= least;
  if (!hasDeepest && separation.gap <= margin) {
    // Edge against edge, corner against anything, or a deepest place inside a line of contact.
    candidates.add({separation.pointA, separation.pointB, separation.gap,
                    featurePair(witnessCode(a), witnessCode(b))});
    candidates.isRing = false;
    reduceCandidates(n, tie, margin, pair.size, candidates);
  }
  return owner;
}

void collideConvexConvex(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                         const Placement& poseB, double margin, ManifoldCache& cache,
                         ContactManifold& out) {
  const ConvexPair pair = makeConvexPair(makeConvexView(a), poseA, makeConvexView(b), poseB);
  Separation separation = findSeparation(pair, margin, cache);
  out.count = 0;
  out.separation = std::max(separation.gap, 0.0);
  out.normal = poseA.rotation * separation.normal;
  if (separation.gap > margin) return;
  CandidateList candidates;
  out.owner = findContacts(pair, margin, separation, candidates);
  writeManifold(candidates, separation.normal, WorldFrame{poseA}, out);
}

}  // namespace msd_sim
