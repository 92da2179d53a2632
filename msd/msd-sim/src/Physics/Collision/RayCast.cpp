#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Infinity.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

/// A ray in the shape's frame, and the part of it that is inside what was looked at so far.
struct LocalRay {
  Coordinate origin;
  Vector3D direction;
};

struct Span {
  double enter{-kInfinity};
  double leave{kInfinity};
  Vector3D normal{Vector3D::Zero()};  ///< outward, where the ray enters

  [[nodiscard]] bool isEmpty() const { return enter > leave; }
  void clear() {
    enter = kInfinity;
    leave = -kInfinity;
  }
};

/// Keeps the part of the ray below the plane n·x <= offset.
void clipByPlane(const LocalRay& ray, const Vector3D& n, double offset, Span& span) {
  const double height = n.dot(ray.origin) - offset;
  const double rate = n.dot(ray.direction);
  if (rate == 0.0) {
    if (height > 0.0) span.clear();
    return;
  }
  const double t = -height / rate;
  if (rate < 0.0 && t > span.enter) {
    span.enter = t;
    span.normal = n;
  } else if (rate > 0.0) {
    span.leave = std::min(span.leave, t);
  }
}

/// Keeps the part inside a ball or, with z left out, inside an endless cylinder.
void clipByRound(const Vector3D& p, const Vector3D& d, double radius, Span& span) {
  const double a = d.squaredNorm();
  if (!(a > 0.0)) {
    if (p.squaredNorm() > radius * radius) span.clear();
    return;
  }
  // From the point of the ray nearest to the centre: no digits are lost for far origins.
  const double middle = -p.dot(d) / a;
  const Vector3D nearest = p + middle * d;
  const double rest = radius * radius - nearest.squaredNorm();
  if (rest < 0.0) {
    span.clear();
    return;
  }
  const double half = std::sqrt(rest / a);
  if (middle - half > span.enter) {
    span.enter = middle - half;
    span.normal = (p + span.enter * d) / radius;
  }
  span.leave = std::min(span.leave, middle + half);
}

Span castSphere(const LocalRay& ray, const Coordinate& centre, double radius) {
  Span span;
  clipByRound(ray.origin - centre, ray.direction, radius, span);
  return span;
}

Span castBox(const LocalRay& ray, const Vector3D& half) {
  Span span;
  for (int k = 0; k < 3; ++k) {
    clipByPlane(ray, Vector3D::Unit(k), half[k], span);
    clipByPlane(ray, -Vector3D::Unit(k), half[k], span);
  }
  return span;
}

Span castCylinder(const LocalRay& ray, double radius, double halfHeight) {
  Span span;
  clipByRound({ray.origin.x(), ray.origin.y(), 0.0}, {ray.direction.x(), ray.direction.y(), 0.0},
              radius, span);
  clipByPlane(ray, Vector3D::UnitZ(), halfHeight, span);
  clipByPlane(ray, -Vector3D::UnitZ(), halfHeight, span);
  return span;
}

/// A capsule is a cylinder and two balls: the ray is inside from the first entry to the last exit.
Span castCapsule(const LocalRay& ray, double radius, double halfHeight) {
  Span whole;
  whole.clear();
  for (const Span& part : {castCylinder(ray, radius, halfHeight),
                           castSphere(ray, {0.0, 0.0, halfHeight}, radius),
                           castSphere(ray, {0.0, 0.0, -halfHeight}, radius)}) {
    if (part.isEmpty()) continue;
    if (part.enter < whole.enter) {
      whole.enter = part.enter;
      whole.normal = part.normal;
    }
    whole.leave = std::max(whole.leave, part.leave);
  }
  return whole;
}

Span castHull(const LocalRay& ray, const msd_assets::ConvexPolyhedron& hull) {
  Span span;
  for (const auto& face : hull.faces()) {
    clipByPlane(ray, face.normal, face.offset, span);
    if (span.isEmpty()) return span;
  }
  return span;
}

Span castSolid(const CollisionShape& shape, const LocalRay& ray) {
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return castSphere(ray, Coordinate::Zero(), shape.radius);
    case ShapeKind::kBox:
      return castBox(ray, shape.halfExtents);
    case ShapeKind::kCapsule:
      return castCapsule(ray, shape.radius, shape.halfHeight);
    case ShapeKind::kCylinder:
      return castCylinder(ray, shape.radius, shape.halfHeight);
    case ShapeKind::kHull:
      return castHull(ray, *shape.polyhedron);
    default: {
      Span span;
      clipByPlane(ray, shape.planeNormal, shape.planeOffset, span);
      return span;
    }
  }
}

}  // namespace

std::optional<ShapeRayHit> castRay(const PlacedShape& target, const Coordinate& origin,
                                   const Vector3D& direction, double length) {
  const Quaternion back = target.pose.orientation.conjugate();
  const LocalRay ray{back * (origin - target.pose.position), back * direction};
  ShapeRayHit hit;
  if (target.shape.triangles != nullptr) {
    TriangleHit found;
    if (!target.shape.triangles->castRay(ray.origin, ray.direction, length, found)) {
      return std::nullopt;
    }
    hit.distance = found.distance;
    hit.normal = target.pose.orientation * found.normal;
    hit.triangle = found.triangle;
  } else {
    const Span span = castSolid(target.shape, ray);
    if (span.isEmpty() || span.leave < 0.0 || !(span.enter <= length)) return std::nullopt;
    hit.distance = std::max(span.enter, 0.0);
    hit.normal = span.enter > 0.0 ? Vector3D{target.pose.orientation * span.normal}
                                  : Vector3D{-direction};
  }
  hit.point = origin + hit.distance * direction;
  return hit;
}

}  // namespace msd_sim
