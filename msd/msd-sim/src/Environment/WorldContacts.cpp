#include "msd-sim/src/Environment/WorldContacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/Reference/StepReference.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

namespace {

// A friction impulse this near to its limit, relative to it, counts as on the cone.
constexpr double kOnCone = 1e-6;

Pose poseOf(const Simulation& sim, std::uint32_t slot) {
  const BodyPose& p = sim.solver.pose[slot];
  return {{p.x[0], p.x[1], p.x[2]}, Quaternion{p.q[0], p.q[1], p.q[2], p.q[3]}};
}

/// Velocity of the point of a body that is at `point` now.
CoordinateRate velocityAt(const Simulation& sim, std::uint32_t slot, const Coordinate& point) {
  const BodyMotion& m = sim.solver.motion[slot];
  const BodyPose& p = sim.solver.pose[slot];
  const Vector3D arm = point - Coordinate{p.x[0], p.x[1], p.x[2]};
  return CoordinateRate{m.v[0], m.v[1], m.v[2]} + AngularRate{m.w[0], m.w[1], m.w[2]}.cross(arm);
}

/// Orientation at the start of the last step, to which the rows belong.
Quaternion startOrientation(const Simulation& sim, std::uint32_t slot) {
  if (sim.moving[slot] == 0) return poseOf(sim, slot).orientation;
  const double* q = sim.solver.start[slot].q;
  return {q[0], q[1], q[2], q[3]};
}

/// Orientation of row body 0 or 1 to which the rows of a contact belong: that at the start of the last step, or where
/// they were made anew in it (K-17).
Quaternion rowOrientation(const Simulation& sim, std::uint32_t id, int side) {
  const ContactCache::Contact& contact = sim.collision.contacts().contact(id);
  const Quaternion start = startOrientation(sim, side == 0 ? contact.body0() : contact.body1());
  const auto at = std::ranges::lower_bound(sim.rowTurns, std::uint64_t{id}, {}, &RowTurn::contact);
  if (at == sim.rowTurns.end() || at->contact != id) return start;
  const double(&turn)[4] = side == 0 ? at->turn0 : at->turn1;
  return Quaternion{turn[0], turn[1], turn[2], turn[3]} * start;
}

struct Surfaces {
  Vector3D normal;  ///< from row body 0 to row body 1
  Coordinate on0, on1;
};

/// Normal of the rows in the last step, to which the forces belong, world axes.
template <class Stored>
Vector3D startNormal(const Simulation& sim, std::uint32_t id, const Stored& s) {
  return rowOrientation(sim, id, 0) * vectorOf(s.normal);
}

/// Where the surfaces of both bodies are at point p of a contact now (G-1). What turns with a round
/// body is its core; the surface stays at the same distance from that along the normal, which a round
/// body 0 does not turn.
template <class Stored>
Surfaces surfacesOf(const Simulation& sim, std::uint32_t id, const Stored& s, std::size_t p) {
  const ContactCache::Contact& contact = sim.collision.contacts().contact(id);
  const Pose pose0 = poseOf(sim, contact.body0()), pose1 = poseOf(sim, contact.body1());
  const Vector3D start = startNormal(sim, id, s);
  if (s.balls > 0.0) {
    const Vector3D between = pose1.position - pose0.position;
    const double distance = between.norm();
    const Vector3D n = distance > 0.0 ? Vector3D{between / distance} : start;
    return {n, pose0.position + s.rounding0 * n, pose1.position - s.rounding1 * n};
  }
  const Vector3D n_0 = vectorOf(s.normal);  // in the axes of body 0
  const Vector3D n = s.rounding0 > 0.0 ? start : Vector3D{pose0.orientation * n_0};
  const Coordinate core0 = pose0.toWorld(vectorOf(s.points[p].anchor0) - s.rounding0 * n_0);
  const Vector3D n_1 = rowOrientation(sim, id, 1).conjugate() * start;
  const Coordinate core1 = pose1.toWorld(vectorOf(s.points[p].anchor1) + s.rounding1 * n_1);
  return {n, core0 + s.rounding0 * n, core1 - s.rounding1 * n};
}

/// Point p of a contact. Row body 0 owns the normal, body 1 the point; the record names the body in
/// the smaller slot A.
template <class Stored>
ContactRecord makeRecord(const Simulation& sim, std::uint32_t id, const Stored& s, std::size_t p) {
  const ContactCache::Contact& contact = sim.collision.contacts().contact(id);
  const auto [n, onBody0, onBody1] = surfacesOf(sim, id, s, p);
  const std::uint32_t body0 = contact.body0(), body1 = contact.body1();
  const bool swapped = body1 < body0;

  ContactRecord record{};
  record.bodyA = sim.idOf(swapped ? body1 : body0);
  record.bodyB = sim.idOf(swapped ? body0 : body1);
  record.normal = swapped ? Vector3D{-n} : n;
  record.gap = n.dot(onBody1 - onBody0);
  record.point = onBody1 - 0.5 * record.gap * n;
  record.friction = s.friction;
  record.feature = contact.feature[p];

  // Force on row body 1.
  const Force force = vectorOf(s.forces.mean[p]);
  record.forceOnB = swapped ? Force{-force} : force;
  const CoordinateRate u = velocityAt(sim, record.bodyB.index, record.point) -
                           velocityAt(sim, record.bodyA.index, record.point);
  record.slip = u - u.dot(n) * n;
  const Vector3D pushed = startNormal(sim, id, s);
  const double normal = force.dot(pushed);
  const double tangential = (force - normal * pushed).norm();
  record.state = !(normal > 0.0)                                          ? ContactState::kOpen
                 : tangential >= (1.0 - kOnCone) * record.friction * normal ? ContactState::kSlip
                                                                            : ContactState::kStick;
  return record;
}

/// Calls visit(record) for every point of a contact.
template <class Visit>
void forPoints(const Simulation& sim, std::uint32_t id, const Visit& visit) {
  const ContactCache& contacts = sim.collision.contacts();
  contacts.with(id, [&](const auto& s) {
    for (std::size_t p = 0; p < std::size(s.points); ++p) {
      if (s.points[p].active > 0.0) visit(makeRecord(sim, id, s, p));
    }
  });
}

void addRecords(const Simulation& sim, const CollisionPipeline::Pair& pair,
                std::vector<ContactRecord>& records) {
  for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone;
       c = sim.collision.contacts().contact(c).next) {
    forPoints(sim, c, [&](const ContactRecord& record) { records.push_back(record); });
  }
}

/// Bodies of several shapes and surfaces give several contacts to a pair of bodies: their order among each
/// other is that of the pairs.
void sortRecords(std::vector<ContactRecord>& records) {
  std::vector<std::uint32_t> order(records.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::tie(records[x].bodyA, records[x].bodyB, x) < std::tie(records[y].bodyA, records[y].bodyB, y);
  });
  std::vector<ContactRecord> sorted;
  sorted.reserve(records.size());
  for (const std::uint32_t i : order) sorted.push_back(records[i]);
  records.swap(sorted);
}

void fillRecords(Simulation& sim) {
  sim.records.clear();
  for (const CollisionPipeline::Pair& pair : sim.collision.pairs()) addRecords(sim, pair, sim.records);
  sortRecords(sim.records);
  sim.recordsValid.store(true, std::memory_order_release);
}

}  // namespace

ContactRecord strongestPoint(const Simulation& sim, std::uint32_t contact) {
  ContactRecord best{};
  double most = -1.0;
  forPoints(sim, contact, [&](const ContactRecord& record) {
    const double load = std::abs(record.forceOnB.dot(record.normal));
    if (load > most) {
      most = load;
      best = record;
    }
  });
  return best;
}

std::span<const ContactRecord> WorldModel::contacts() const {
  requireIdle(*simulation_);
  if (!simulation_->recordsValid.load(std::memory_order_acquire)) {
    const std::lock_guard lock{simulation_.inner().lazy};
    if (!simulation_->recordsValid.load(std::memory_order_relaxed)) {
      const bool reference = simulation_->settings.method == Method::kReference;
      reference ? listReferenceRecords(simulation_.inner()) : fillRecords(simulation_.inner());
    }
  }
  return simulation_->records;
}

std::vector<ContactRecord> WorldModel::contacts(BodyId body) const {
  requireIdle(*simulation_);
  const Simulation& sim = *simulation_;
  std::vector<ContactRecord> mine;
  if (sim.settings.method == Method::kReference) {
    (void)sim.slot(body);  // throws where there is none
    for (const ContactRecord& r : contacts()) {
      if (r.bodyA == body || r.bodyB == body) mine.push_back(r);
    }
    return mine;
  }
  for (const std::uint32_t pair : sim.collision.pairsOf(sim.slot(body).firstCollider)) {
    addRecords(sim, sim.collision.pairs()[pair], mine);
  }
  sortRecords(mine);
  return mine;
}

std::span<const ContactEvent> WorldModel::events() const {
  return simulation_->events;
}

}  // namespace msd_sim
