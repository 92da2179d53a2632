#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/ContactFace.hpp"
#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/DiscClip.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
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
  SupportVertex tip{};                ///< the point of the surface that is lowest over the plane
  double lowest{0.0};                 ///< its height: normal·tip [m]
  bool hasTip{false};                 ///< it is one of the face's corners
  bool isExtracted{false};            ///< `face` and what follows from it are known
  std::array<Coordinate, 4> rim;      ///< points that stand for a disc
  Aabb bounds{};                      ///< of all the points above, moved along the normal to the
                                      ///< plane through the origin

  [[nodiscard]] bool isDisc() const { return face.kind == ContactFace::Kind::kDisc; }
  [[nodiscard]] int pointCount() const { return isDisc() ? 4 : face.count; }
  [[nodiscard]] const Coordinate& point(int i) const { return isDisc() ? rim[i] : face.points[i]; }
  [[nodiscard]] std::uint32_t code(int i) const {
    return isDisc() ? featureCode(FeatureKind::kRim, static_cast<std::uint32_t>(i))
                    : featureCode(FeatureKind::kCorner, face.corners[i]);
  }
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
    const SurfaceTriangle triangle = loadTriangle(surface_, index, origin_, known_);
    known_ = {triangle.normal, triangle.offset};
    // The inner point is the origin: its height over the plane is -offset.
    if (triangle.offset > tolerance::kSamePoint * size_) return;
    look(triangle.normal);
    const double lowest = facing_.lowest - triangle.offset;
    if (lowest > margin_) {
      nearest_ = std::min(nearest_, lowest);
      return;
    }
    const bool isDeep = -lowest > tolerance::kDeepShare * size_;
    if (triangle.isInnerFlat() && !isDeep) {
      face(triangle.normal);
      if (mayHoldCorner(triangle)) addFaceContact(triangle);
    } else if (pair_.b.core == ConvexView::Core::kPoint) {
      addSphereContact(triangle);
    } else if (!isSeparated(triangle) && !isBeside(triangle)) {
      if (isTipInside(triangle, std::max(-lowest, 0.0))) {
        addFaceContact(triangle);
      } else {
        addAnyContact(triangle);
      }
    }
  }

  /// The whole plane of one triangle: for a shape whose inner point is under a terrain.
  void addPlane(std::uint32_t index) {
    const SurfaceTriangle triangle = loadTriangle(surface_, index, origin_, known_);
    face(triangle.normal);
    ContactFace plane;
    plane.kind = ContactFace::Kind::kHalfSpace;
    plane.normal = triangle.normal;
    plane.offset = triangle.offset;
    CandidateList list;
    clipFaces(plane, facing_.face, triangle.normal, size_, list);
    add(triangle, triangle.normal, triangle.offset, NormalOwner::kBodyA, list);
  }

  /// Call after the last triangle.
  void finish() {
    adoptOrphan();
    if (groups_.count() > 0 || spare_triangle_ == TriangleBvh::kNone) return;
    if (surface_.isTerrain()) {  // solid below: up, by the triangle under the inner point
      const std::uint32_t under = surface_.terrain().findTriangle(origin_.x(), origin_.y());
      addPlane(under != TriangleBvh::kNone ? under : spare_triangle_);
      return;
    }
    const SurfaceTriangle triangle = loadTriangle(surface_, spare_triangle_, origin_, known_);
    CandidateList list;
    list.add({spare_.pointA, spare_.pointB, spare_.gap,
              featurePair(featureCode(FeatureKind::kSide, 0), featureCode(FeatureKind::kSide, 0))});
    add(triangle, spare_.normal, spare_.normal.dot(spare_.pointA), NormalOwner::kNeither, list);
  }

  [[nodiscard]] double nearest() const { return nearest_; }
  [[nodiscard]] const Coordinate& origin() const { return origin_; }

  int write(const Pose& poseB, std::span<ContactManifold> out) const;

 private:
  /// Finds the point of the shape that is lowest over a plane.
  void look(const Vector3D& n) {
    if (facing_.normal == n) return;
    facing_.normal = n;
    facing_.isExtracted = false;
    facing_.tip = supportCore(pair_.b, -(pair_.R_AB.transpose() * n));
    facing_.tip.point = pair_.R_AB * facing_.tip.point + pair_.p_AB - radius_ * n;
    facing_.lowest = n.dot(facing_.tip.point);
  }

  /// Finds the whole face that looks at a plane.
  void face(const Vector3D& n) {
    look(n);
    if (facing_.isExtracted) return;
    facing_.isExtracted = true;
    const Vector3D d = -(pair_.R_AB.transpose() * n);
    const FaceNormal normal = findFaceNormal(pair_.b, d);
    const bool isSide = pair_.b.isCurved() && normal.cosine * normal.cosine < 0.5;
    if (normal.cosine < -1.0 || isSide || normal.cosine > tolerance::kEdgeOnCosine) {
      extractFace(pair_.b, normal, d, facing_.face);
    } else {
      extractEdge(pair_.b, d, facing_.face);
    }
    transformFace(pair_.R_AB, pair_.p_AB, facing_.face);
    // A disc or a line on a round side always holds its lowest point; the face of a polytope that
    // looks most at the plane need not.
    facing_.hasTip = facing_.face.kind != ContactFace::Kind::kPolygon;
    for (int i = 0; i < facing_.face.count && !facing_.hasTip; ++i) {
      facing_.hasTip = facing_.face.corners[i] == facing_.tip.id;
    }
    if (facing_.isDisc()) facing_.rim = chooseRimPoints(facing_.face, n, -n);
    const Coordinate foot = facing_.tip.point - facing_.lowest * n;
    facing_.bounds = {foot, foot};
    for (int i = 0; i < facing_.pointCount(); ++i) {
      const Coordinate p = facing_.point(i) - n.dot(facing_.point(i)) * n;
      facing_.bounds = facing_.bounds.merged({p, p});
    }
    facing_.bounds = facing_.bounds.expanded(tolerance::kSamePoint * size_);
  }

  /// Keeps a direction m from the surface to the shape that may separate other triangles too.
  void keepAxis(const Vector3D& m) {
    const Vector3D d = -(pair_.R_AB.transpose() * m);
    const double low = m.dot(pair_.R_AB * supportCore(pair_.b, d).point + pair_.p_AB) - radius_;
    axes_[axis_count_ % kMaxAxes] = {m, low};
    ++axis_count_;
  }

  /// Does a direction that was found for another triangle separate this one by more than the margin?
  /// The best of them stays as a guess.
  [[nodiscard]] bool isSeparated(const SurfaceTriangle& triangle) {
    double best = facing_.lowest - triangle.offset;
    guess_ = triangle.normal;
    for (std::uint32_t i = 0; i < std::min(axis_count_, kMaxAxes); ++i) {
      const Axis& axis = axes_[i];
      const double top =
          std::max(std::max(axis.m.dot(triangle.corners[0]), axis.m.dot(triangle.corners[1])),
                   axis.m.dot(triangle.corners[2]));
      const double gap = axis.low - top;
      if (gap > best) {
        best = gap;
        guess_ = axis.m;
      }
    }
    if (!(best > margin_)) return false;
    nearest_ = std::min(nearest_, best);
    return true;
  }

  /// Is the shape beyond the margin from a plane through a side of the triangle, square to it?
  [[nodiscard]] bool isBeside(const SurfaceTriangle& triangle) {
    for (int k = 0; k < 3; ++k) {
      const Vector3D e = triangle.corners[(k + 1) % 3] - triangle.corners[k];
      const Vector3D outward = e.cross(triangle.normal);
      const double length = outward.norm();
      const double inner = -outward.dot(triangle.corners[k]);  // of the shape's inner point
      if (!(inner > margin_ * length)) continue;
      const Vector3D d = -(pair_.R_AB.transpose() * outward);
      const Coordinate near = pair_.R_AB * supportCore(pair_.b, d).point + pair_.p_AB;
      const double distance = inner + outward.dot(near) - radius_ * length;
      if (!(distance > margin_ * length)) continue;
      nearest_ = std::min(nearest_, distance / length);
      return true;
    }
    return false;
  }

  /// Does the lowest point lie over the triangle, at least as far from its sides as it is deep? Then
  /// no direction leads out of the surface sooner than the normal: turned by t towards a side that is
  /// r away the way out of depth d is d cos t + r sin t, no less than d up to a right angle for r >= d.
  [[nodiscard]] bool isTipInside(const SurfaceTriangle& triangle, double depth) const {
    const Coordinate& p = facing_.tip.point;
    for (int k = 0; k < 3; ++k) {
      const Vector3D e = triangle.corners[(k + 1) % 3] - triangle.corners[k];
      const double inside = triangle.normal.cross(e).dot(p - triangle.corners[k]);
      if (!(inside >= 0.0 && inside * inside >= depth * depth * e.squaredNorm())) return false;
    }
    return true;
  }

  /// Could a corner of the facing face lie over the triangle?
  [[nodiscard]] bool mayHoldCorner(const SurfaceTriangle& triangle) const {
    const Vector3D down = triangle.offset * triangle.normal;
    for (int k = 0; k < 3; ++k) {
      const double a = triangle.corners[0][k] - down[k];
      const double b = triangle.corners[1][k] - down[k];
      const double c = triangle.corners[2][k] - down[k];
      if (std::min(std::min(a, b), c) > facing_.bounds.upper[k] ||
          std::max(std::max(a, b), c) < facing_.bounds.lower[k]) {
        return false;
      }
    }
    return true;
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

  void addFaceContact(const SurfaceTriangle& triangle, double shortest = 0.0);
  void adoptOrphan();
  void addSphereContact(const SurfaceTriangle& triangle);
  void addAnyContact(const SurfaceTriangle& triangle);
  bool separate(const SurfaceTriangle& triangle, Separation& separation, NormalVerdict& verdict);
  Separation separateDeep(const SurfaceTriangle& triangle, SurfaceCap& cap);
  [[nodiscard]] ContactCandidate findDeepestOver(const SurfaceTriangle& triangle);

  const TriangleBvh& surface_;
  double margin_;
  double size_;
  double radius_{0.0};
  ConvexPair pair_;        ///< a: the triangle at hand, b: the convex shape
  Coordinate origin_;      ///< inner point of the shape in the surface's frame [m]
  FacingFace facing_;
  KnownPlane known_;
  struct Axis {
    Vector3D m;  ///< unit, from the surface to the shape
    double low;  ///< of the shape along m [m]
  };
  static constexpr std::uint32_t kMaxAxes = 8;
  std::array<Axis, kMaxAxes> axes_;
  std::uint32_t axis_count_{0};
  Vector3D guess_{Vector3D::UnitZ()};  ///< a direction that separates the triangle at hand well
  TriangleGroups groups_;
  /// The shortest way out of a triangle that is cut, to its front: what counts if every triangle takes
  /// it for another one's.
  Separation spare_{Vector3D::UnitZ(), -std::numeric_limits<double>::infinity()};
  std::uint32_t spare_triangle_{TriangleBvh::kNone};
  /// The triangle that is cut deepest of those that left their way out to another one.
  std::uint32_t orphan_{TriangleBvh::kNone};
  double orphan_gap_{0.0};
  double nearest_{std::numeric_limits<double>::infinity()};  ///< least distance left out [m]
};

/// Tells whether points lie over a triangle, seen along its normal.
class Prism {
 public:
  Prism(const SurfaceTriangle& triangle, double slack) {
    for (int k = 0; k < 3; ++k) {
      const Vector3D e = triangle.corners[(k + 1) % 3] - triangle.corners[k];
      inward_[k] = triangle.normal.cross(e);
      offset_[k] = inward_[k].dot(triangle.corners[k]) - slack * e.cwiseAbs().maxCoeff();
    }
  }
  [[nodiscard]] bool holds(const Coordinate& p) const {
    return inward_[0].dot(p) >= offset_[0] && inward_[1].dot(p) >= offset_[1] &&
           inward_[2].dot(p) >= offset_[2];
  }

 private:
  std::array<Vector3D, 3> inward_;
  std::array<double, 3> offset_;
};

/// The point of the shape that lies deepest over the triangle, seen along the triangle's normal: the
/// shape is lifted off and let down again until it touches. The gap along the normal of the nearest
/// points falls at a constant rate and bounds the distance from below, so that no step goes too far.
ContactCandidate SurfaceCollider::findDeepestOver(const SurfaceTriangle& triangle) {
  constexpr int kMaxSteps = 32;
  const Vector3D& n = triangle.normal;
  ConvexPair pair = pair_;
  pair.a = makeTriangleView(triangle.corners.data());
  pair.size = size_ + pair.a.size;
  const double enough = tolerance::kSamePoint * size_;
  double lift = triangle.offset - facing_.lowest + enough;
  ManifoldCache cache;
  Coordinate touch = facing_.tip.point + lift * n;
  for (int step = 0; step < kMaxSteps; ++step) {
    pair.p_AB = pair_.p_AB + lift * n;
    const Separation s = findSeparation(pair, std::numeric_limits<double>::infinity(), cache);
    touch = s.pointA;
    const double rate = s.normal.dot(n);
    if (!(rate > 0.0)) break;
    lift -= s.gap / rate;
    if (s.gap <= enough) break;
  }
  return {touch, touch - lift * n, -lift,
          featurePair(featureCode(FeatureKind::kFace, 0), featureCode(FeatureKind::kSide, 0))};
}

/// The face of the shape clipped to the triangle along the triangle's normal. Points that only mark a
/// line between flush triangles are inside the patch and left out. Where that face does not hold the
/// deepest place over the triangle, the place is added: `shortest` is the gap of the shortest way out,
/// and along the face's normal there is none shorter. Far inside, a way out that is much shorter than
/// the face's belongs to another triangle.
void SurfaceCollider::addFaceContact(const SurfaceTriangle& triangle, double shortest) {
  const Vector3D& n = triangle.normal;
  face(n);
  const Prism prism{triangle, tolerance::kClipSlack * size_};
  CandidateList list;
  const auto addPoint = [&](const Coordinate& p, std::uint32_t code) {
    if (!prism.holds(p)) return;
    const double gap = n.dot(p) - triangle.offset;
    list.add({p - gap * n, p, gap, featurePair(0, code)});
  };
  if (!facing_.hasTip) {
    addPoint(facing_.tip.point, featureCode(FeatureKind::kCorner, facing_.tip.id));
  }
  if (triangle.isInnerFlat() || facing_.face.kind == ContactFace::Kind::kPoint) {
    for (int i = 0; i < facing_.pointCount(); ++i) addPoint(facing_.point(i), facing_.code(i));
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
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < list.count; ++i) least = std::min(least, list.items[i].gap);
  if (shortest < 0.0) {
    // Within a flat region the corners of the shape are each over some triangle.
    if (!triangle.isInnerFlat() && least > shortest + tolerance::kSameTriangleDepth * size_) {
      list.add(findDeepestOver(triangle));
      least = std::min(least, list.items[list.count - 1].gap);
    }
    if (-least > tolerance::kDeepShare * size_ && shortest > 0.5 * least) return;
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
  if (judgeNormal(surface_, triangle, m) != NormalVerdict::kOwn) return;  // a neighbour is nearer
  CandidateList list;
  list.add({q, centre - radius_ * m, distance - radius_,
            featurePair(featureCode(FeatureKind::kSide, static_cast<std::uint32_t>(feature)),
                        featureCode(FeatureKind::kCorner, 0))});
  add(triangle, m, m.dot(q), NormalOwner::kNeither, list);
}

/// A shape that cuts through the triangle: the way out. The triangle is thickened to the back, and the
/// triangles around it join it where the surface is flush or bends away, so that ways out over a ridge
/// or through the back do not count.
Separation SurfaceCollider::separateDeep(const SurfaceTriangle& triangle, SurfaceCap& cap) {
  gatherCap(surface_, triangle, origin_, cap);
  ConvexPair deep = pair_;
  deep.a = makePrismView(cap.corners.data(), static_cast<std::uint32_t>(cap.count),
                         -4.0 * size_ * triangle.normal);
  deep.size = deep.a.size + size_;
  ManifoldCache cache;
  cache.kind = ManifoldCache::Kind::kAxis;
  cache.axis = triangle.normal;
  return findSeparation(deep, margin_, cache);
}

/// Nearest features while the cores are apart, else the way out. False beyond the margin.
bool SurfaceCollider::separate(const SurfaceTriangle& triangle, Separation& separation,
                               NormalVerdict& verdict) {
  pair_.a = makeTriangleView(triangle.corners.data());
  pair_.size = size_ + pair_.a.size;
  Simplex simplex;
  const GjkOutcome outcome = runGjk(pair_, -guess_, margin_ + radius_, simplex);
  if (outcome.status == GjkOutcome::Status::kFar) {
    keepAxis(-outcome.v.normalized());
    nearest_ = std::min(nearest_, outcome.lowerBound - radius_);
    return false;
  }
  if (outcome.status == GjkOutcome::Status::kNear) {
    const double length = outcome.v.norm();
    separation = {outcome.v / -length, length, simplex.pointA(), simplex.pointB()};
    finishSeparation(pair_, separation);
    keepAxis(separation.normal);
    verdict = judgeNormal(surface_, triangle, separation.normal);
  } else {
    SurfaceCap cap;
    separation = separateDeep(triangle, cap);
    verdict = judgeCapNormal(surface_, triangle, cap, separation.normal);
    // The thickness keeps directions from pointing to the back; one that lies in the plane would do
    // so, and is better served by the triangles that look its way.
    const bool isInPlane = separation.normal.dot(triangle.normal) < tolerance::kConeSlack;
    if (verdict == NormalVerdict::kOwn && isInPlane) verdict = NormalVerdict::kElsewhere;
    if (separation.gap > spare_.gap) {
      spare_ = separation;
      spare_triangle_ = triangle.index;
    }
  }
  if (separation.gap > margin_) {
    nearest_ = std::min(nearest_, separation.gap);
    return false;
  }
  if ((separation.normal - triangle.normal).squaredNorm() <=
      tolerance::kNormalSnap * tolerance::kNormalSnap) {
    verdict = NormalVerdict::kFace;
  }
  return true;
}

/// A triangle that is cut deeper than any contact says has left its way out to one that did not take
/// it: it touches with its face after all.
void SurfaceCollider::adoptOrphan() {
  if (orphan_ == TriangleBvh::kNone) return;
  double deepest = 0.0;
  for (int i = 0; i < groups_.count(); ++i) deepest = std::min(deepest, groups_.group(i).deepest);
  if (deepest <= orphan_gap_ + tolerance::kOrphanDepth * size_) return;
  addFaceContact(loadTriangle(surface_, orphan_, origin_, known_), orphan_gap_);
}

/// The contact along the best direction, if the surface has that normal here; else along the face's.
void SurfaceCollider::addAnyContact(const SurfaceTriangle& triangle) {
  Separation separation;
  NormalVerdict verdict = NormalVerdict::kElsewhere;
  if (!separate(triangle, separation, verdict)) return;
  if (verdict == NormalVerdict::kElsewhere) {
    if (separation.gap < orphan_gap_) {
      orphan_gap_ = separation.gap;
      orphan_ = triangle.index;
    }
    return;
  }
  if (verdict == NormalVerdict::kFace) {
    addFaceContact(triangle, std::min(separation.gap, 0.0));
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
      const SurfaceTriangle triangle = loadTriangle(triangles, under, centre, {});
      if (triangle.offset <= 0.0) under = TriangleBvh::kNone;
    }
  }
  if (under != TriangleBvh::kNone) {
    collider.addPlane(under);
  } else {
    const Aabb box = worldBounds(convex, pose_S).expanded(margin);
    triangles.query(box, [&](std::uint32_t index) { collider.addTriangle(index); });
    collider.finish();
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
