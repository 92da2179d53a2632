#include "msd-sim/src/Physics/Collision/HalfwayContacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/RoundContacts.hpp"

namespace msd_sim {

namespace {

bool isCapsule(const TestedSide& side) {
  return side.collider.shape.kind == ShapeKind::kCapsule;
}

bool isSphere(const TestedSide& side) {
  return side.collider.shape.kind == ShapeKind::kSphere;
}

bool isRound(const TestedSide& side) {
  return side.collider.shape.isRound();
}

double radiusOf(const TestedSide& side) {
  return isRound(side) ? side.collider.shape.radius : 0.0;
}

/// The length of the step, from what the body may move in it: exact but for what the loads add
/// (K-2).
double stepOf(const TestedSide& side, const SolverBodies& bodies) {
  const BodyMotion& m = bodies.motion[side.collider.body];
  const double speed =
      vectorOf(m.v).norm() + vectorOf(m.w).norm() * bodies.pose[side.collider.body].size;
  return speed > 0.0 ? side.coming / speed : std::numeric_limits<double>::infinity();
}

/// How far a shape turns in a time, apart from turns that leave it as it is [rad].
double turnOf(const TestedSide& side, const SolverBodies& bodies, double time) {
  if (isSphere(side)) return 0.0;
  const Vector3D w = vectorOf(bodies.motion[side.collider.body].w);
  if (!isCapsule(side)) return time * w.norm();
  return time * w.cross(side.pose.rotation.col(2)).norm();
}

/// Velocity of a point of a body.
Vector3D velocityAt(const TestedSide& side, const SolverBodies& bodies, const Coordinate& point) {
  const BodyMotion& m = bodies.motion[side.collider.body];
  const Coordinate centre = vectorOf(bodies.pose[side.collider.body].x);
  return vectorOf(m.v) + vectorOf(m.w).cross(point - centre);
}

/// Overlap, against the radii, from which on shapes that nothing stops no longer tell where they will touch: deeper
/// ones have passed through each other.
constexpr double kAimDepth = 0.25;

/// The time until what touches is so deep in each other.
double timeOfOverlap(const TestedSide& a, const TestedSide& b, const SolverBodies& bodies,
                     const ContactManifold& manifold) {
  const ManifoldPoint& point = manifold.points[0];
  const Vector3D u = velocityAt(b, bodies, point.pointB) - velocityAt(a, bodies, point.pointA);
  const double closing = -u.dot(manifold.normal);
  const double way = std::max(point.gap, 0.0) + kAimDepth * (radiusOf(a) + radiusOf(b));
  return closing > 0.0 ? way / closing : std::numeric_limits<double>::infinity();
}

/// Where a shape is after a short time without loads.
Placement laterPlace(const TestedSide& side, const SolverBodies& bodies, double time) {
  const BodyMotion& m = bodies.motion[side.collider.body];
  const BodyPose& p = bodies.pose[side.collider.body];
  const Vector3D half = 0.5 * time * vectorOf(m.w);
  const Quaternion turn = Quaternion{1.0, half.x(), half.y(), half.z()}.normalized();
  const Pose body{vectorOf(p.x) + time * vectorOf(m.v),
                  turn * quaternionOf(p.q)};
  return side.collider.isCentred ? body : body * side.collider.local;
}

/// Distance of two cores, each of which is free to slide along its line, if it has one.
double distanceOfLines(const Vector3D& between, const Vector3D& alongA, const Vector3D& alongB) {
  const Vector3D across = alongA.cross(alongB);
  const double square = across.squaredNorm();
  if (square > 0.0) return std::abs(between.dot(across)) / std::sqrt(square);
  const Vector3D& along = alongA.isZero(0.0) ? alongB : alongA;
  return (between - between.dot(along) * along).norm();
}

/// Cores of features that will be the nearest and are not yet, against the smaller size: from here on they differ.
constexpr double kSameFeature = 1e-5;

/// Do the cores of a contact that was aimed slide on the lines that are the nearest now, too (K-11)? Shapes that spin
/// past an edge meet with another one later.
bool staysNearest(const TestedSide& a, const TestedSide& b, const ContactManifold& aimed, double gap) {
  if (aimed.count != 1) return true;
  const ContactRounding r = describeRounding(a.collider, a.pose, b.collider, b.pose, aimed).rounding;
  if (r.follow != FollowMode::kCores || (r.slideA.isZero(0.0) && r.slideB.isZero(0.0))) return true;
  const ManifoldPoint& point = aimed.points[0];
  const Vector3D between = point.pointB + r.b * aimed.normal - (point.pointA - r.a * aimed.normal);
  const double size = std::min(a.collider.shape.size, b.collider.shape.size);
  return std::abs(distanceOfLines(between, r.slideA, r.slideB) - (gap + r.a + r.b)) <= kSameFeature * size;
}

}  // namespace

void aimHalfway(const TestedSide& a, const TestedSide& b, const SolverBodies& bodies, double margin,
                const ManifoldCache& cache, ContactManifold& manifold) {
  if (manifold.count != 1 || (!isRound(a) && !isRound(b))) return;
  if (!a.collider.shape.isConvex() || !b.collider.shape.isConvex()) return;
  const double time = std::min(0.5 * std::min(stepOf(a, bodies), stepOf(b, bodies)),
                               timeOfOverlap(a, b, bodies, manifold));
  const double turnA = turnOf(a, bodies, time), turnB = turnOf(b, bodies, time);
  // A face that does not turn serves a round shape exactly, however that turns.
  const double turn = manifold.owner == NormalOwner::kBodyA   ? turnA
                      : manifold.owner == NormalOwner::kBodyB ? turnB
                                                              : std::max(turnA, turnB);
  if (!(turn > kAimFrom && turn < kAimUpTo)) return;

  const Placement laterA = laterPlace(a, bodies, time), laterB = laterPlace(b, bodies, time);
  ManifoldCache start = cache;
  ContactManifold later;
  const double far = margin + a.coming + b.coming;
  if (collideShapes(a.collider.shape, laterA, b.collider.shape, laterB, far, start, {&later, 1}) !=
      1) {
    return;
  }
  // Back to now: what touches stays on its body, and so does a normal that has an owner.
  Vector3D n = later.normal;
  if (later.owner == NormalOwner::kBodyA) {
    n = a.pose.rotation * (laterA.rotation.transpose() * n);
  } else if (later.owner == NormalOwner::kBodyB) {
    n = b.pose.rotation * (laterB.rotation.transpose() * n);
  }
  const double ra = radiusOf(a), rb = radiusOf(b);
  ContactManifold now = later;
  now.normal = n;
  now.count = 0;
  for (int i = 0; i < later.count; ++i) {
    ManifoldPoint point = later.points[static_cast<std::size_t>(i)];
    point.pointA = a.pose.toWorld(laterA.toLocal(point.pointA - ra * later.normal)) + ra * n;
    point.pointB = b.pose.toWorld(laterB.toLocal(point.pointB + rb * later.normal)) - rb * n;
    point.gap = n.dot(point.pointB - point.pointA);
    if (point.gap <= margin) now.points[static_cast<std::size_t>(now.count++)] = point;
  }
  if (now.count > 0 && staysNearest(a, b, now, manifold.points[0].gap)) manifold = now;
}

}  // namespace msd_sim
