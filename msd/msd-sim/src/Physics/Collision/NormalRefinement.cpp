#include "msd-sim/src/Physics/Collision/NormalRefinement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeLanes.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

using Core = ConvexView::Core;

/// A corner, an edge's line, a rim, or the axis of a cylinder's side, in the frame of A.
struct Curve {
  enum class Kind : std::uint8_t { kPoint, kLine, kCircle };

  Kind kind{Kind::kPoint};
  Coordinate origin{Coordinate::Zero()};
  Vector3D u{Vector3D::Zero()};  ///< line: unit direction; circle: first axis
  Vector3D w{Vector3D::Zero()};  ///< circle: second axis
  double radius{0.0};            ///< circle [m]
  double offset{0.0};            ///< distance of the surface from the curve [m]
  // Where on the curve: u·(x, y) for a circle with x² + y² = 1, u·x for a line.
  double x{0.0};
  double y{0.0};
  double lower{0.0};  ///< line: where it begins and ends
  double upper{0.0};

  [[nodiscard]] Coordinate position() const {
    switch (kind) {
      case Kind::kLine:
        return origin + x * u;
      case Kind::kCircle:
        return origin + radius * (x * u + y * w);
      case Kind::kPoint:
        break;
    }
    return origin;
  }
  [[nodiscard]] Vector3D tangent() const {
    switch (kind) {
      case Kind::kLine:
        return u;
      case Kind::kCircle:
        return radius * (x * w - y * u);
      case Kind::kPoint:
        break;
    }
    return Vector3D::Zero();
  }
  /// Second derivative with respect to the parameter.
  [[nodiscard]] Vector3D bend() const {
    return kind == Kind::kCircle ? Vector3D{-radius * (x * u + y * w)} : Vector3D::Zero();
  }
  void advance(double step) {
    if (kind == Kind::kLine) {
      x += step;
    } else if (kind == Kind::kCircle) {
      const double half = 0.5 * std::clamp(step, -1.0, 1.0);  // Cayley map: stays on the circle
      const double c = (1.0 - half * half) / (1.0 + half * half);
      const double s = 2.0 * half / (1.0 + half * half);
      const double turned = c * x - s * y;
      y = s * x + c * y;
      x = turned;
      const double scale = 1.0 / std::sqrt(x * x + y * y);
      x *= scale;
      y *= scale;
    }
  }
  /// Moves the start to the place nearest to p.
  void start(const Coordinate& p) {
    const Vector3D r = p - origin;
    x = u.dot(r);
    if (kind != Kind::kCircle) return;
    y = w.dot(r);
    const double length = std::sqrt(x * x + y * y);
    if (length > 0.0) {
      x /= length;
      y /= length;
    } else {
      x = 1.0;
      y = 0.0;
    }
  }
};

struct CurveList {
  std::array<Curve, 3> items;
  int count{0};
  void add(const Curve& curve) { items[count++] = curve; }
};

Curve makePoint(const Coordinate& p) {
  Curve curve;
  curve.origin = p;
  return curve;
}

Curve makeLine(const Coordinate& p, const Vector3D& unit, double lower, double upper) {
  Curve curve;
  curve.kind = Curve::Kind::kLine;
  curve.origin = p;
  curve.u = unit;
  curve.lower = lower;
  curve.upper = upper;
  return curve;
}

void addCylinderCurves(const ConvexView& view, const Vector3D& d, CurveList& list) {
  const double height = d.z() > 0.0 ? view.extents.z() : -view.extents.z();
  Curve rim;
  rim.kind = Curve::Kind::kCircle;
  rim.origin = {0.0, 0.0, height};
  rim.u = Vector3D::UnitX();
  rim.w = Vector3D::UnitY();
  rim.radius = view.extents.x();
  list.add(rim);
  if (std::abs(d.z()) < 0.5) {
    Curve side =
        makeLine(Coordinate::Zero(), Vector3D::UnitZ(), -view.extents.z(), view.extents.z());
    side.offset = view.extents.x();
    list.add(side);
  }
}

/// The corner farthest along d and the two of its edges that fall off least.
void addPolytopeCurves(const ConvexView& view, const Vector3D& d, CurveList& list) {
  const SupportVertex tip = supportCore(view, d);
  list.add(makePoint(tip.point));
  std::array<Vector3D, 2> directions;
  std::array<double, 2> slopes{2.0, 2.0};
  std::array<double, 2> lengths{};
  const auto consider = [&](const Coordinate& other) {
    const Vector3D e = other - tip.point;
    const double length = e.norm();
    if (!(length > 0.0)) return;
    const double slope = -d.dot(e) / length;
    if (slope < slopes[0]) {
      slopes[1] = slopes[0];
      directions[1] = directions[0];
      lengths[1] = lengths[0];
      slopes[0] = slope;
      directions[0] = e / length;
      lengths[0] = length;
    } else if (slope < slopes[1]) {
      slopes[1] = slope;
      directions[1] = e / length;
      lengths[1] = length;
    }
  };
  switch (view.core) {
    case Core::kSegment:
      consider(-tip.point);
      break;
    case Core::kTriangle:
      for (std::uint32_t i = 0; i < 3; ++i) {
        if (i != tip.id) consider(view.corners[i]);
      }
      break;
    case Core::kBox:
      for (std::uint32_t axis = 0; axis < 3; ++axis) consider(corner(view, tip.id ^ (1u << axis)));
      break;
    case Core::kHull:
      for (const std::uint16_t i : view.hull->vertexEdges(tip.id)) {
        const auto& edge = view.hull->edges()[i];
        consider(corner(view, edge.vertex0 == tip.id ? edge.vertex1 : edge.vertex0));
      }
      break;
    case Core::kPrism:
      for (std::uint32_t i = 0; i < 2 * view.paddedCount; ++i) {
        if (i != tip.id) consider(corner(view, i));
      }
      break;
    case Core::kPoint:
    case Core::kCylinder:
      break;
  }
  for (int i = 0; i < 2; ++i) {
    if (slopes[i] < 0.5) list.add(makeLine(tip.point, directions[i], 0.0, lengths[i]));
  }
}

CurveList listCurves(const ConvexView& view, const Vector3D& d) {
  CurveList list;
  if (view.core == Core::kCylinder) {
    addCylinderCurves(view, d, list);
  } else {
    addPolytopeCurves(view, d, list);
  }
  return list;
}

/// Makes the distance of two curves stationary. False if the equations are singular.
bool solveStationary(Curve& a, Curve& b) {
  const bool movesA = a.kind != Curve::Kind::kPoint;
  const bool movesB = b.kind != Curve::Kind::kPoint;
  for (int i = 0; i < 16; ++i) {
    const Vector3D r = b.position() - a.position();
    const Vector3D ta = a.tangent();
    const Vector3D tb = b.tangent();
    const double fa = r.dot(ta);
    const double fb = r.dot(tb);
    const double aa = movesA ? r.dot(a.bend()) - ta.squaredNorm() : 1.0;
    const double bb = movesB ? r.dot(b.bend()) + tb.squaredNorm() : 1.0;
    const double ab = ta.dot(tb);
    // [aa  ab; -ab  bb] (ds, dt) = -(fa, fb)
    const double det = aa * bb + ab * ab;
    if (!(std::abs(det) > 1e-12 * (std::abs(aa * bb) + ab * ab))) return false;
    const double ds = (-fa * bb + fb * ab) / det;
    const double dt = (-aa * fb - ab * fa) / det;
    if (movesA) a.advance(ds);
    if (movesB) b.advance(dt);
    const double scaleA = a.kind == Curve::Kind::kLine ? r.norm() + std::abs(a.x) : 1.0;
    const double scaleB = b.kind == Curve::Kind::kLine ? r.norm() + std::abs(b.x) : 1.0;
    if (std::abs(ds) <= tolerance::kNewtonStep * scaleA &&
        std::abs(dt) <= tolerance::kNewtonStep * scaleB) {
      break;
    }
  }
  return true;
}

/// Two parallel lines: any point of one and its foot on the other.
void footOfParallel(const Curve& a, Curve& b) { b.start(a.position()); }

/// Unit normal from A to B at a stationary pair, on the side of `guess`; false if it is not defined.
bool computeNormal(const Curve& a, const Curve& b, const Vector3D& guess, double size,
                   Vector3D& normal) {
  const Vector3D ta = a.tangent();
  const Vector3D tb = b.tangent();
  const Vector3D cross = ta.cross(tb);
  const double crossing = cross.norm();
  if (crossing > tolerance::kCrossingSine * ta.norm() * tb.norm() && crossing > 0.0) {
    normal = cross / crossing;
  } else {
    const Vector3D r = b.position() - a.position();
    const double length = r.norm();
    if (!(length > 1e-9 * size)) return false;
    normal = r / length;
  }
  if (normal.dot(guess) < 0.0) normal = -normal;
  return true;
}

/// Keeps the best separation found so far. Exact kinds of normals win over approximate ones that are
/// no better than rounding.
struct Best {
  enum class Source : std::uint8_t { kStart, kFaceA, kFaceB, kCurves };

  Separation separation;
  double score;
  Source source{Source::kStart};
  bool isSettled{false};  ///< a local maximum, points and all
};

bool tryNormal(const ConvexPair& pair, const Vector3D& n, double preference, Best::Source source,
               Best& best) {
  const double gap = pair.gapAlong(n) + pair.a.radius + pair.b.radius;
  const double score = gap + preference * tolerance::kSameGap * pair.size;
  if (!(score > best.score)) return false;
  best.score = score;
  best.separation.normal = n;
  best.separation.gap = gap;
  best.source = source;
  return true;
}

bool isOnCurve(const Curve& curve, double slack) {
  return curve.kind != Curve::Kind::kLine ||
         (curve.x >= curve.lower - slack && curve.x <= curve.upper + slack);
}

/// Makes a point of an edge that was left beyond its far end. The near end is a candidate already.
bool stopAtEnd(Curve& curve, double slack) {
  const bool isEdge = curve.kind == Curve::Kind::kLine && curve.offset == 0.0;
  if (!isEdge || curve.x <= curve.upper + slack) return false;
  curve = makePoint(curve.origin + curve.upper * curve.u);
  return true;
}

void tryCurves(const ConvexPair& pair, Curve a, Curve b, const Separation& start, Best& best) {
  a.start(start.pointA);
  b.start(start.pointB);
  const bool bothLines = a.kind == Curve::Kind::kLine && b.kind == Curve::Kind::kLine;
  if (bothLines && a.u.cross(b.u).norm() < tolerance::kCrossingSine * tolerance::kCrossingSine) {
    footOfParallel(a, b);
  } else if (!solveStationary(a, b)) {
    return;
  }
  const double slack = tolerance::kWitness * pair.size;
  const bool endsA = stopAtEnd(a, slack);
  const bool endsB = stopAtEnd(b, slack);
  if ((endsA || endsB) && !solveStationary(a, b)) return;
  Vector3D n;
  if (!computeNormal(a, b, start.normal, pair.size, n)) return;
  if (!tryNormal(pair, n, 1.0, Best::Source::kStart, best)) return;
  // The support may lie on another feature; then the points of these curves are not the witnesses.
  const Coordinate pointA = a.position() + a.offset * n;
  const Coordinate pointB = b.position() - b.offset * n;
  if (std::abs(n.dot(pointB - pointA) - best.separation.gap) <= slack && isOnCurve(a, slack) &&
      isOnCurve(b, slack)) {
    best.separation.pointA = pointA;
    best.separation.pointB = pointB;
    best.source = Best::Source::kCurves;
  }
}

/// How far a point lies outside a core, as far as planes and the round side tell; <= 0 inside.
double measureOutside(const ConvexView& view, const Coordinate& p) {
  switch (view.core) {
    case Core::kPoint:
      return p.norm();
    case Core::kSegment:
      return std::max(std::abs(p.z()) - view.extents.z(), std::sqrt(p.x() * p.x() + p.y() * p.y()));
    case Core::kBox:
      return (p.cwiseAbs() - view.extents).maxCoeff();
    case Core::kCylinder:
      return std::max(std::abs(p.z()) - view.extents.z(),
                      std::sqrt(p.x() * p.x() + p.y() * p.y()) - view.extents.x());
    case Core::kHull: {
      double greatest = -view.size;
      for (const auto& face : view.hull->faces()) {
        greatest = std::max(greatest, face.normal.dot(p) - face.offset);
      }
      return greatest;
    }
    case Core::kPrism: {
      ConvexPair pair;
      pair.a = view;
      pair.p_AB = p;
      pair.size = view.size + p.norm();
      Simplex simplex;
      const GjkOutcome outcome =
          runGjk(pair, -p, std::numeric_limits<double>::infinity(), simplex);
      return outcome.status == GjkOutcome::Status::kNear ? outcome.v.norm() : 0.0;
    }
    case Core::kTriangle:
      break;
  }
  const Vector3D n =
      (view.corners[1] - view.corners[0]).cross(view.corners[2] - view.corners[0]).normalized();
  double greatest = std::abs(n.dot(p - view.corners[0]));
  for (int i = 0; i < 3; ++i) {
    const Vector3D outward = (view.corners[(i + 1) % 3] - view.corners[i]).cross(n).normalized();
    greatest = std::max(greatest, outward.dot(p - view.corners[i]));
  }
  return greatest;
}

double measureError(const ConvexPair& pair, const Separation& s) {
  const Coordinate pointB_B = pair.R_AB.transpose() * (s.pointB - pair.p_AB);
  const double apart = (s.pointB - s.pointA - s.gap * s.normal).norm();
  return std::max({apart, measureOutside(pair.a, s.pointA), measureOutside(pair.b, pointB_B)});
}

/// Witness points for a normal that was found without them: a support of one shape with its foot on
/// the other, the points of the search moved onto the supporting planes, or, where the shapes lie
/// flat on each other, the place at which they touch when B is moved up to A.
void placePoints(const ConvexPair& pair, Separation& s) {
  const double enough = tolerance::kWitness * pair.size;
  Separation best = s;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Coordinate& pointA, const Coordinate& pointB) {
    Separation trial{s.normal, s.gap, pointA, pointB};
    const double error = measureError(pair, trial);
    if (error < least) {
      least = error;
      best = trial;
    }
    return least <= enough;
  };
  const Coordinate tipA = pair.supportA(s.normal);
  const Coordinate tipB = pair.supportB(-s.normal);
  if (!consider(tipB - s.gap * s.normal, tipB) && !consider(tipA, tipA + s.gap * s.normal)) {
    const Coordinate onA = s.pointA + s.normal.dot(tipA - s.pointA) * s.normal;
    const Coordinate onB = s.pointB + s.normal.dot(tipB - s.pointB) * s.normal;
    if (!consider(onA, onA + s.gap * s.normal) && !consider(onB - s.gap * s.normal, onB)) {
      ConvexPair moved = pair;
      moved.p_AB -= s.gap * s.normal;
      Simplex simplex;
      static_cast<void>(
          runGjk(moved, -s.normal, std::numeric_limits<double>::infinity(), simplex));
      const Coordinate touch = 0.5 * (simplex.pointA() + simplex.pointB());
      consider(touch, touch + s.gap * s.normal);
    }
  }
  s = best;
}

/// For the normal of a face: does the other shape's support lie over it? Sets the points if so.
bool isOverFace(const ConvexPair& pair, Best& best) {
  const Vector3D& n = best.separation.normal;
  const double gap = best.separation.gap;
  const double slack = tolerance::kWitness * pair.size;
  if (best.source == Best::Source::kFaceA) {
    const Coordinate tip = pair.supportB(-n);
    const Coordinate foot = tip - gap * n;
    if (measureOutside(pair.a, foot) > slack) return false;
    best.separation.pointA = foot;
    best.separation.pointB = tip;
    return true;
  }
  const Coordinate tip = pair.supportA(n);
  const Coordinate foot = tip + gap * n;
  if (measureOutside(pair.b, pair.R_AB.transpose() * (foot - pair.p_AB)) > slack) return false;
  best.separation.pointA = tip;
  best.separation.pointB = foot;
  return true;
}

/// One round of the search for the best normal among faces and curves near the present one.
void improve(const ConvexPair& pair, Best& best) {
  const Separation start = best.separation;
  const Vector3D& n = start.normal;
  const Vector3D n_B = pair.R_AB.transpose() * n;
  const FaceNormal faceA = findFaceNormal(pair.a, n);
  const FaceNormal faceB = findFaceNormal(pair.b, -n_B);
  bool isFace = false;
  if (faceA.cosine > tolerance::kFaceCosine) {
    isFace = tryNormal(pair, faceA.normal, 2.0, Best::Source::kFaceA, best);
  }
  if (faceB.cosine > tolerance::kFaceCosine) {
    isFace |= tryNormal(pair, -(pair.R_AB * faceB.normal), 2.0, Best::Source::kFaceB, best);
  }
  // The support of one shape over the face of the other: no other feature can do better nearby.
  if (isFace && isOverFace(pair, best)) {
    best.isSettled = true;
    return;
  }

  const CurveList curvesA = listCurves(pair.a, n);
  CurveList curvesB = listCurves(pair.b, -n_B);
  for (int j = 0; j < curvesB.count; ++j) {
    Curve& curve = curvesB.items[j];
    curve.origin = pair.R_AB * curve.origin + pair.p_AB;
    curve.u = pair.R_AB * curve.u;
    curve.w = pair.R_AB * curve.w;
  }
  for (int i = 0; i < curvesA.count; ++i) {
    for (int j = 0; j < curvesB.count; ++j) {
      tryCurves(pair, curvesA.items[i], curvesB.items[j], start, best);
    }
  }
  // A stationary pair of curves whose points are the supports is a local maximum.
  best.isSettled = best.source == Best::Source::kCurves;
}

void refineCurved(const ConvexPair& pair, Separation& separation) {
  Best best{separation, -std::numeric_limits<double>::infinity()};
  tryNormal(pair, separation.normal, 0.0, Best::Source::kStart, best);
  // A better normal may bring other features into reach; two rounds settle nearly all pairs.
  for (int round = 0; round < 4; ++round) {
    const double before = best.score;
    improve(pair, best);
    if (best.isSettled) break;
    if (!(best.score > before + 2.0 * tolerance::kSameGap * pair.size)) break;
  }
  separation = best.separation;
  if (!best.isSettled && best.source != Best::Source::kCurves) placePoints(pair, separation);
}

}  // namespace

FaceNormal findFaceNormal(const ConvexView& view, const Vector3D& d) {
  FaceNormal face;
  switch (view.core) {
    case Core::kBox: {
      int axis = 0;
      d.cwiseAbs().maxCoeff(&axis);
      const bool positive = d[axis] > 0.0;
      face.normal[axis] = positive ? 1.0 : -1.0;
      face.cosine = std::abs(d[axis]);
      face.index = static_cast<std::uint32_t>(2 * axis + (positive ? 1 : 0));
      break;
    }
    case Core::kCylinder:
      face.normal = {0.0, 0.0, d.z() > 0.0 ? 1.0 : -1.0};
      face.cosine = std::abs(d.z());
      face.index = d.z() > 0.0 ? 1u : 0u;
      break;
    case Core::kPrism:
    case Core::kTriangle: {
      const Vector3D n =
          (view.corners[1] - view.corners[0]).cross(view.corners[2] - view.corners[0]).normalized();
      const double cosine = n.dot(d);
      if (view.core == Core::kPrism && cosine < 0.0) break;  // its bottom is no part of a surface
      face.normal = cosine < 0.0 ? Vector3D{-n} : n;
      face.cosine = std::abs(cosine);
      face.index = cosine < 0.0 ? 0u : 1u;
      break;
    }
    case Core::kHull: {
      face.index = static_cast<std::uint32_t>(lanes::findFacingFace(*view.hull, d));
      face.normal = view.hull->normal(face.index);
      face.cosine = std::max(face.cosine, face.normal.dot(d));
      break;
    }
    case Core::kPoint:
    case Core::kSegment:
      break;
  }
  return face;
}

void finishSeparation(const ConvexPair& pair, Separation& separation) {
  if (pair.a.isCurved() || pair.b.isCurved()) {
    refineCurved(pair, separation);
  } else if ((separation.pointB - separation.pointA - separation.gap * separation.normal).norm() >
             tolerance::kWitness * pair.size) {
    placePoints(pair, separation);
  }
  separation.gap -= pair.a.radius + pair.b.radius;
  separation.pointA += pair.a.radius * separation.normal;
  separation.pointB -= pair.b.radius * separation.normal;
}

}  // namespace msd_sim
