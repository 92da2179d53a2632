#include "msd-sim/src/Physics/Collision/FaceClip.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/DiscClip.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

using Kind = ContactFace::Kind;

/// A corner of the polygon being clipped. Every corner is where two lines meet; the tag says which
/// line leaves it: a side of the clipped polygon or, with kClipper, of the clipping one.
struct ClipVertex {
  double x;
  double y;
  double height;
  std::uint16_t tag;
};
constexpr std::uint16_t kClipper = 0x8000u;

struct ClipPolygon {
  std::array<ClipVertex, 2 * ContactFace::kMaxCorners + 4> items;
  int count;
  ClipPolygon() : count{0} {}
};

ClipVertex interpolate(const ClipVertex& p, const ClipVertex& q, double t, std::uint16_t tag) {
  return {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.height + t * (q.height - p.height), tag};
}

/// Keeps what lies left of the line through (x0, y0) along (ex, ey). Returns false, leaving `out`
/// alone, when nothing is cut off.
bool clipAgainstSide(const ClipPolygon& in, double x0, double y0, double ex, double ey,
                     std::uint16_t side, double slack, ClipPolygon& out) {
  // Distances times the length of the side; the slack allows for that.
  std::array<double, 2 * ContactFace::kMaxCorners + 4> distance;
  const double limit = -slack * (std::abs(ex) + std::abs(ey));
  bool isCut = false;
  for (int i = 0; i < in.count; ++i) {
    distance[i] = ex * (in.items[i].y - y0) - ey * (in.items[i].x - x0);
    isCut |= distance[i] < limit;
  }
  if (!isCut) return false;
  out.count = 0;
  int from = in.count - 1;
  for (int to = 0; to < in.count; from = to++) {
    const bool wasInside = distance[from] >= limit;
    const bool isInside = distance[to] >= limit;
    if (wasInside != isInside) {
      const double t =
          std::clamp(distance[from] / (distance[from] - distance[to]), 0.0, 1.0);
      const std::uint16_t tag =
          wasInside ? static_cast<std::uint16_t>(side | kClipper) : in.items[from].tag;
      out.items[out.count++] = interpolate(in.items[from], in.items[to], t, tag);
    }
    if (isInside) out.items[out.count++] = in.items[to];
  }
  return true;
}

/// Loads `face` counter-clockwise as seen along n, where its outside looks against n.
void loadReversed(const ContactFace& face, const TangentFrame& frame, const Vector3D& n,
                  ClipPolygon& out) {
  out.count = face.count;
  for (int i = 0; i < face.count; ++i) {
    const int k = face.count - 1 - i;
    const Coordinate& p = face.points[k];
    const int side = k == 0 ? face.count - 1 : k - 1;
    out.items[i] = {frame.t1.dot(p), frame.t2.dot(p), n.dot(p), static_cast<std::uint16_t>(side)};
  }
}

/// The corner at which sides `first` and `second` of a polygon meet; -1 if they do not.
int sharedCorner(const ContactFace& face, int first, int second) {
  if ((first + 1) % face.count == second) return second;
  if ((second + 1) % face.count == first) return first;
  return -1;
}

void emitPolygon(const ContactFace& a, const ContactFace& b, const Vector3D& n,
                 const TangentFrame& frame, const ClipPolygon& polygon, CandidateList& out) {
  const double slopeX = a.normal.dot(frame.t1);
  const double slopeY = a.normal.dot(frame.t2);
  const double steep = a.normal.dot(n);
  for (int i = 0; i < polygon.count; ++i) {
    const ClipVertex& vertex = polygon.items[i];
    const std::uint16_t in = polygon.items[i == 0 ? polygon.count - 1 : i - 1].tag;
    const std::uint16_t leaving = vertex.tag;
    const double heightA = (a.offset - slopeX * vertex.x - slopeY * vertex.y) / steep;
    ContactCandidate candidate;
    candidate.gap = vertex.height - heightA;
    const bool inIsA = (in & kClipper) != 0;
    const bool leavingIsA = (leaving & kClipper) != 0;
    const int inSide = in & ~kClipper;
    const int leavingSide = leaving & ~kClipper;
    const int corner =
        inIsA == leavingIsA ? sharedCorner(inIsA ? a : b, inSide, leavingSide) : -1;
    if (corner >= 0 && !inIsA) {
      candidate.b = b.points[corner];
      candidate.a = candidate.b - candidate.gap * n;
      candidate.feature = featurePair(featureCode(FeatureKind::kFace, 0),
                                      featureCode(FeatureKind::kCorner, b.corners[corner]));
    } else if (corner >= 0) {
      candidate.a = a.points[corner];
      candidate.b = candidate.a + candidate.gap * n;
      candidate.feature = featurePair(featureCode(FeatureKind::kCorner, a.corners[corner]),
                                      featureCode(FeatureKind::kFace, 0));
    } else {
      const int sideA = inIsA || !leavingIsA ? inSide : leavingSide;
      const int sideB = inIsA ? leavingSide : inSide;
      candidate.b = vertex.x * frame.t1 + vertex.y * frame.t2 + vertex.height * n;
      candidate.a = candidate.b - candidate.gap * n;
      candidate.feature =
          featurePair(featureCode(FeatureKind::kSide, a.sides[sideA % a.count]),
                      featureCode(FeatureKind::kSide, b.sides[sideB % b.count]));
    }
    out.add(candidate);
  }
}

void clipPolygons(const ContactFace& a, const ContactFace& b, const Vector3D& n, double size,
                  CandidateList& out) {
  const TangentFrame frame{n};
  const double slack = tolerance::kClipSlack * size;
  std::array<ClipPolygon, 2> buffers;
  int current = 0;
  loadReversed(b, frame, n, buffers[0]);
  double x0 = frame.t1.dot(a.points[0]);
  double y0 = frame.t2.dot(a.points[0]);
  for (int i = 0; i < a.count; ++i) {
    const Coordinate& next = a.points[i + 1 == a.count ? 0 : i + 1];
    const double x1 = frame.t1.dot(next);
    const double y1 = frame.t2.dot(next);
    if (clipAgainstSide(buffers[current], x0, y0, x1 - x0, y1 - y0, static_cast<std::uint16_t>(i),
                        slack, buffers[1 - current])) {
      current = 1 - current;
      if (buffers[current].count == 0) return;
    }
    x0 = x1;
    y0 = y1;
  }
  out.isRing = out.count == 0;
  emitPolygon(a, b, n, frame, buffers[current], out);
}

/// Everything over a half space is a contact: corners and ends as they are.
void clipCornersToPlane(const ContactFace& plane, const ContactFace& face, const Vector3D& n,
                        const PairEmitter& emit) {
  for (int i = 0; i < face.count; ++i) {
    const Coordinate foot = projectToPlane(plane, face.points[i], n);
    emit(foot, face.points[i], featureCode(FeatureKind::kFace, 0),
         featureCode(FeatureKind::kCorner, face.corners[i]));
  }
}

/// The part of a segment that lies over a polygon.
void clipSegmentToPolygon(const ContactFace& polygon, const ContactFace& segment,
                          const Vector3D& n, double size, const PairEmitter& emit) {
  const TangentFrame frame{n};
  const double slack = tolerance::kClipSlack * size;
  const Coordinate& p = segment.points[0];
  const Vector3D d = segment.points[1] - p;
  double lower = 0.0;
  double upper = 1.0;
  std::uint32_t lowerCode = featureCode(FeatureKind::kFace, 0);
  std::uint32_t upperCode = lowerCode;
  for (int i = 0; i < polygon.count; ++i) {
    const Coordinate& corner = polygon.points[i];
    const Vector3D e = polygon.points[i + 1 == polygon.count ? 0 : i + 1] - corner;
    Vector3D inward = n.cross(e);
    const double length = inward.norm();
    if (!(length > 0.0)) continue;
    inward /= length;
    const double at = inward.dot(p - corner) + slack;
    const double rate = inward.dot(d);
    if (at < 0.0 && at + rate < 0.0) return;
    const std::uint32_t code = featureCode(FeatureKind::kSide, polygon.sides[i]);
    if (at < 0.0 && -at / rate > lower) {
      lower = -at / rate;
      lowerCode = code;
    } else if (at + rate < 0.0 && -at / rate < upper) {
      upper = -at / rate;
      upperCode = code;
    }
  }
  if (lower > upper) return;
  const auto end = [&](double t, std::uint32_t code, int k) {
    const bool isCorner = t == static_cast<double>(k);
    Coordinate q = isCorner ? segment.points[k] : Coordinate{p + t * d};
    if (!isCorner && segment.isCapsule) liftToCapsule(segment, -n, q);
    emit(projectToPlane(polygon, q, n), q, code,
         isCorner ? featureCode(FeatureKind::kCorner, segment.corners[k])
                  : featureCode(FeatureKind::kSide, segment.sides[0]));
  };
  end(lower, lowerCode, 0);
  end(upper, upperCode, 1);
}

/// Two segments side by side touch along a line: the ends of their common stretch. The sideways
/// distance between them must be too small to matter for the gap on their curved sides.
void clipSegments(const ContactFace& a, const ContactFace& b, const Vector3D& n, double size,
                  CandidateList& out) {
  const Vector3D da = a.points[1] - a.points[0];
  const Vector3D db = b.points[1] - b.points[0];
  const double lengthA = da.norm();
  const double lengthB = db.norm();
  if (!(lengthA > 0.0) || !(lengthB > 0.0)) return;
  if (da.cross(db).norm() > tolerance::kParallelSine * lengthA * lengthB) return;
  const double bend = a.bend + b.bend + size * tolerance::kLineContact;
  const double sideways2 = tolerance::kLineContact * size * bend;
  const auto footOnA = [&](const Coordinate& p) { return (p - a.points[0]).dot(da) / (lengthA * lengthA); };
  const auto footOnB = [&](const Coordinate& p) { return (p - b.points[0]).dot(db) / (lengthB * lengthB); };
  const double t0 = footOnA(b.points[0]);
  const double t1 = footOnA(b.points[1]);
  const double lowerB = std::min(t0, t1);
  const double upperB = std::max(t0, t1);
  if (std::max(0.0, lowerB) > std::min(1.0, upperB)) return;
  for (const int end : {0, 1}) {
    // The common stretch ends where either segment does; the other point is the foot of that end.
    const bool isEndOfA = end == 0 ? lowerB <= 0.0 : upperB >= 1.0;
    ContactCandidate candidate;
    if (isEndOfA) {
      candidate.a = a.points[end];
      candidate.b = b.points[0] + std::clamp(footOnB(candidate.a), 0.0, 1.0) * db;
      candidate.feature = featurePair(featureCode(FeatureKind::kCorner, a.corners[end]),
                                      featureCode(FeatureKind::kSide, b.sides[0]));
    } else {
      const int endB = (end == 0) == (t0 <= t1) ? 0 : 1;
      candidate.b = b.points[endB];
      candidate.a = a.points[0] + std::clamp(footOnA(candidate.b), 0.0, 1.0) * da;
      candidate.feature = featurePair(featureCode(FeatureKind::kSide, a.sides[0]),
                                      featureCode(FeatureKind::kCorner, b.corners[endB]));
    }
    const Vector3D r = candidate.b - candidate.a;
    candidate.gap = n.dot(r);
    const double passed2 = (r - candidate.gap * n).squaredNorm();
    if (!(passed2 <= sideways2)) continue;
    // Round sides that pass each other sideways by s are farther apart by sqrt(L² + s²) - L, L being
    // the distance of their axes along n.
    const double axes = a.bend + b.bend + candidate.gap;
    if (a.bend + b.bend > 0.0 && axes > 0.0) {
      const double drop = passed2 / (axes + std::sqrt(axes * axes + passed2));
      candidate.gap += drop;
      if (b.bend > 0.0) {
        candidate.b += drop * n;
      } else {
        candidate.a -= drop * n;
      }
    }
    out.add(candidate);
  }
}

/// `first` has an area; `n` points from it to `second`.
void clipArea(const ContactFace& first, const ContactFace& second, const Vector3D& n, double size,
              const PairEmitter& emit) {
  if (first.kind == Kind::kHalfSpace) {
    if (second.kind == Kind::kDisc) {
      clipDiscToPlane(second, first, -n, emit.mirrored());
    } else {
      clipCornersToPlane(first, second, n, emit);
    }
  } else if (first.kind == Kind::kPolygon) {
    if (second.kind == Kind::kDisc) {
      clipDiscToPolygon(second, first, -n, size, emit.mirrored());
    } else {
      clipSegmentToPolygon(first, second, n, size, emit);
    }
  } else {
    clipSegmentToDisc(first, second, n, emit);
  }
}

int rank(Kind kind) {
  switch (kind) {
    case Kind::kHalfSpace:
      return 4;
    case Kind::kPolygon:
      return 3;
    case Kind::kDisc:
      return 2;
    case Kind::kSegment:
      return 1;
    case Kind::kPoint:
      break;
  }
  return 0;
}

}  // namespace

TangentFrame::TangentFrame(const Vector3D& n) {
  // T. Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  const double b = n.x() * n.y() * a;
  t1 = {1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x()};
  t2 = {b, sign + n.y() * n.y() * a, -n.y()};
}

void clipFaces(const ContactFace& a, const ContactFace& b, const Vector3D& n, double size,
               CandidateList& out) {
  if (a.kind == Kind::kPolygon && b.kind == Kind::kPolygon) {
    clipPolygons(a, b, n, size, out);
    return;
  }
  if (a.kind == Kind::kSegment && b.kind == Kind::kSegment) {
    clipSegments(a, b, n, size, out);
    return;
  }
  const bool isSwapped = rank(b.kind) > rank(a.kind);
  const PairEmitter emit{isSwapped ? Vector3D{-n} : n, isSwapped, out};
  const ContactFace& first = isSwapped ? b : a;
  const ContactFace& second = isSwapped ? a : b;
  if (first.kind == Kind::kDisc && second.kind == Kind::kDisc) {
    clipDiscs(first, second, emit.normal, emit);
  } else if (first.kind == Kind::kHalfSpace || second.kind != Kind::kPoint) {
    clipArea(first, second, emit.normal, size, emit);
  }
}

}  // namespace msd_sim
