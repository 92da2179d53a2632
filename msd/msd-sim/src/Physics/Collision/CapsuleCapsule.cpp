#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

/// Two axes, in world directions about the centre of A: a(s) = s·u, b(t) = r + t·w.
struct Axes {
  Vector3D u;
  Vector3D w;
  Vector3D r;
  double halfA;
  double halfB;
  double cosine;  ///< u·w
};

struct Parameters {
  double s;
  double t;
};

/// Nearest points of two segments: stationary on the lines, then clamped to the ends.
Parameters findNearest(const Axes& axes) {
  const double c = -axes.u.dot(axes.r);
  const double f = -axes.w.dot(axes.r);
  const double sine2 = 1.0 - axes.cosine * axes.cosine;
  const double s0 = sine2 > tolerance::kUlp ? (axes.cosine * f - c) / sine2 : -c;
  double s = std::clamp(s0, -axes.halfA, axes.halfA);
  double t = axes.cosine * s + f;
  if (std::abs(t) > axes.halfB) {
    t = std::clamp(t, -axes.halfB, axes.halfB);
    s = std::clamp(axes.cosine * t - c, -axes.halfA, axes.halfA);
  }
  return {s, t};
}

std::uint32_t endCode(double parameter, double half) {
  if (parameter >= half) return featureCode(FeatureKind::kCorner, 1);
  if (parameter <= -half) return featureCode(FeatureKind::kCorner, 0);
  return featureCode(FeatureKind::kSide, 0);
}

/// Unit direction from an axis point to the surface near d: square to the axis, except over a cap.
Vector3D outward(const Vector3D& d, const Vector3D& axis, double parameter, double half) {
  const double along = axis.dot(d);
  const bool isOverCap = std::abs(parameter) >= half && along * parameter >= 0.0;
  if (isOverCap) return d;
  const Vector3D square = d - along * axis;
  const double length = square.norm();
  return length > 0.0 ? Vector3D{square / length} : d;
}

class Writer {
 public:
  Writer(const CollisionShape& a, const CollisionShape& b, const Axes& axes,
         const Coordinate& origin, double margin, ContactManifold& out)
      : a_{a}, b_{b}, axes_{axes}, origin_{origin}, margin_{margin}, out_{out} {}

  /// The nearest points: the normal is the line between them.
  void addNearest(const Parameters& p, const Vector3D& n, double gap) const {
    write(p, p.s * axes_.u + a_.radius * n, axes_.r + p.t * axes_.w - b_.radius * n, gap);
  }

  /// Adds the pair of surface points that face each other along the line between two axis points.
  void addAlong(const Parameters& p, const Vector3D& n, const Vector3D& along) const {
    const Vector3D pointA = p.s * axes_.u + a_.radius * outward(along, axes_.u, p.s, axes_.halfA);
    const Vector3D pointB =
        axes_.r + p.t * axes_.w + b_.radius * outward(-along, axes_.w, p.t, axes_.halfB);
    const double gap = n.dot(pointB - pointA);
    if (gap <= margin_) write(p, pointA, pointB, gap);
  }

  /// The same where that line leaves the normal: points that lie on one line along it, between the
  /// surfaces.
  void addAcross(const Parameters& p, const Vector3D& n, const Vector3D& along) const {
    const Vector3D pointA = p.s * axes_.u + a_.radius * along;
    const Vector3D pointB = axes_.r + p.t * axes_.w - b_.radius * along;
    const Vector3D middle = 0.5 * (pointA + pointB);
    const double gap = n.dot(pointB - pointA);
    if (gap <= margin_) write(p, middle - 0.5 * gap * n, middle + 0.5 * gap * n, gap);
  }

 private:
  void write(const Parameters& p, const Vector3D& pointA, const Vector3D& pointB,
             double gap) const {
    out_.points[out_.count++] = {origin_ + pointA, origin_ + pointB, gap,
                                 featurePair(endCode(p.s, axes_.halfA), endCode(p.t, axes_.halfB))};
  }

  const CollisionShape& a_;
  const CollisionShape& b_;
  const Axes& axes_;
  const Coordinate& origin_;
  double margin_;
  ContactManifold& out_;
};

/// The stretch of A's axis that B lies beside: it ends where either capsule does.
struct Stretch {
  explicit Stretch(const Axes& axes) {
    const double middle = axes.u.dot(axes.r);
    const double reach = axes.halfB * axes.cosine;
    lowerB = std::min(middle - reach, middle + reach);
    upperB = std::max(middle - reach, middle + reach);
    length = std::min(axes.halfA, upperB) - std::max(-axes.halfA, lowerB);
  }

  [[nodiscard]] Parameters end(const Axes& axes, double side) const {
    const bool isEndOfA = side < 0.0 ? -axes.halfA >= lowerB : axes.halfA <= upperB;
    Parameters p;
    if (isEndOfA) {
      p.s = side * axes.halfA;
      p.t = std::clamp(axes.w.dot(p.s * axes.u - axes.r), -axes.halfB, axes.halfB);
    } else {
      p.t = axes.cosine < 0.0 ? -side * axes.halfB : side * axes.halfB;
      p.s = std::clamp(axes.u.dot(axes.r + p.t * axes.w), -axes.halfA, axes.halfA);
    }
    return p;
  }

  double lowerB, upperB;  ///< ends of B on the axis of A
  double length;
};

/// Capsules side by side touch along a line: the two ends of the stretch they share.
/// `overlap` is the distance of the axes below which an end counts although the line between the
/// axes there leaves the common normal; 0 where none does [m].
void addLine(const Axes& axes, const Vector3D& n, double size, double overlap,
             const Writer& writer) {
  const Stretch stretch{axes};
  if (!(stretch.length > tolerance::kSamePoint * size)) return;
  for (const double side : {-1.0, 1.0}) {
    const Parameters p = stretch.end(axes, side);
    const Vector3D along = axes.r + p.t * axes.w - p.s * axes.u;
    const double length = along.norm();
    // The line between the axes must still point along the common normal.
    if (!(length > tolerance::kTouching * size)) continue;
    if (n.dot(along) > tolerance::kLineCosine * length) {
      writer.addAlong(p, n, along / length);
    } else if (length < overlap && n.dot(along) > kDeepLineCosine * length) {
      writer.addAcross(p, n, along / length);
    }
  }
}

/// Capsules that touch with one end and stand open like scissors may shut in the step (K-19): the
/// other end of the stretch they share, where it is within the margin.
void addFarEnd(const Axes& axes, const Vector3D& n, double size, const Parameters& nearest,
               const Writer& writer) {
  const Stretch stretch{axes};
  if (!(stretch.length > tolerance::kSamePoint * size)) return;
  const Parameters ends[2] = {stretch.end(axes, -1.0), stretch.end(axes, 1.0)};
  const bool isLower = std::abs(ends[0].s - nearest.s) > std::abs(ends[1].s - nearest.s);
  const Parameters& p = ends[isLower ? 0 : 1];
  const Vector3D along = axes.r + p.t * axes.w - p.s * axes.u;
  const double length = along.norm();
  if (length > tolerance::kTouching * size && n.dot(along) > kDeepLineCosine * length)
    writer.addAcross(p, n, along / length);
}

}  // namespace

void collideCapsuleCapsule(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                           const Placement& poseB, double margin, ManifoldCache& /*cache*/,
                           ContactManifold& out) {
  Axes axes;
  axes.u = poseA.rotation.col(2);
  axes.w = poseB.rotation.col(2);
  axes.r = poseB.position - poseA.position;
  axes.halfA = a.halfHeight;
  axes.halfB = b.halfHeight;
  axes.cosine = axes.u.dot(axes.w);
  const Parameters nearest = findNearest(axes);
  const Vector3D between = axes.r + nearest.t * axes.w - nearest.s * axes.u;
  const double distance = between.norm();
  const double size = a.size + b.size;
  const double gap = distance - a.radius - b.radius;
  out.count = 0;
  out.owner = NormalOwner::kNeither;
  out.separation = std::max(gap, 0.0);
  if (gap > margin) {
    out.normal = between / distance;
    return;
  }

  Vector3D n;
  if (distance > tolerance::kTouching * size) {
    n = between / distance;
  } else {  // the axes cross: out along the common perpendicular
    const Vector3D cross = axes.u.cross(axes.w);
    const double sine = cross.norm();
    n = sine > tolerance::kCrossingSine ? Vector3D{cross / sine} : TangentFrame{axes.u}.t1;
  }
  out.normal = n;
  const Writer writer{a, b, axes, poseA.position, margin, out};
  const double sine2 = 1.0 - axes.cosine * axes.cosine;
  const double radii = a.radius + b.radius;
  const bool isDeep = gap < -kDeepLine * radii && std::abs(axes.cosine) > kDeepLineCosine;
  if (isDeep || sine2 < tolerance::kParallelSine * tolerance::kParallelSine) {
    addLine(axes, n, size, isDeep ? radii : 0.0, writer);
  }
  const double deepest = gap + tolerance::kSameDepth * size;
  bool hasDeepest = false;
  for (int i = 0; i < out.count; ++i) hasDeepest |= out.points[i].gap <= deepest;
  if (!hasDeepest) writer.addNearest(nearest, n, gap);
  if (out.count == 1 && std::abs(axes.cosine) > kDeepLineCosine)
    addFarEnd(axes, n, size, nearest, writer);
}

}  // namespace msd_sim
