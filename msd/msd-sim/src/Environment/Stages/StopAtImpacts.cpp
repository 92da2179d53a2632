// Time of impact for bodies that are marked continuous.
//
// Contacts already look ahead by what bodies may move in a step, along the normals at its start. A
// body that moves or turns far in a step can still get past them. Here the way from a marked body's
// pose at the start of the step to the one at its end is checked against everything near it. Where
// it would have passed through something, both stop at the moment they met, in the order of these
// moments; the next step finds them there with their velocities and solves the impact.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Physics/Collision/TimeOfImpact.hpp"

namespace msd_sim {

namespace {

// Distance at which bodies stop, relative to the smaller one's size; contacts see twice as far.
constexpr double kTwoPi = 6.283185307179586;

Pose startPose(const Simulation& sim, std::uint32_t i) {
  if (sim.moving[i] == 0) {
    const BodyPose& p = sim.solver.pose[i];
    return {{p.x[0], p.x[1], p.x[2]}, Quaternion{p.q[0], p.q[1], p.q[2], p.q[3]}};
  }
  const BodyStart& s = sim.solver.start[i];
  return {{s.x[0], s.x[1], s.x[2]}, Quaternion{s.q[0], s.q[1], s.q[2], s.q[3]}};
}

/// The uniform motion of a body's centre-of-mass frame that leads from the start of the step to its
/// end, whole turns included.
RigidMotion pathOf(const Simulation& sim, std::uint32_t i, double dt) {
  RigidMotion path;
  path.start = startPose(sim, i);
  if (sim.moving[i] == 0) return path;
  const BodyPose& p = sim.solver.pose[i];
  const BodyMotion& m = sim.solver.motion[i];
  path.velocity = (Coordinate{p.x[0], p.x[1], p.x[2]} - path.start.position) / dt;
  Vector3D turn = rotationVector(Quaternion{p.q[0], p.q[1], p.q[2], p.q[3]} *
                                 path.start.orientation.conjugate());
  const double angle = turn.norm();
  if (angle > 0.0) {
    const double spun = dt * AngularRate{m.w[0], m.w[1], m.w[2]}.dot(turn) / angle;
    turn *= (angle + kTwoPi * std::round((spun - angle) / kTwoPi)) / angle;
  }
  path.angularVelocity = turn / dt;
  return path;
}

/// A body's path until it stops.
struct Way {
  RigidMotion path;
  double stop;  ///< [s]
  [[nodiscard]] Pose at(double time) const { return path.at(std::min(time, stop)); }
  /// The motion of a collider of the body from `time` on.
  [[nodiscard]] RigidMotion of(const Collider& collider, double time) const {
    RigidMotion motion;
    motion.start = at(time) * collider.local;
    motion.pivot = collider.local.toLocal(Coordinate::Zero());
    if (time < stop) {
      motion.velocity = path.velocity;
      motion.angularVelocity = path.angularVelocity;
    }
    return motion;
  }
};

using Impact = ImpactScratch::Impact;

class ImpactSearch {
 public:
  ImpactSearch(Simulation& sim, double dt)
      : sim_{sim},
        dt_{dt},
        stops_{sim.impactScratch.stops},
        impacts_{sim.impactScratch.impacts},
        queue_{sim.impactScratch.queue},
        ways_{sim.impactScratch.ways} {
    stops_.assign(sim.slots.size(), dt);
    impacts_.assign(sim.continuous.size(), Impact{});
    queue_.clear();
    ways_.clear();
  }

  void run() {
    for (std::size_t k = 0; k < impacts_.size(); ++k) find(k);
    // Each round stops at least one body for good, or earlier than before.
    for (std::size_t round = 0; round < 4 * impacts_.size() + 4; ++round) {
      const std::size_t first = takeEarliest();
      if (first == impacts_.size()) break;
      stop(first, Impact{impacts_[first]});
    }
    for (std::uint32_t i = 0; i < stops_.size(); ++i) {
      if (stops_[i] < dt_) place(i);
    }
  }

 private:
  /// The marked body whose impact comes first, of several the one made first; their number where there is none.
  [[nodiscard]] std::size_t takeEarliest() {
    while (!queue_.empty()) {
      const auto [time, k] = queue_.front();
      std::pop_heap(queue_.begin(), queue_.end(), std::greater<>{});
      queue_.pop_back();
      if (impacts_[k].time == time) return k;  // else it has been found anew since
    }
    return impacts_.size();
  }

  /// Calls visit(j) for the marked bodies whose way leads through a box, ascending.
  template <class Visit>
  void forMarkedIn(const Aabb& box, const Visit& visit) {
    if (ways_.empty()) {
      for (std::uint32_t j = 0; j < impacts_.size(); ++j) {
        (void)ways_.insert(sweptBox(sim_.continuous[j]), j);
      }
    }
    std::vector<std::uint32_t> met;  // ways only get shorter: the boxes hold
    ways_.query(box, [&](std::uint32_t j, std::int32_t) { met.push_back(j); });
    std::sort(met.begin(), met.end());
    for (const std::uint32_t j : met) {
      if (sweptBox(sim_.continuous[j]).overlaps(box)) visit(j);
    }
  }

  [[nodiscard]] Way wayOf(std::uint32_t i) const { return {pathOf(sim_, i, dt_), stops_[i]}; }

  [[nodiscard]] Aabb sweptBox(std::uint32_t i) const {
    const Way way = wayOf(i);
    const Coordinate a = way.at(0.0).position, b = way.at(way.stop).position;
    return Aabb{a.cwiseMin(b), a.cwiseMax(b)}.expanded(sim_.solver.pose[i].size);
  }

  /// Earliest impact of marked body k.
  void find(std::size_t k) {
    const std::uint32_t body = sim_.continuous[k];
    impacts_[k] = {};
    if (sim_.pushable[body] == 0) return;
    const Aabb box = sweptBox(body);
    const auto colliders = sim_.collision.colliders();
    for (std::uint32_t mine = sim_.slots[body].firstCollider; mine != Collider::kNone;
         mine = colliders[mine].nextOfBody) {
      const auto look = [&](std::uint32_t other, std::int32_t) { check(k, mine, other); };
      sim_.collision.movingTree().query(box, look);
      sim_.collision.staticTree().query(box, look);
    }
    if (!std::isfinite(impacts_[k].time)) return;
    queue_.emplace_back(impacts_[k].time, static_cast<std::uint32_t>(k));
    std::push_heap(queue_.begin(), queue_.end(), std::greater<>{});
  }

  void check(std::size_t k, std::uint32_t mine, std::uint32_t theirs) {
    const auto colliders = sim_.collision.colliders();
    const Collider& a = colliders[mine];
    const Collider& b = colliders[theirs];
    if (a.body == b.body || (a.layer & b.mask) == 0 || (b.layer & a.mask) == 0 ||
        b.shape.kind == ShapeKind::kPlane || !mayTouch(sim_, a.body, b.body)) {
      return;
    }
    const Vector3D extent = a.shape.localBounds.upper - a.shape.localBounds.lower;
    const double allowed = kStageTuning.allowedDepth * 0.5 * extent.minCoeff();
    const Way wayA = wayOf(a.body), wayB = wayOf(b.body);
    if (farthest(wayA, a.body) + farthest(wayB, b.body) <= allowed) return;
    const double target = kStageTuning.stopDistance * std::min(a.shape.size, b.shape.size);
    const double time = firstPassage(a, wayA, b, wayB, target, allowed);
    Impact& impact = impacts_[k];
    if (time < impact.time || (time == impact.time && b.body < impact.other)) {
      impact = {time, b.body};
    }
  }

  /// Bound of how far any point of a body comes on its way [m].
  [[nodiscard]] double farthest(const Way& way, std::uint32_t i) const {
    return way.stop *
           (way.path.velocity.norm() + way.path.angularVelocity.norm() * sim_.solver.pose[i].size);
  }

  /// When A meets a surface of B that it has passed at the end, or infinity. Up to the earlier stop
  /// both move, then one of them.
  [[nodiscard]] double firstPassage(const Collider& a, const Way& wayA, const Collider& b,
                                    const Way& wayB, double target, double allowed) const {
    const double cuts[3] = {0.0, std::min(wayA.stop, wayB.stop), std::max(wayA.stop, wayB.stop)};
    for (int part = 0; part < 2; ++part) {
      const double from = cuts[part], length = cuts[part + 1] - cuts[part];
      if (!(length > 0.0)) continue;
      const RigidMotion motionA = wayA.of(a, from), motionB = wayB.of(b, from);
      const TimeOfImpact hit =
          b.shape.isConvex()
              ? computeTimeOfImpact(a.shape, motionA, b.shape, motionB, length, target)
              : computeTimeOfImpact(a.shape, motionA, b.shape, motionB.start, length, target);
      if (hit.status == TimeOfImpact::Status::kApart) continue;
      if (hit.status == TimeOfImpact::Status::kOverlapping) break;
      const double time = from + hit.time;
      if (hit.status == TimeOfImpact::Status::kLimited ||
          isPassed(a, wayA, b, wayB, hit, time, allowed)) {
        return time;
      }
      break;
    }
    return std::numeric_limits<double>::infinity();
  }

  /// Is A deeper than allowed behind the plane in which it met B, at the end of both ways?
  [[nodiscard]] static bool isPassed(const Collider& a, const Way& wayA, const Collider& b,
                                     const Way& wayB, const TimeOfImpact& hit, double time,
                                     double allowed) {
    const Pose bAtHit = wayB.at(time) * b.local, bAtEnd = wayB.at(wayB.stop) * b.local;
    const Coordinate point = bAtEnd.toWorld(bAtHit.toLocal(hit.point));
    const Vector3D n = bAtEnd.orientation * (bAtHit.orientation.conjugate() * hit.normal);
    const Pose aAtEnd = wayA.at(wayA.stop) * a.local;
    const Coordinate front =
        aAtEnd.toWorld(supportPoint(a.shape, aAtEnd.orientation.conjugate() * n));
    return n.dot(point - front) < -allowed;
  }

  void stop(std::size_t k, const Impact& impact) {
    const std::uint32_t stopped[2] = {sim_.continuous[k], impact.other};
    Aabb around;
    for (const std::uint32_t i : stopped) {
      if (sim_.pushable[i] == 0) continue;
      around = around.merged(sweptBox(i));
      stops_[i] = std::min(stops_[i], impact.time);
    }
    forMarkedIn(around, [&](std::size_t j) { find(j); });
    // The two now end where they met, with nothing left of the way to each other.
    if (impacts_[k].time <= impact.time) impacts_[k] = {};
  }

  void place(std::uint32_t i) {
    const Pose pose = wayOf(i).at(dt_);
    BodyPose& p = sim_.solver.pose[i];
    const BodyStart& s = sim_.solver.start[i];
    const BodyMotion& m = sim_.solver.motion[i];
    for (int c = 0; c < 3; ++c) {
      p.x[c] = pose.position[c];
      sim_.solver.shift[i].d[c] = p.x[c] - (s.x[c] + m.dx[c]);
    }
    p.q[0] = pose.orientation.w();
    p.q[1] = pose.orientation.x();
    p.q[2] = pose.orientation.y();
    p.q[3] = pose.orientation.z();
  }

  Simulation& sim_;
  double dt_;
  std::vector<double>& stops_;    ///< per body slot [s]
  std::vector<Impact>& impacts_;  ///< per marked body
  std::vector<std::pair<double, std::uint32_t>>& queue_;  ///< times and marked bodies, the earliest first
  DynamicTree& ways_;
};

}  // namespace

void stopAtImpacts(Simulation& sim, double dt) {
  if (sim.continuous.empty()) return;
  ImpactSearch{sim, dt}.run();
}

}  // namespace msd_sim
