#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/ContactFace.hpp"
#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"
#include "msd-sim/src/Physics/Collision/TriangleCone.hpp"
#include "msd-sim/src/Physics/Collision/TriangleGroups.hpp"

namespace msd_sim {

namespace {

/// The face of the convex shape that looks at a plane of the surface; kept for the triangles that
/// follow in the same plane.
struct FacingFace {
  Vector3D normal{Vector3D::Zero()};  ///< of the plane it was made for
  ContactFace face;
  double lowest{0.0};                 ///< least normal·x of the core [m]
};

/// Works in the surface's axes about the inner point of the convex shape. There the surface is the
/// first of the pair, so that normals point from it to the shape.
class SurfaceCollider {
 public:
  SurfaceCollider(const CollisionShape& convex, const Pose& pose_S, const TriangleBvh& surface,
                  double margin)
      : surface_{surface}, margin_{margin}, size_{convex.size}, groups_{convex.size} {
    pair_.b = makeConvexView(convex);
    pair_.R_AB = pose_S.orientation.toRotationMatrix();
    origin_ = pose_S.position + pair_.R_AB * convex.centre;
    pair_.p_AB = pose_S.position - origin_;
    radius_ = pair_.b.radius;
  }

  void addTriangle(std::uint32_t index) {
    const SurfaceTriangle triangle = loadTriangle(surface_, index, origin_);
    // The inner point is the origin: its height over the plane is -offset.
    if (triangle.offset > tolerance::kSamePoint * size_) return;
    face(triangle.normal);
    const double lowest = facing_.lowest - triangle.offset - radius_;
    if (lowest > margin_) {
      nearest_ = std::min(nearest_, lowest);
      return;
    }
    const bool isDeep = -lowest > tolerance::kDeepShare * size_;
    if (triangle.isInnerFlat() && !isDeep) {
      addFaceContact(triangle);
    } else if (pair_.b.core == ConvexView::Core::kPoint) {
      addSphereContact(triangle);
    } else {
      addAnyContact(triangle, isDeep);
    }
  }

  /// The whole plane of one triangle: for a shape whose inner point is under a terrain.
  void addPlane(std::uint32_t index) {
    const SurfaceTriangle triangle = loadTriangle(surface_, index, origin_);
    face(triangle.normal);
    ContactFace plane;
    plane.kind = ContactFace::Kind::kHalfSpace;
    plane.normal = triangle.normal;
    plane.offset = triangle.offset;
    CandidateList list;
    clipFaces(plane, facing_.face, triangle.normal, size_, list);
    add(triangle, triangle.normal, triangle.offset, NormalOwner::kBodyA, list);
  }

  [[nodiscard]] double nearest() const { return nearest_; }
  [[nodiscard]] const Coordinate& origin() const { return origin_; }

  int write(const Pose& poseB, std::span<ContactManifold> out) const;

 private:
  void face(const Vector3D& n) {
    if (facing_.normal == n) return;
    facing_.normal = n;
    const Vector3D d = -(pair_.R_AB.transpose() * n);
    const FaceNormal normal = findFaceNormal(pair_.b, d);
    const bool isSide = pair_.b.isCurved() && normal.cosine * normal.cosine < 0.5;
    if (normal.cosine < -1.0 || isSide || normal.cosine > tolerance::kEdgeOnCosine) {
      extractFace(pair_.b, normal, d, facing_.face);
    } else {
      extractEdge(pair_.b, d, facing_.face);
    }
    transformFace(pair_.R_AB, pair_.p_AB, facing_.face);
    facing_.lowest = n.dot(pair_.supportB(-n));
  }

  void add(const SurfaceTriangle& triangle, const Vector3D& n, double offset, NormalOwner owner,
           CandidateList& list) {
    int kept = 0;
    for (int i = 0; i < list.count; ++i) {
      ContactCandidate candidate = list.items[i];
      if (candidate.gap > margin_) continue;
      candidate.feature = nameFeature(triangle.index, candidate.feature);
      list.items[kept++] = candidate;
    }
    list.count = kept;
    groups_.add(n, offset, owner, triangle.index, list);
  }

  /// Corners of the shape keep their number; everything else is folded into seven bits.
  [[nodiscard]] std::uint32_t nameFeature(std::uint32_t triangle, std::uint32_t feature) const {
    const std::uint32_t onShape = feature & 0xFFFFu;
    const bool isCorner = (onShape >> 14) == static_cast<std::uint32_t>(FeatureKind::kCorner);
    const std::uint32_t number = onShape & 0x3FFFu;
    std::uint32_t place = number;
    if (!isCorner || number > 127) place = 128u | ((feature * 0x9E3779B1u) >> 25);
    return (surface_.region(triangle) << 8) | place;
  }

  void addFaceContact(const SurfaceTriangle& triangle);
  void addSphereContact(const SurfaceTriangle& triangle);
  void addAnyContact(const SurfaceTriangle& triangle, bool isDeep);

  const TriangleBvh& surface_;
  double margin_;
  double size_;
  double radius_{0.0};
  ConvexPair pair_;        ///< a: the triangle at hand, b: the convex shape
  Coordinate origin_;      ///< inner point of the shape in the surface's frame [m]
  FacingFace facing_;
  TriangleGroups groups_;
  double nearest_{std::numeric_limits<double>::infinity()};  ///< least distance left out [m]
};

/// Is p over the triangle, seen along its normal?
bool isOver(const SurfaceTriangle& triangle, const Coordinate& p, double slack) {
  for (int k = 0; k < 3; ++k) {
    const Vector3D e = triangle.corners[(k + 1) % 3] - triangle.corners[k];
    if (triangle.normal.cross(e).dot(p - triangle.corners[k]) < -slack * e.norm()) return false;
  }
  return true;
}

/// The face of the shape clipped to the triangle along the triangle's normal. Points that only mark a
/// line between flush triangles are inside the patch and left out.
void SurfaceCollider::addFaceContact(const SurfaceTriangle& triangle) {
  const Vector3D& n = triangle.normal;
  const double slack = tolerance::kClipSlack * size_;
  CandidateList list;
  const bool hasCorners = facing_.face.kind == ContactFace::Kind::kPolygon ||
                          facing_.face.kind == ContactFace::Kind::kSegment ||
                          facing_.face.kind == ContactFace::Kind::kPoint;
  if (hasCorners && (triangle.isInnerFlat() || facing_.face.kind == ContactFace::Kind::kPoint)) {
    for (int i = 0; i < facing_.face.count; ++i) {
      const Coordinate& p = facing_.face.points[i];
      if (!isOver(triangle, p, slack)) continue;
      const double gap = n.dot(p) - triangle.offset;
      list.add({p - gap * n, p, gap,
                featurePair(0, featureCode(FeatureKind::kCorner, facing_.face.corners[i]))});
    }
  } else {
    pair_.a = makeTriangleView(triangle.corners.data());
    FaceNormal front;
    front.normal = n;
    front.cosine = 1.0;
    front.index = 1;
    ContactFace area;
    extractFace(pair_.a, front, n, area);
    clipFaces(area, facing_.face, n, size_, list);
    int kept = 0;
    for (int i = 0; i < list.count; ++i) {
      const std::uint32_t code = list.items[i].feature >> 16;
      const auto kind = static_cast<FeatureKind>(code >> 14);
      const int number = static_cast<int>(code & 0x3FFFu);
      const bool isOnFlush = kind == FeatureKind::kSide && number < 3 &&
                             triangle.sides[number] == SideKind::kFlush;
      const bool isFlushCorner = kind == FeatureKind::kCorner && number < 3 &&
                                 triangle.sides[number] == SideKind::kFlush &&
                                 triangle.sides[(number + 2) % 3] == SideKind::kFlush;
      if (!isOnFlush && !isFlushCorner) list.items[kept++] = list.items[i];
    }
    list.count = kept;
  }
  add(triangle, n, triangle.offset, NormalOwner::kBodyA, list);
}

/// Closed form for a point core: the nearest point of the triangle.
void SurfaceCollider::addSphereContact(const SurfaceTriangle& triangle) {
  const Coordinate centre = pair_.p_AB;
  int feature = 0;
  const Coordinate q = nearestOnTriangle(triangle.corners, centre, feature);
  const Vector3D r = centre - q;
  const double distance = r.norm();
  if (feature == 6 || !(distance > tolerance::kTouching * size_)) {
    addFaceContact(triangle);
    return;
  }
  if (distance - radius_ > margin_) {
    nearest_ = std::min(nearest_, distance - radius_);
    return;
  }
  const Vector3D m = r / distance;
  if (!isNormalAllowed(surface_, triangle, m)) return;  // a neighbour is nearer
  CandidateList list;
  list.add({q, centre - radius_ * m, distance - radius_,
            featurePair(featureCode(FeatureKind::kSide, static_cast<std::uint32_t>(feature)),
                        featureCode(FeatureKind::kCorner, 0))});
  add(triangle, m, m.dot(q), NormalOwner::kNeither, list);
}

/// Least overlap of the shape with this triangle, if the surface has that normal; else its face.
void SurfaceCollider::addAnyContact(const SurfaceTriangle& triangle, bool isDeep) {
  pair_.a = makeTriangleView(triangle.corners.data());
  pair_.size = size_ + pair_.a.size;
  ManifoldCache cache;
  cache.kind = ManifoldCache::Kind::kAxis;
  cache.axis = triangle.normal;
  Separation separation = findSeparation(pair_, margin_, cache);
  if (separation.gap > margin_) {
    nearest_ = std::min(nearest_, separation.gap);
    return;
  }
  const double faceGap = facing_.lowest - triangle.offset - radius_;
  const bool isFace = separation.normal.dot(triangle.normal) > 1.0 - tolerance::kNormalSnap;
  if (isFace || !isNormalAllowed(surface_, triangle, separation.normal)) {
    // Far inside, another way out that is much shorter belongs to another triangle.
    const bool isElsewhere = isDeep && !isFace && separation.gap > 0.5 * faceGap;
    if (!isElsewhere) addFaceContact(triangle);
    return;
  }
  CandidateList list;
  const NormalOwner owner = findContacts(pair_, margin_, separation, list);
  add(triangle, separation.normal, separation.normal.dot(separation.pointA),
      owner == NormalOwner::kBodyB ? NormalOwner::kBodyB : NormalOwner::kNeither, list);
}

int SurfaceCollider::write(const Pose& poseB, std::span<ContactManifold> out) const {
  const int limit = static_cast<int>(
      std::min<std::size_t>(out.size(), static_cast<std::size_t>(kMaxTriangleManifolds)));
  std::array<int, TriangleGroups::kMaxGroups> chosen;
  const int count = groups_.chooseDeepest(limit, chosen);
  WorldFrame frame{poseB};
  frame.p += frame.R * origin_;
  for (int i = 0; i < count; ++i) {
    const TriangleGroups::Group& group = groups_.group(chosen[i]);
    CandidateList list;
    for (int k = 0; k < group.count; ++k) list.add(group.points[k]);
    reduceCandidates(group.normal, kTieBreaker, margin_, size_, list);
    ContactManifold& manifold = out[static_cast<std::size_t>(i)];
    writeManifold(list, group.normal, frame, manifold);
    manifold.owner = group.owner;
    manifold.separation = 0.0;
    swapManifold(manifold, true);  // the surface was first, the caller's A is the shape
  }
  return count;
}

}  // namespace

int collideConvexTriangles(const CollisionShape& convex, const Pose& poseA,
                           const CollisionShape& surface, const Pose& poseB, double margin,
                           std::span<ContactManifold> out) {
  if (out.empty()) return 0;
  const TriangleBvh& triangles = *surface.triangles;
  const Pose pose_S = poseB.inverse() * poseA;
  SurfaceCollider collider{convex, pose_S, triangles, margin};
  const Coordinate& centre = collider.origin();
  std::uint32_t under = TriangleBvh::kNone;
  if (triangles.isTerrain()) {
    under = triangles.terrain().findTriangle(centre.x(), centre.y());
    if (under != TriangleBvh::kNone) {
      const SurfaceTriangle triangle = loadTriangle(triangles, under, centre);
      if (triangle.offset <= 0.0) under = TriangleBvh::kNone;
    }
  }
  if (under != TriangleBvh::kNone) {
    collider.addPlane(under);
  } else {
    const Aabb box = worldBounds(convex, pose_S).expanded(margin);
    triangles.query(box, [&](std::uint32_t index) { collider.addTriangle(index); });
  }
  const int count = collider.write(poseB, out);
  if (count == 0) {
    out[0].count = 0;
    // Nothing within the margin: at least that far, and as far as the nearest triangle looked at.
    out[0].separation = std::max(std::min(collider.nearest(), margin), 0.0);
  }
  return count;
}

}  // namespace msd_sim
