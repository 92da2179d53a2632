#include "msd-sim/src/Physics/Collision/HalfwayContacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim {

namespace {

Vector3D vectorOf(const double (&v)[3]) {
  return {v[0], v[1], v[2]};
}

bool isCapsule(const TestedSide& side) {
  return side.collider.shape.kind == ShapeKind::kCapsule;
}

double radiusOf(const TestedSide& side) {
  const CollisionShape& shape = side.collider.shape;
  return isCapsule(side) || shape.kind == ShapeKind::kSphere ? shape.radius : 0.0;
}

/// The length of the step, from what the body may move in it: exact but for what the loads add
/// (K-2).
double stepOf(const TestedSide& side, const SolverBodies& bodies) {
  const BodyMotion& m = bodies.motion[side.collider.body];
  const double speed =
      vectorOf(m.v).norm() + vectorOf(m.w).norm() * bodies.pose[side.collider.body].size;
  return speed > 0.0 ? side.coming / speed : std::numeric_limits<double>::infinity();
}

/// How far the axis of a capsule turns in a time [rad].
double turnOf(const TestedSide& side, const SolverBodies& bodies, double time) {
  if (!isCapsule(side)) return 0.0;
  const Vector3D axis = side.pose.orientation * Vector3D::UnitZ();
  return time * vectorOf(bodies.motion[side.collider.body].w).cross(axis).norm();
}

/// Where a shape is after a short time without loads.
Pose laterPose(const TestedSide& side, const SolverBodies& bodies, double time) {
  const BodyMotion& m = bodies.motion[side.collider.body];
  const BodyPose& p = bodies.pose[side.collider.body];
  const Vector3D half = 0.5 * time * vectorOf(m.w);
  const Quaternion turn = Quaternion{1.0, half.x(), half.y(), half.z()}.normalized();
  const Pose body{vectorOf(p.x) + time * vectorOf(m.v),
                  turn * Quaternion{p.q[0], p.q[1], p.q[2], p.q[3]}};
  return body * side.collider.local;
}

}  // namespace

void aimHalfway(const TestedSide& a, const TestedSide& b, const SolverBodies& bodies, double margin,
                ContactManifold& manifold) {
  if (manifold.count != 1 || manifold.owner != NormalOwner::kNeither) return;
  if (!isCapsule(a) && !isCapsule(b)) return;
  if (!a.collider.shape.isConvex() || !b.collider.shape.isConvex()) return;
  const double time = 0.5 * std::min(stepOf(a, bodies), stepOf(b, bodies));
  const double turn = std::max(turnOf(a, bodies, time), turnOf(b, bodies, time));
  if (!(turn > kAimFrom && turn < kAimUpTo)) return;

  const Pose laterA = laterPose(a, bodies, time), laterB = laterPose(b, bodies, time);
  ManifoldCache cache;
  ContactManifold later;
  const double far = margin + a.coming + b.coming;
  if (collideShapes(a.collider.shape, laterA, b.collider.shape, laterB, far, cache, {&later, 1}) !=
      1) {
    return;
  }
  // Back to now: what touches stays on its body, and so does a normal that has an owner.
  Vector3D n = later.normal;
  if (later.owner == NormalOwner::kBodyA) {
    n = a.pose.orientation * (laterA.orientation.conjugate() * n);
  } else if (later.owner == NormalOwner::kBodyB) {
    n = b.pose.orientation * (laterB.orientation.conjugate() * n);
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
  if (now.count > 0) manifold = now;
}

}  // namespace msd_sim
