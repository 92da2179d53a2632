#include "msd-sim/src/Environment/WorldContacts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

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

template <class Triple>
Vector3D lane3(const Triple& values, std::size_t l) {
  return {values[0][l], values[1][l], values[2][l]};
}

/// What the impulses of the last step divide by to give mean forces [s]. Parked contacts hold
/// forces.
double forceTime(const Simulation& sim, const ContactCache::Contact& contact) {
  if (contact.colour == ContactCache::kParked) return 1.0;
  return sim.settled.dt > 0.0 ? sim.settled.dt : std::numeric_limits<double>::infinity();
}

/// Orientation at the start of the last step, to which the rows belong.
Quaternion startOrientation(const Simulation& sim, std::uint32_t slot) {
  if (sim.moving[slot] == 0) return poseOf(sim, slot).orientation;
  const double* q = sim.solver.start[slot].q;
  return {q[0], q[1], q[2], q[3]};
}

struct Surfaces {
  Vector3D normal;  ///< from row body 0 to row body 1
  Coordinate on0, on1;
};

/// Where the surfaces of both bodies are at point p of a contact now (G-1). What turns with a round
/// body is its core; the surface stays at the same distance from that along the normal, which a round
/// body 0 does not turn.
template <class Bundle, class Rows>
Surfaces surfacesOf(const Simulation& sim, const Bundle& bundle, const Rows& rows, std::size_t l,
                    std::size_t p) {
  const auto body0 = static_cast<std::uint32_t>(bundle.body0[l]);
  const auto body1 = static_cast<std::uint32_t>(bundle.body1[l]);
  const Pose pose0 = poseOf(sim, body0), pose1 = poseOf(sim, body1);
  const double r0 = bundle.rounding0[l], r1 = bundle.rounding1[l];
  if (bundle.balls[l] > 0.0) {
    const Vector3D between = pose1.position - pose0.position;
    const double distance = between.norm();
    const Vector3D n = distance > 0.0 ? Vector3D{between / distance} : lane3(rows.normal, l);
    return {n, pose0.position + r0 * n, pose1.position - r1 * n};
  }
  const Vector3D n_0 = lane3(bundle.normal, l);  // in the axes of body 0
  const Vector3D n = r0 > 0.0 ? lane3(rows.normal, l) : Vector3D{pose0.orientation * n_0};
  const Coordinate core0 = pose0.toWorld(lane3(bundle.anchor0[p], l) - r0 * n_0);
  const Vector3D n_1 = startOrientation(sim, body1).conjugate() * lane3(rows.normal, l);
  const Coordinate core1 = pose1.toWorld(lane3(bundle.anchor1[p], l) + r1 * n_1);
  return {n, core0 + r0 * n, core1 - r1 * n};
}

/// Point p of a contact. Row body 0 owns the normal, body 1 the point; the record names the body in
/// the smaller slot A.
template <class Bundle, class Rows>
ContactRecord makeRecord(const Simulation& sim, const ContactCache::Contact& contact,
                         const Bundle& bundle, const Rows& rows, int lane, std::size_t p,
                         std::uint32_t feature) {
  const auto l = static_cast<std::size_t>(lane);
  const auto body0 = static_cast<std::uint32_t>(bundle.body0[l]);
  const auto body1 = static_cast<std::uint32_t>(bundle.body1[l]);
  const auto [n, onBody0, onBody1] = surfacesOf(sim, bundle, rows, l, p);
  const bool swapped = body1 < body0;

  ContactRecord record{};
  record.bodyA = sim.idOf(swapped ? body1 : body0);
  record.bodyB = sim.idOf(swapped ? body0 : body1);
  record.normal = swapped ? Vector3D{-n} : n;
  record.gap = n.dot(onBody1 - onBody0);
  record.point = onBody1 - 0.5 * record.gap * n;
  record.friction = bundle.friction[l];
  record.feature = feature;

  // Impulse on row body 1, in the frame of the rows.
  const Vector3D rowNormal = lane3(rows.normal, l), t1 = lane3(rows.tangent, l);
  const Vector3D total = lane3(rows.points[p].total, l);
  const double time = forceTime(sim, contact);
  const Force force =
      (total.x() * rowNormal + total.y() * t1 + total.z() * rowNormal.cross(t1)) / time;
  record.forceOnB = swapped ? Force{-force} : force;
  const CoordinateRate u = velocityAt(sim, record.bodyB.index, record.point) -
                           velocityAt(sim, record.bodyA.index, record.point);
  record.slip = u - u.dot(n) * n;
  const double limit = record.friction * total.x();
  const double tangential = std::hypot(total.y(), total.z());
  record.state = !(total.x() / time > 0.0)               ? ContactState::kOpen
                 : tangential >= (1.0 - kOnCone) * limit ? ContactState::kSlip
                                                         : ContactState::kStick;
  return record;
}

/// Calls visit(record) for every point of a contact.
template <class Visit>
void forPoints(const Simulation& sim, std::uint32_t id, const Visit& visit) {
  const ContactCache& contacts = sim.collision.contacts();
  const auto& feature = contacts.laneMeta(id).feature;
  contacts.with(id, [&](const ContactCache::Contact& contact, const auto& bundle, const auto& rows,
                        const ContactSums&, int lane) {
    for (std::size_t p = 0; p < std::size(bundle.active); ++p) {
      if (bundle.active[p][lane] > 0.0) {
        visit(makeRecord(sim, contact, bundle, rows, lane, p, feature[p]));
      }
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
  std::stable_sort(records.begin(), records.end(), [](const ContactRecord& x, const ContactRecord& y) {
    return std::tie(x.bodyA, x.bodyB) < std::tie(y.bodyA, y.bodyB);
  });
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
