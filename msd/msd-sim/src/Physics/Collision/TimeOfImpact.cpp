#include "msd-sim/src/Physics/Collision/TimeOfImpact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

/// Two moving views: what is needed at every step of the advance.
struct MovingPair {
  ConvexView viewA;
  ConvexView viewB;
  const RigidMotion* motionA;
  const RigidMotion* motionB;
  double reachA;
  double reachB;
};

/// Upper bound on how fast the gap along n (from A to B, world) can close [m/s].
double closingRate(const MovingPair& pair, const Vector3D& n) {
  const RigidMotion& a = *pair.motionA;
  const RigidMotion& b = *pair.motionB;
  return n.dot(a.velocity - b.velocity) + n.cross(a.angularVelocity).norm() * pair.reachA +
         n.cross(b.angularVelocity).norm() * pair.reachB;
}

TimeOfImpact advance(const MovingPair& pair, double duration, double target) {
  TimeOfImpact result;
  ManifoldCache cache;
  const double close = target * (1.0 + tolerance::kImpactShare);
  const double anywhere = std::numeric_limits<double>::infinity();
  for (result.iterations = 1; result.iterations <= kMaxImpactIterations; ++result.iterations) {
    const Pose poseA = pair.motionA->at(result.time);
    const Pose poseB = pair.motionB->at(result.time);
    const ConvexPair placed = makeConvexPair(pair.viewA, poseA, pair.viewB, poseB);
    const Separation separation = findSeparation(placed, anywhere, cache);
    const Vector3D n = poseA.orientation * separation.normal;
    if (separation.gap <= close) {
      result.status = result.iterations == 1 && separation.gap <= target
                          ? TimeOfImpact::Status::kOverlapping
                          : TimeOfImpact::Status::kHit;
      result.normal = n;
      result.point = poseA.toWorld(separation.pointB);
      return result;
    }
    const double rate = closingRate(pair, n);
    const double room = separation.gap - target;
    // No closer than the target for the rest of the time, whatever happens.
    if (!(rate * (duration - result.time) > room)) {
      result.status = TimeOfImpact::Status::kApart;
      result.time = duration;
      return result;
    }
    result.time += room / rate;
  }
  result.status = TimeOfImpact::Status::kLimited;
  return result;
}

}  // namespace

TimeOfImpact computeTimeOfImpact(const CollisionShape& shapeA, const RigidMotion& motionA,
                                 const CollisionShape& shapeB, const RigidMotion& motionB,
                                 double duration, double target) {
  const MovingPair pair{makeConvexView(shapeA),           makeConvexView(shapeB),
                        &motionA,                         &motionB,
                        computeReach(shapeA, motionA.pivot), computeReach(shapeB, motionB.pivot)};
  return advance(pair, duration, target);
}

TimeOfImpact computeTimeOfImpact(const CollisionShape& convex, const RigidMotion& motion,
                                 const CollisionShape& surface, const Pose& pose, double duration,
                                 double target) {
  const TriangleBvh& triangles = *surface.triangles;
  // The whole motion in the frame of the surface.
  const Pose back = pose.inverse();
  RigidMotion local;
  local.start = back * motion.start;
  local.velocity = back.orientation * motion.velocity;
  local.angularVelocity = back.orientation * motion.angularVelocity;
  local.pivot = motion.pivot;
  const ConvexView view = makeConvexView(convex);
  const double reach = computeReach(convex, motion.pivot);
  const Coordinate from = local.start.toWorld(motion.pivot);
  const Coordinate to = from + duration * local.velocity;
  const Aabb path =
      Aabb{from.cwiseMin(to), from.cwiseMax(to)}.expanded(reach + view.radius + 2.0 * target);
  const Coordinate centre = local.start.toWorld(convex.centre);

  TimeOfImpact first;
  first.status = TimeOfImpact::Status::kApart;
  first.time = duration;
  const RigidMotion atRest;
  triangles.query(path, [&](std::uint32_t index) {
    const TriangleBvh::Triangle corners = triangles.triangle(index);
    const Vector3D n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if (n.dot(centre - corners[0]) < 0.0) return;
    // Corners about the shape's start, so that the tolerances follow the shape's size.
    const TriangleBvh::Triangle moved{corners[0] - from, corners[1] - from, corners[2] - from};
    RigidMotion shifted = local;
    shifted.start.position -= from;
    const MovingPair pair{view, makeTriangleView(moved.data()), &shifted, &atRest, reach, 0.0};
    TimeOfImpact hit = advance(pair, first.time, target);
    if (hit.status == TimeOfImpact::Status::kApart) return;
    if (hit.time < first.time || first.status == TimeOfImpact::Status::kApart) {
      hit.point += from;
      first = hit;
    }
  });
  first.normal = pose.orientation * first.normal;
  if (first.status != TimeOfImpact::Status::kApart) first.point = pose.toWorld(first.point);
  return first;
}

}  // namespace msd_sim
