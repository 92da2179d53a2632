#include "msd-sim/src/Physics/Collision/SurfaceCollider.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Infinity.hpp"
#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/DiscClip.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

/// Brings back the corners of an earlier simplex of a triangle (A) and the shape (B), as far as they fit.
void loadStart(const ConvexPair& pair, const TriangleMemory::Start& start, Simplex& simplex) {
  simplex.count = 0;
  if (pair.b.isCurved()) return;
  for (int i = 0; i < start.count; ++i) {
    if (pair.b.core == ConvexView::Core::kHull && start.corners[i] >= pair.b.paddedCount) {
      simplex.count = 0;
      return;
    }
    SimplexVertex& vertex = simplex.vertices[i];
    vertex.idA = static_cast<std::uint32_t>(start.onTriangle >> (2 * i)) & 3u;
    vertex.idB = start.corners[i];
    vertex.a = pair.a.corners[vertex.idA];
    vertex.b.noalias() = pair.R_AB * corner(pair.b, vertex.idB);
    vertex.b += pair.p_AB;
    vertex.w = vertex.a - vertex.b;
    simplex.count = i + 1;
  }
}

void keepStart(const Simplex& simplex, TriangleMemory::Start& start) {
  start = {};
  if (simplex.count > 3) return;  // inside: no start for another search
  for (int i = 0; i < simplex.count; ++i) {
    const SimplexVertex& vertex = simplex.vertices[i];
    if (vertex.idB > 0xFFFFu) {
      start = {};
      return;
    }
    start.corners[i] = static_cast<std::uint16_t>(vertex.idB);
    start.onTriangle = static_cast<std::uint8_t>(start.onTriangle | vertex.idA << (2 * i));
    start.count = static_cast<std::uint8_t>(i + 1);
  }
}

}  // namespace

SurfaceCollider::SurfaceCollider(const CollisionShape& convex, const Matrix3D& R_S,
                                 const Coordinate& p_S, const TriangleBvh& surface, double margin)
    : surface_{surface},
      margin_{margin},
      sight_{margin},
      size_{convex.size},
      groups_{convex.size} {
  pair_.b = makeConvexView(convex);
  pair_.R_AB = R_S;
  origin_ = p_S + pair_.R_AB * convex.centre;
  pair_.p_AB = p_S - origin_;
  radius_ = pair_.b.radius;
}

double SurfaceCollider::addTriangle(std::uint32_t index, TriangleMemory::Start& start) {
  const SurfaceTriangle triangle = loadTriangle(surface_, index, origin_, known_);
  known_ = {triangle.normal, triangle.offset};
  // The inner point is the origin: its height over the plane is -offset.
  const double behind = triangle.offset - tolerance::kSamePoint * size_;
  if (behind > 0.0) return behind;
  look(triangle.normal);
  const double lowest = facing_.lowest - triangle.offset;
  if (lowest > margin_) return lowest;
  const bool isDeep = -lowest > tolerance::kDeepShare * size_;
  if (triangle.isInnerFlat() && !isDeep) {
    face(triangle.normal);
    if (mayHoldCorner(triangle)) addFaceContact(triangle);
    return lowest;
  }
  if (pair_.b.core == ConvexView::Core::kPoint) return addSphereContact(triangle);
  const double byAxes = separationByAxes(triangle);
  if (byAxes > margin_) return byAxes;
  if (start.count == 0) {
    const double beside = distanceBeside(triangle);
    if (beside > margin_) return beside;
  }
  if (isTipInside(triangle, std::max(-lowest, 0.0))) {
    addFaceContact(triangle);
    return lowest;
  }
  return addAnyContact(triangle, start);
}

void SurfaceCollider::addPlane(std::uint32_t index) {
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

void SurfaceCollider::finish() {
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

void SurfaceCollider::look(const Vector3D& n) {
  if (facing_.normal == n) return;
  facing_.normal = n;
  facing_.isExtracted = false;
  facing_.tip = supportCore(pair_.b, -(pair_.R_AB.transpose() * n));
  facing_.tip.point = pair_.R_AB * facing_.tip.point + pair_.p_AB - radius_ * n;
  facing_.lowest = n.dot(facing_.tip.point);
}

void SurfaceCollider::face(const Vector3D& n) {
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

void SurfaceCollider::keepAxis(const Vector3D& m, double low) {
  axes_[axis_count_ % kMaxAxes] = {m, low};
  ++axis_count_;
}

double SurfaceCollider::separationByAxes(const SurfaceTriangle& triangle) {
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
  return best;
}

double SurfaceCollider::distanceBeside(const SurfaceTriangle& triangle) const {
  for (int k = 0; k < 3; ++k) {
    const Vector3D e = triangle.corners[(k + 1) % 3] - triangle.corners[k];
    const Vector3D outward = e.cross(triangle.normal);
    const double length = outward.norm();
    const double inner = -outward.dot(triangle.corners[k]);  // of the shape's inner point
    if (!(inner > margin_ * length)) continue;
    const Vector3D d = -(pair_.R_AB.transpose() * outward);
    const Coordinate near = pair_.R_AB * supportCore(pair_.b, d).point + pair_.p_AB;
    const double distance = inner + outward.dot(near) - radius_ * length;
    if (distance > margin_ * length) return distance / length;
  }
  return -kInfinity;
}

/// Does the lowest point lie over the triangle, at least as far from its sides as it is deep? Then
/// no direction leads out of the surface sooner than the normal: turned by t towards a side that is
/// r away the way out of depth d is d cos t + r sin t, no less than d up to a right angle for r >= d.
bool SurfaceCollider::isTipInside(const SurfaceTriangle& triangle, double depth) const {
  const Coordinate& p = facing_.tip.point;
  for (int k = 0; k < 3; ++k) {
    const Vector3D e = triangle.corners[(k + 1) % 3] - triangle.corners[k];
    const double inside = triangle.normal.cross(e).dot(p - triangle.corners[k]);
    if (!(inside >= 0.0 && inside * inside >= depth * depth * e.squaredNorm())) return false;
  }
  return true;
}

/// Could a corner of the facing face lie over the triangle?
bool SurfaceCollider::mayHoldCorner(const SurfaceTriangle& triangle) const {
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

void SurfaceCollider::add(const SurfaceTriangle& triangle, const Vector3D& n, double offset,
                          NormalOwner owner, CandidateList& list) {
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
std::uint32_t SurfaceCollider::nameFeature(std::uint32_t triangle, std::uint32_t feature) const {
  const std::uint32_t onShape = feature & 0xFFFFu;
  const bool isCorner = (onShape >> 14) == static_cast<std::uint32_t>(FeatureKind::kCorner);
  const std::uint32_t number = onShape & 0x3FFFu;
  std::uint32_t place = number;
  if (!isCorner || number > 127) place = 128u | ((feature * 0x9E3779B1u) >> 25);
  return (surface_.region(triangle) << kTriangleShift) | place;
}

/// Closed form for a point core: the nearest point of the triangle.
double SurfaceCollider::addSphereContact(const SurfaceTriangle& triangle) {
  const Coordinate centre = pair_.p_AB;
  int feature = 0;
  const Coordinate q = nearestOnTriangle(triangle.corners, centre, feature);
  const Vector3D r = centre - q;
  const double distance = r.norm();
  if (feature == 6 || !(distance > tolerance::kTouching * size_)) {
    addFaceContact(triangle);
    return distance - radius_;
  }
  if (distance - radius_ > margin_) return distance - radius_;
  const Vector3D m = r / distance;
  if (judgeNormal(surface_, triangle, m) != NormalVerdict::kOwn) {  // a neighbour is nearer
    return distance - radius_;
  }
  CandidateList list;
  list.add({q, centre - radius_ * m, distance - radius_,
            featurePair(featureCode(FeatureKind::kSide, static_cast<std::uint32_t>(feature)),
                        featureCode(FeatureKind::kCorner, 0))});
  add(triangle, m, m.dot(q), NormalOwner::kNeither, list);
  return distance - radius_;
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

/// Nearest features while the cores are apart, else the way out. Returns a lower bound of the distance;
/// beyond the margin nothing else.
double SurfaceCollider::separate(const SurfaceTriangle& triangle, TriangleMemory::Start& start,
                                 Separation& separation, NormalVerdict& verdict) {
  pair_.a = makeTriangleView(triangle.corners.data());
  pair_.size = size_ + pair_.a.size;
  Simplex simplex;
  loadStart(pair_, start, simplex);
  const GjkOutcome outcome = runGjk(pair_, -guess_, sight_ + radius_, simplex);
  keepStart(simplex, start);
  if (outcome.status == GjkOutcome::Status::kFar) {
    const Vector3D m = -outcome.v.normalized();
    keepAxis(m, m.dot(pair_.supportB(-m)) - radius_);
    return outcome.lowerBound - radius_;
  }
  if (outcome.status == GjkOutcome::Status::kNear) {
    const double length = outcome.v.norm();
    separation = {outcome.v / -length, length, simplex.pointA(), simplex.pointB()};
    finishSeparation(pair_, separation);
    keepAxis(separation.normal, separation.normal.dot(separation.pointB));
    if (separation.gap > margin_) return separation.gap;
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
  if (separation.gap > margin_) return separation.gap;
  if ((separation.normal - triangle.normal).squaredNorm() <=
      tolerance::kNormalSnap * tolerance::kNormalSnap) {
    verdict = NormalVerdict::kFace;
  }
  return separation.gap;
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
double SurfaceCollider::addAnyContact(const SurfaceTriangle& triangle,
                                      TriangleMemory::Start& start) {
  Separation separation;
  NormalVerdict verdict = NormalVerdict::kElsewhere;
  const double distance = separate(triangle, start, separation, verdict);
  if (distance > margin_) return distance;
  if (verdict == NormalVerdict::kElsewhere) {
    if (separation.gap < orphan_gap_) {
      orphan_gap_ = separation.gap;
      orphan_ = triangle.index;
    }
    return distance;
  }
  if (verdict == NormalVerdict::kFace) {
    addFaceContact(triangle, std::min(separation.gap, 0.0));
    return distance;
  }
  CandidateList list;
  const NormalOwner owner = findContacts(pair_, margin_, separation, list);
  add(triangle, separation.normal, separation.normal.dot(separation.pointA),
      owner == NormalOwner::kBodyB ? NormalOwner::kBodyB : NormalOwner::kNeither, list);
  return distance;
}

int SurfaceCollider::write(const Placement& poseB, std::span<ContactManifold> out) const {
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

}  // namespace msd_sim
