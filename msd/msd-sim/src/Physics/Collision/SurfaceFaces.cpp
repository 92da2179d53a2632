// Contacts along the normal of a triangle.
#include <algorithm>
#include <limits>

#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/SurfaceCollider.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

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

}  // namespace

/// The point of the shape that lies deepest over the triangle, seen along the triangle's normal: the
/// shape is lifted off and let down again until it touches (K-10). The gap along the normal of the nearest
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

}  // namespace msd_sim
