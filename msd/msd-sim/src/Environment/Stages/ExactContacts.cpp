#include <algorithm>
#include <cmath>
#include <utility>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/ExactTuning.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

/// Radius by which a core is thickened where a shape is touched along `normal` (world) [m].
double roundness(const Collider& collider, const BodyPose& pose, const Vector3D& normal) {
  switch (collider.shape.kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule:
      return collider.shape.radius;
    case ShapeKind::kCylinder: {
      const Vector3D axis = quaternionOf(pose.q) * (collider.local.orientation * Vector3D::UnitZ());
      return std::abs(axis.dot(normal)) < kExactTuning.sideCosine ? collider.shape.radius : 0.0;
    }
    default:
      return 0.0;
  }
}

/// The stretch of a capsule's axis in body axes from the centre of mass.
struct CoreAxis {
  Vector3D middle{Vector3D::Zero()};
  Vector3D half{Vector3D::Zero()};
};
CoreAxis coreAxis(const Collider& collider) {
  if (!collider.shape.isRound()) return {};
  return {collider.local.position,
          collider.shape.halfHeight * (collider.local.orientation * Vector3D::UnitZ())};
}

/// Place of the point of the stretch nearest to `point`, from -1 to 1 along `half`.
double nearestOnAxis(const Vector3D& middle, const Vector3D& half, const Vector3D& point) {
  const double square = half.squaredNorm();
  return square > 0.0 ? std::clamp(half.dot(point - middle) / square, -1.0, 1.0) : 0.0;
}

/// Which of the cores of a point between two round surfaces moves along its axis. A single point is
/// where the axes are nearest; of several, which lie at the ends of the stretch that both share, the
/// end stays with its body.
ExactPoint::Follow followOf(const ExactPoint& p, bool single) {
  using Follow = ExactPoint::Follow;
  if (!(p.radius0 > 0.0 && p.radius1 > 0.0)) return Follow::kFixed;
  if (p.axis0.isZero(0.0) && p.axis1.isZero(0.0)) return Follow::kFixed;
  if (single) return Follow::kNearest;
  const auto share = [](const Vector3D& core, const Vector3D& middle, const Vector3D& half) {
    const double square = half.squaredNorm();
    return square > 0.0 ? std::abs(half.dot(core - middle)) / square : 1.0;
  };
  return share(p.core0, p.middle0, p.axis0) < share(p.core1, p.middle1, p.axis1) ? Follow::kSide0
                                                                                 : Follow::kSide1;
}

/// Moves the cores, given from the centre of body 0 in world axes, along the axes.
void followAxes(const ExactPoint& p, const Quaternion& q0, const Quaternion& q1,
                const Vector3D& between, Vector3D& core0, Vector3D& core1) {
  using Follow = ExactPoint::Follow;
  const Vector3D middle0 = q0 * p.middle0, half0 = q0 * p.axis0;
  const Vector3D middle1 = between + q1 * p.middle1, half1 = q1 * p.axis1;
  if (p.follow == Follow::kNearest) {
    // Least |middle1 + t half1 - middle0 - s half0|: s for free t, then t, then s once more within
    // the ends.
    const double a = half0.squaredNorm(), b = half0.dot(half1), c = half1.squaredNorm();
    const Vector3D r = middle1 - middle0;
    const double determinant = a * c - b * b;
    const double s = determinant > kExactTuning.parallelAxes * a * c
                         ? std::clamp((c * half0.dot(r) - b * half1.dot(r)) / determinant, -1.0, 1.0)
                         : nearestOnAxis(middle0, half0, core1);
    core1 = middle1 + nearestOnAxis(middle1, half1, middle0 + s * half0) * half1;
    core0 = middle0 + nearestOnAxis(middle0, half0, core1) * half0;
  } else if (p.follow == Follow::kSide0) {
    core0 = middle0 + nearestOnAxis(middle0, half0, core1) * half0;
  } else if (p.follow == Follow::kSide1) {
    core1 = middle1 + nearestOnAxis(middle1, half1, core0) * half1;
  }
}

/// The body whose axes the normal turns with: body 0, unless its surface is round and the other's
/// is not.
bool turnsWithBody1(const ExactPoint& p) {
  return p.radius0 > 0.0 && !(p.radius1 > 0.0);
}

/// The points of one contact.
template <class Rows>
void collectContact(Simulation& sim, std::uint32_t id, LaneBodies bodyPair, Rows& rows, ContactSums& sums, int lane) {
  constexpr int kPoints = Rows::kPointCount;
  const ContactCache::Contact& contact = sim.collision.contacts().contact(id);
  const StoredContact<kPoints>& stored = sim.collision.contacts().numbers<kPoints>(id);
  ExactPoint p;
  p.body0 = bodyPair.body0;
  p.body1 = bodyPair.body1;
  p.island = sim.islands.islandOf[sim.pushable[p.body0] != 0 ? p.body0 : p.body1];
  p.sums = &sums;
  p.lane = lane;
  p.friction = stored.friction;
  p.restitution = stored.restitution;
  p.size = stored.size;

  const CollisionPipeline::Pair& pair = sim.collision.pairs()[contact.pair];
  const auto [c0, c1] = contact.flipped ? std::pair{pair.colliderB, pair.colliderA}
                                        : std::pair{pair.colliderA, pair.colliderB};
  const BodyPose& pose0 = sim.solver.pose[p.body0];
  const BodyPose& pose1 = sim.solver.pose[p.body1];
  const Quaternion q0 = quaternionOf(pose0.q), q1 = quaternionOf(pose1.q);
  const Vector3D normal = q0 * vectorOf(stored.normal);
  p.radius0 = roundness(sim.collision.colliders()[c0], pose0, normal);
  p.radius1 = roundness(sim.collision.colliders()[c1], pose1, normal);
  p.normalOfOwner = (turnsWithBody1(p) ? q1 : q0).conjugate() * normal;
  p.startTangent = {rows.tangent[0][lane], rows.tangent[1][lane], rows.tangent[2][lane]};
  const Vector3D toCore0 = -p.radius0 * (q0.conjugate() * normal);
  const Vector3D toCore1 = p.radius1 * (q1.conjugate() * normal);
  const CoreAxis axis0 = coreAxis(sim.collision.colliders()[c0]);
  const CoreAxis axis1 = coreAxis(sim.collision.colliders()[c1]);
  p.middle0 = axis0.middle, p.axis0 = axis0.half;
  p.middle1 = axis1.middle, p.axis1 = axis1.half;
  int active = 0;
  for (const StoredPoint& point : stored.points) active += point.active > 0.0 ? 1 : 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const StoredPoint& point = stored.points[i];
    if (!(point.active > 0.0)) continue;
    if (!(rows.points[i].normalMass[lane] > 0.0)) continue;  // disabled by the user's function for contacts
    p.rows = &rows.points[i];
    p.core0 = vectorOf(point.anchor0) + toCore0;
    p.core1 = vectorOf(point.anchor1) + toCore1;
    p.follow = followOf(p, active == 1);
    p.impulse = {p.rows->impulse[0][lane], p.rows->impulse[1][lane], p.rows->impulse[2][lane]};
    sim.exact.unsorted.push_back(p);
  }
}

}  // namespace

ContactPlace placeContact(const ExactPoint& p, const SolverBodies& bodies) {
  const BodyPose& pose0 = bodies.pose[p.body0];
  const BodyPose& pose1 = bodies.pose[p.body1];
  const Quaternion q0 = quaternionOf(pose0.q), q1 = quaternionOf(pose1.q);
  const Vector3D between = vectorOf(pose1.x) - vectorOf(pose0.x);
  Vector3D core0 = q0 * p.core0;            // from x0
  Vector3D core1 = between + q1 * p.core1;  // from x0
  if (p.follow != ExactPoint::Follow::kFixed) followAxes(p, q0, q1, between, core0, core1);
  ContactPlace place;
  if (p.radius0 > 0.0 && p.radius1 > 0.0) {
    const Vector3D apart = core1 - core0;
    const double distance = apart.norm();
    place.normal = distance > 0.0 ? Vector3D{apart / distance} : Vector3D{q0 * p.normalOfOwner};
  } else {
    place.normal = (turnsWithBody1(p) ? q1 : q0) * p.normalOfOwner;
  }
  place.tangent1 = (p.startTangent - p.startTangent.dot(place.normal) * place.normal).normalized();
  place.tangent2 = place.normal.cross(place.tangent1);
  place.gap = place.normal.dot(core1 - core0) - p.radius0 - p.radius1;
  // The point stays with body 1, midway between the surfaces.
  place.arm0 = core1 - (p.radius1 + 0.5 * place.gap) * place.normal;
  place.arm1 = place.arm0 - between;
  return place;
}

Vector3D relativeVelocity(const ExactPoint& p, const SolverBodies& bodies) {
  const BodyMotion& m0 = bodies.motion[p.body0];
  const BodyMotion& m1 = bodies.motion[p.body1];
  const Vector3D u =
      (vectorOf(m1.v) + vectorOf(m1.w).cross(p.place.arm1)) - (vectorOf(m0.v) + vectorOf(m0.w).cross(p.place.arm0));
  return {u.dot(p.place.normal), u.dot(p.place.tangent1), u.dot(p.place.tangent2)};
}

void collectExactPoints(Simulation& sim) {
  ExactStep& exact = sim.exact;
  exact.unsorted.clear();
  sim.table.forEach([&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums& sums, int lane) {
    collectContact(sim, id, bodyPair, rows, sums, lane);
  });
  const std::size_t islands = sim.islands.count();
  exact.start.assign(islands + 2, 0);
  for (const ExactPoint& p : exact.unsorted) ++exact.start[p.island + 2];
  for (std::size_t k = 2; k < exact.start.size(); ++k) exact.start[k] += exact.start[k - 1];
  exact.points.resize(exact.unsorted.size());
  for (const ExactPoint& p : exact.unsorted) exact.points[exact.start[p.island + 1]++] = p;
  exact.start.pop_back();
  while (exact.islands.size() < islands) exact.islands.push_back(std::make_unique<ExactIsland>());
}

}  // namespace msd_sim
