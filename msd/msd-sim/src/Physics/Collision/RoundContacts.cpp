#include "msd-sim/src/Physics/Collision/RoundContacts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

/// A cylinder touches with its side, not with a cap, when the normal is at least this much across
/// its axis.
constexpr double kSideways = 0.7;

/// A capsule lies across an edge where the squared cosine between them is below this: the part of a turn
/// that leans the normal sideways and would make it roll is no more than the turn itself.
constexpr double kAcross = 0.5;

bool isBall(const Collider& collider) {
  return collider.shape.kind == ShapeKind::kSphere && collider.local.position.isZero(0.0);
}

bool hasSphere(const Collider& a, const Collider& b) {
  return a.shape.kind == ShapeKind::kSphere || b.shape.kind == ShapeKind::kSphere;
}

/// Distance of the surface from the core that turns with the body, along the normal (G-1). About
/// its axis a cylinder's core is the axis itself: the radius reaches it where the normal is across,
/// and farther where it leans.
double roundingOf(const CollisionShape& shape, const Placement& pose, const Vector3D& normal) {
  if (shape.isRound()) return shape.radius;
  if (shape.kind != ShapeKind::kCylinder) return 0.0;
  const double across = normal.cross(pose.rotation.col(2)).norm();
  return across > kSideways ? shape.radius / across : 0.0;
}

struct Slide {
  Vector3D direction{Vector3D::Zero()};  ///< along which the core moves on, world, unit or zero
  bool isKnown{false};
};

/// A capsule's core moves along its axis unless it is an end.
Slide slideOnAxis(const CollisionShape& capsule, const Placement& pose, const Coordinate& core) {
  const Vector3D axis = pose.rotation.col(2);
  const double along = axis.dot(core - pose.position);
  const bool isInside = std::abs(along) < (1.0 - kSameFeature) * capsule.halfHeight;
  return {isInside ? axis : Vector3D{Vector3D::Zero()}, true};
}

/// What a box touches a round shape with: a corner stays, the point of an edge moves along it.
Slide slideOnBox(const CollisionShape& box, const Placement& pose, const Coordinate& point) {
  const Vector3D inside = box.halfExtents - pose.toLocal(point).cwiseAbs();
  int free = 0, onSides = 0;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(inside[k]) <= kSameFeature * box.size) {
      ++onSides;
    } else {
      free = k;
    }
  }
  if (onSides == 3) return {Vector3D::Zero(), true};
  if (onSides == 2) return {pose.rotation.col(free), true};
  return {};
}

/// Where a point is on the edge from `from` to `to`: at one of its ends, where it stays, or between them,
/// where it moves along it; else nothing is known. All in the shape's frame, the direction in the world.
Slide slideOnEdge(const Coordinate& from, const Coordinate& to, const Coordinate& p,
                  const Placement& pose) {
  const Vector3D e = to - from;
  const Vector3D r = p - from;
  const double length2 = e.squaredNorm();
  const double same2 = kSameFeature * kSameFeature * length2;
  if (r.squaredNorm() <= same2 || (p - to).squaredNorm() <= same2) return {Vector3D::Zero(), true};
  const double along = r.dot(e) / length2;
  const bool isOn = along > 0.0 && along < 1.0 && (r - along * e).squaredNorm() <= same2;
  return isOn ? Slide{pose.rotation * (e / std::sqrt(length2)), true} : Slide{};
}

/// On a surface: a side of the triangle that the feature names.
Slide slideOnSurface(const TriangleBvh& surface, const Placement& pose, const ManifoldPoint& contact,
                     const Coordinate& point) {
  const std::uint32_t index = triangleOfFeature(contact.feature);
  if (index >= surface.triangleCount()) return {};
  const TriangleBvh::Triangle t = surface.triangle(index);
  const Coordinate p = pose.toLocal(point);
  for (std::size_t k = 0; k < 3; ++k) {
    const Slide slide = slideOnEdge(t[k], t[(k + 1) % 3], p, pose);
    if (slide.isKnown) return slide;
  }
  return {};
}

/// Of hulls with very many edges the search would cost more than the test it saves.
Slide slideOnHull(const CollisionShape& hull, const Placement& pose, const Coordinate& point) {
  constexpr std::size_t kMostEdges = 256;
  if (hull.polyhedron->edges().size() > kMostEdges) return {};
  const Coordinate p = pose.toLocal(point);
  for (const msd_assets::ConvexPolyhedron::Edge& edge : hull.polyhedron->edges()) {
    const Slide slide = slideOnEdge(hull.polyhedron->vertex(edge.vertex0),
                                    hull.polyhedron->vertex(edge.vertex1), p, pose);
    if (slide.isKnown) return slide;
  }
  return {};
}

/// `core` is the manifold's point less the rounding.
Slide slideOf(const CollisionShape& shape, const Placement& pose, const ManifoldPoint& contact,
              const Coordinate& core) {
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return {Vector3D::Zero(), true};
    case ShapeKind::kCapsule:
      return slideOnAxis(shape, pose, core);
    case ShapeKind::kBox:
      return slideOnBox(shape, pose, core);
    case ShapeKind::kHull:
      return slideOnHull(shape, pose, core);
    case ShapeKind::kMesh:
    case ShapeKind::kTerrain:
      return slideOnSurface(*shape.triangles, pose, contact, core);
    default:
      return {};
  }
}

/// Are these the nearest points of the two lines they would slide on? Where one is the end of its
/// line, or lies there but for rounding, the lines come nearer beyond it.
bool areNearest(const Coordinate& coreA, const Vector3D& alongA, const Coordinate& coreB,
                const Vector3D& alongB, double size) {
  const Vector3D between = coreB - coreA;
  const double cosine = alongA.dot(alongB);
  const double a = alongA.dot(between), b = alongB.dot(between);
  const double most = kSlideAtOnce * size * (1.0 - cosine * cosine);
  return std::abs(a - cosine * b) <= most && std::abs(cosine * a - b) <= most;
}

/// One point between two cores.
void followCores(const Collider& a, const Placement& poseA, const Collider& b, const Placement& poseB,
                 const ContactManifold& manifold, RoundContact& contact) {
  ContactRounding& r = contact.rounding;
  const ManifoldPoint& point = manifold.points[0];
  if (!(point.gap + r.a + r.b > kClearCores * (r.a + r.b))) return;  // the line may turn about
  r.follow = FollowMode::kCores;
  contact.keptTravel = kBallTravel;
  if (r.balls) return;
  const Coordinate coreA = point.pointA - r.a * manifold.normal;
  const Coordinate coreB = point.pointB + r.b * manifold.normal;
  const Slide slideA = slideOf(a.shape, poseA, point, coreA);
  const Slide slideB = slideOf(b.shape, poseB, point, coreB);
  const double cosine = slideA.direction.dot(slideB.direction);
  contact.keptTravel = kSlideTravel;
  if (!slideA.isKnown || !slideB.isKnown || 1.0 - cosine * cosine < kCrossingAxes) return;
  const double size = std::min(a.shape.size, b.shape.size);
  if (!areNearest(coreA, slideA.direction, coreB, slideB.direction, size)) return;
  contact.keptTravel = hasSphere(a, b) ? kSphereTravel : kFaceTravel;
  r.slideA = slideA.direction;
  r.slideB = slideB.direction;
}

/// Does a capsule lie across the edge of a surface that it touches with two points? Where it rolls the
/// normal, square to the axis and to the edge, then stays.
bool liesAcross(const CollisionShape& shape, const Placement& pose, const CollisionShape& surface,
                const Placement& surfacePose, const ContactManifold& manifold) {
  if (shape.kind != ShapeKind::kCapsule || surface.triangles == nullptr) return false;
  const Vector3D axis = pose.rotation.col(2);
  for (std::size_t i = 0; i < static_cast<std::size_t>(manifold.count); ++i) {
    const ManifoldPoint& point = manifold.points[i];
    const Slide slide =
        slideOnSurface(*surface.triangles, surfacePose, point, point.pointA);
    const double cosine = axis.dot(slide.direction);
    if (slide.isKnown && !slide.direction.isZero(0.0) && cosine * cosine < kAcross) return true;
  }
  return false;
}

}  // namespace

RoundContact describeRounding(const Collider& a, const Placement& poseA, const Collider& b,
                              const Placement& poseB, const ContactManifold& manifold) {
  RoundContact contact;
  ContactRounding& r = contact.rounding;
  r.a = roundingOf(a.shape, poseA, manifold.normal);
  r.b = roundingOf(b.shape, poseB, manifold.normal);
  r.balls = isBall(a) && isBall(b);
  const bool hasOwner = manifold.owner != NormalOwner::kNeither;
  if (a.shape.kind == ShapeKind::kCylinder || b.shape.kind == ShapeKind::kCylinder) {
    contact.keptTravel = kRollTravel;
  } else if (!a.shape.isRound() && !b.shape.isRound()) {
    const bool onSurface = a.shape.triangles != nullptr || b.shape.triangles != nullptr;
    contact.keptTravel = hasOwner || onSurface ? kFaceTravel : kReuseTravel;
  } else {
    contact.keptTravel = kRollTravel;
    if (hasOwner) {
      r.follow = FollowMode::kFace;
      contact.keptTravel = hasSphere(a, b) ? kSphereTravel : kFaceTravel;
    } else if (manifold.count == 1) {
      followCores(a, poseA, b, poseB, manifold, contact);
    } else if (!a.shape.isRound()) {
      // Along an edge: its points stay on the core, which the normal leaves at the same place.
      r.follow = FollowMode::kFace;
      contact.keptTravel = liesAcross(b.shape, poseB, a.shape, poseA, manifold) ? kFaceTravel
                                                                                 : kSlideTravel;
    }
  }
  return contact;
}

}  // namespace msd_sim
