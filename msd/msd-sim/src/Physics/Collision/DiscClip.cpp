#include "msd-sim/src/Physics/Collision/DiscClip.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

struct Flat {
  double x;
  double y;
  [[nodiscard]] double dot(const Flat& o) const { return x * o.x + y * o.y; }
};

/// Coordinates, in the disc's own axes, of the point of the disc's plane that lies on the line
/// through p along n.
Flat flatten(const ContactFace& disc, const Coordinate& p, const Vector3D& n) {
  const Vector3D r = projectToPlane(disc, p, n) - disc.points[0];
  return {disc.u.dot(r), disc.w.dot(r)};
}

Coordinate raise(const ContactFace& disc, const Flat& q) {
  return disc.points[0] + q.x * disc.u + q.y * disc.w;
}

bool isInsideDisc(const ContactFace& disc, const Flat& q) {
  return q.dot(q) <= disc.radius * disc.radius * (1.0 + tolerance::kClipSlack);
}

/// Is p, seen along n, inside a convex polygon whose outside looks against n?
bool isInsidePolygon(const ContactFace& polygon, const Coordinate& p, const Vector3D& n,
                     double slack) {
  for (int i = 0; i < polygon.count; ++i) {
    const Coordinate& corner = polygon.points[i];
    const Vector3D e = polygon.points[i + 1 == polygon.count ? 0 : i + 1] - corner;
    const Vector3D outward = n.cross(e);
    if (outward.dot(p - corner) > slack * e.norm()) return false;
  }
  return true;
}

std::array<Flat, 4> chooseRim(const ContactFace& disc, const Vector3D& otherNormal,
                              const Vector3D& n) {
  std::array<Flat, 4> rim{{{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}}};
  // gap(p) = (offset - m·p)/(m·n) of the other plane falls fastest along +m/(m·n).
  const double steep = otherNormal.dot(n);
  const Flat fall{otherNormal.dot(disc.u) / steep, otherNormal.dot(disc.w) / steep};
  const double slope = std::sqrt(fall.dot(fall));
  const double share = std::min(slope / tolerance::kFlatDisc, 1.0);
  const double weight = share * share * (3.0 - 2.0 * share);  // smooth, and deaf to rounding
  if (!(weight > 0.0)) return rim;
  const Flat deepest{fall.x / slope, fall.y / slope};
  const std::size_t nearest = std::abs(deepest.x) >= std::abs(deepest.y)
                                  ? (deepest.x > 0.0 ? 0u : 2u)
                                  : (deepest.y > 0.0 ? 1u : 3u);
  const Flat mixed{rim[nearest].x + weight * (deepest.x - rim[nearest].x),
                   rim[nearest].y + weight * (deepest.y - rim[nearest].y)};
  const double length = std::sqrt(mixed.dot(mixed));
  rim[nearest] = {mixed.x / length, mixed.y / length};
  return rim;
}

/// Adds the points of the rim for which `covers` holds, with their feet on the other face's plane.
template <class Covers>
void emitRim(const ContactFace& disc, const ContactFace& other, const Vector3D& n,
             const Covers& covers, const PairEmitter& emit) {
  const std::array<Coordinate, 4> rim = chooseRimPoints(disc, other.normal, n);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Coordinate foot = projectToPlane(other, rim[i], n);
    if (covers(foot)) {
      emit(rim[i], foot, featureCode(FeatureKind::kRim, i), featureCode(FeatureKind::kFace, 0));
    }
  }
}

/// Parameters at which q + t·d crosses the circle of the disc; false if it does not.
bool crossCircle(const ContactFace& disc, const Flat& q, const Flat& d, double& first,
                 double& second) {
  const double a = d.dot(d);
  if (!(a > 0.0)) return false;
  // Measured from the point of the line nearest to the centre, which keeps the roots accurate.
  const double middle = -q.dot(d) / a;
  const Flat foot{q.x + middle * d.x, q.y + middle * d.y};
  const double rest = disc.radius * disc.radius - foot.dot(foot);
  if (!(rest > 0.0)) return false;
  const double half = std::sqrt(rest / a);
  first = middle - half;
  second = middle + half;
  return true;
}

/// Moves a direction on the rim of `first` until its foot lies on the rim of `second`.
Flat polishCrossing(const ContactFace& first, const ContactFace& second, const Vector3D& n,
                    Flat direction) {
  for (int i = 0; i < 12; ++i) {
    const Coordinate p = raise(first, {first.radius * direction.x, first.radius * direction.y});
    const Flat q = flatten(second, p, n);
    const Vector3D tangent = direction.x * first.w - direction.y * first.u;
    const Flat moved = flatten(second, p + first.radius * tangent, n);
    const double rate = 2.0 * (q.x * (moved.x - q.x) + q.y * (moved.y - q.y));
    if (rate == 0.0) break;
    const double turn =
        std::clamp((second.radius * second.radius - q.dot(q)) / rate, -0.1, 0.1);
    const Flat turned{direction.x - turn * direction.y, direction.y + turn * direction.x};
    const double length = std::sqrt(turned.dot(turned));
    direction = {turned.x / length, turned.y / length};
  }
  return direction;
}

void emitCrossings(const ContactFace& first, const ContactFace& second, const Vector3D& n,
                   const PairEmitter& emit) {
  const Flat centre = flatten(first, second.points[0], n);
  const double distance2 = centre.dot(centre);
  const double distance = std::sqrt(distance2);
  const double r1 = first.radius;
  const double r2 = second.radius;
  if (!(distance > std::abs(r1 - r2)) || !(distance < r1 + r2)) return;
  const double along = (r1 * r1 - r2 * r2 + distance2) / (2.0 * distance);
  const double across = std::sqrt(std::max(r1 * r1 - along * along, 0.0));
  const Flat unit{centre.x / distance, centre.y / distance};
  for (std::uint32_t i = 0; i < 2; ++i) {
    const double side = i == 0 ? across : -across;
    const Flat guess{(along * unit.x - side * unit.y) / r1, (along * unit.y + side * unit.x) / r1};
    const Flat direction = polishCrossing(first, second, n, guess);
    const Coordinate p = raise(first, {r1 * direction.x, r1 * direction.y});
    const Flat landed = flatten(second, p, n);
    if (std::abs(landed.dot(landed) - r2 * r2) > tolerance::kSameDepth * r2 * r2) continue;
    emit(p, projectToPlane(second, p, n), featureCode(FeatureKind::kRim, 8 + i),
         featureCode(FeatureKind::kRim, 8 + i));
  }
}

}  // namespace

std::array<Coordinate, 4> chooseRimPoints(const ContactFace& disc, const Vector3D& otherNormal,
                                          const Vector3D& n) {
  const std::array<Flat, 4> rim = chooseRim(disc, otherNormal, n);
  std::array<Coordinate, 4> points;
  for (std::size_t i = 0; i < 4; ++i) {
    points[i] = raise(disc, {disc.radius * rim[i].x, disc.radius * rim[i].y});
  }
  return points;
}

void clipDiscs(const ContactFace& first, const ContactFace& second, const Vector3D& n,
               const PairEmitter& emit) {
  emitRim(
      first, second, n,
      [&](const Coordinate& foot) { return isInsideDisc(second, flatten(second, foot, n)); }, emit);
  emitRim(
      second, first, -n,
      [&](const Coordinate& foot) { return isInsideDisc(first, flatten(first, foot, n)); },
      emit.mirrored());
  // From both circles: Newton's method may fail on one of two tilted discs. Twins merge later.
  emitCrossings(first, second, n, emit);
  emitCrossings(second, first, -n, emit.mirrored());
}

void clipDiscToPlane(const ContactFace& disc, const ContactFace& plane, const Vector3D& n,
                     const PairEmitter& emit) {
  emitRim(disc, plane, n, [](const Coordinate&) { return true; }, emit);
}

void clipDiscToPolygon(const ContactFace& disc, const ContactFace& polygon, const Vector3D& n,
                       double size, const PairEmitter& emit) {
  const double slack = tolerance::kClipSlack * size;
  emitRim(
      disc, polygon, n,
      [&](const Coordinate& foot) { return isInsidePolygon(polygon, foot, n, slack); }, emit);
  Flat q = flatten(disc, polygon.points[0], n);
  for (int i = 0; i < polygon.count; ++i) {
    const Coordinate& corner = polygon.points[i];
    const Coordinate& next = polygon.points[i + 1 == polygon.count ? 0 : i + 1];
    if (isInsideDisc(disc, q)) {
      emit(raise(disc, q), corner, featureCode(FeatureKind::kFace, 0),
           featureCode(FeatureKind::kCorner, polygon.corners[i]));
    }
    const Flat r = flatten(disc, next, n);
    const Flat d{r.x - q.x, r.y - q.y};
    double first = 0.0;
    double second = 0.0;
    if (crossCircle(disc, q, d, first, second)) {
      std::uint32_t code = 16;
      for (const double t : {first, second}) {
        if (t > 0.0 && t < 1.0) {
          emit(raise(disc, {q.x + t * d.x, q.y + t * d.y}), corner + t * (next - corner),
               featureCode(FeatureKind::kRim, code),
               featureCode(FeatureKind::kSide, polygon.sides[i]));
        }
        ++code;
      }
    }
    q = r;
  }
}

void clipSegmentToDisc(const ContactFace& disc, const ContactFace& segment, const Vector3D& n,
                       const PairEmitter& emit) {
  const Flat q = flatten(disc, segment.points[0], n);
  const Flat r = flatten(disc, segment.points[1], n);
  const Flat d{r.x - q.x, r.y - q.y};
  double first = 0.0;
  double second = 0.0;
  const bool crosses = crossCircle(disc, q, d, first, second);
  if (!crosses && !isInsideDisc(disc, q)) return;
  const double lower = crosses ? std::max(first, 0.0) : 0.0;
  const double upper = crosses ? std::min(second, 1.0) : 1.0;
  if (lower > upper) return;
  const Vector3D e = segment.points[1] - segment.points[0];
  for (const double t : {lower, upper}) {
    const bool isEnd = t == 0.0 || t == 1.0;
    const std::size_t k = t < 0.5 ? 0 : 1;
    const std::uint32_t code = isEnd ? featureCode(FeatureKind::kCorner, segment.corners[k])
                                     : featureCode(FeatureKind::kSide, segment.sides[0]);
    Coordinate p = segment.points[0] + t * e;
    if (!isEnd && segment.isCapsule) liftToCapsule(segment, -n, p);
    emit(raise(disc, {q.x + t * d.x, q.y + t * d.y}), p,
         featureCode(isEnd ? FeatureKind::kFace : FeatureKind::kRim,
                     isEnd ? 0u : 24u + static_cast<std::uint32_t>(t == upper ? 1 : 0)),
         code);
  }
}

}  // namespace msd_sim
