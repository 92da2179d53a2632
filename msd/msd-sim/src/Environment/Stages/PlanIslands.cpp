#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

/// Largest speed of a point of a body, squared [m²/s²], at most.
double fastestPoint2(const SolverBodies& solver, std::uint32_t i) {
  const BodyMotion& m = solver.motion[i];
  const double size = solver.pose[i].size;
  const double v2 = m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2];
  const double w2 = m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2];
  return v2 + size * size * w2;
}

/// How far a body goes in a step against its size, and how far it turns [rad].
double motionOf(const SolverBodies& solver, std::uint32_t i, double dt) {
  const BodyMotion& m = solver.motion[i];
  return dt * (vectorOf(m.v).norm() / solver.pose[i].size + vectorOf(m.w).norm());
}

void countBodies(Simulation& sim, double dt) {
  Islands& islands = sim.islands;
  for (std::size_t k = 0; k < islands.count(); ++k) {
    IslandCensus& census = islands.census[k];
    census = {};
    double fastest2 = 0.0;
    for (const std::uint32_t i : islands.bodiesOf(k)) {
      fastest2 = std::max(fastest2, fastestPoint2(sim.solver, i));
      census.forced = census.forced || sim.slots[i].forced;
    }
    census.bodies = static_cast<std::uint32_t>(islands.bodiesOf(k).size());
    census.fastest = std::sqrt(fastest2);
    census.joints = islands.joints[k];
    if (census.joints > 0) {
      for (const std::uint32_t i : islands.bodiesOf(k)) {
        census.motion = std::max(census.motion, motionOf(sim.solver, i, dt));
      }
    }
    census.driven = islands.hold[k] == IslandHold::kDriven;
  }
}

void countContacts(Simulation& sim) {
  Islands& islands = sim.islands;
  ContactCache& contacts = sim.collision.contacts();
  contacts.forEach([&](std::uint32_t id, const ContactCache::Contact& contact) {
    const auto [a, b] = contact.bodies;
    if (sim.pushable[a] == 0 && sim.pushable[b] == 0) return;
    IslandCensus& census = islands.census[islands.islandOf[sim.pushable[a] != 0 ? a : b]];
    ++census.manifolds;
    if (contact.born == contacts.frame()) ++census.fresh;
    census.bounces = census.bounces || contact.bounces;
    census.resists = census.resists || contact.resistance != ContactCache::kNone;
    if (census.rolls || ContactCache::kindOf(id) == ContactCache::Kind::kPatch) return;
    contacts.with(id, [&](const auto& s) { census.rolls = s.rounding0 > 0.0 || s.rounding1 > 0.0; });
  });
}

/// Joints of components that are swept go on together: they rest all or none.
void countJoints(Simulation& sim) {
  Islands& islands = sim.islands;
  sim.joints.update(sim.solver, true);
  bool sweptRest = true;
  forJointIslands(sim, [&](const JointRecord& r, std::uint32_t k) {
    islands.census[k].sweptJoints = islands.census[k].sweptJoints || r.swept;
    islands.census[k].jointsRest = islands.census[k].jointsRest && !r.solved;
    sweptRest = sweptRest && (!r.swept || !r.solved);
  });
  for (IslandCensus& census : islands.census) {
    census.jointsRest = census.jointsRest && (!census.sweptJoints || sweptRest);
  }
}

}  // namespace

/// A body in free flight falls exactly in one substep of any length; it turns exactly where its inertia is
/// the same about all axes, and nearly so where it turns little (T-11a).
bool fliesInOneSubstep(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  const double w2 = m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2];
  return sim.pushable[i] != 0 && sim.settings.substeps == 0 && dt * dt * w2 <= kTuning.smallTurn * kTuning.smallTurn;
}

void planIslands(Simulation& sim, double dt) {
  Islands& islands = sim.islands;
  const std::size_t count = islands.count();
  islands.census.reserve(sim.slots.size());
  islands.plan.reserve(sim.slots.size());
  islands.census.assign(count, {});
  islands.plan.assign(count, {});
  if (sim.settings.method != Method::kExact) {
    countBodies(sim, dt);
    countContacts(sim);
    if (!sim.joints.isEmpty()) countJoints(sim);
    const PlanSettings settings{.substeps = sim.settings.substeps,
                                .iterations = sim.settings.iterations,
                                .kickSpeed = 0.5 * dt * sim.settings.gravity.norm(),
                                .fields = !sim.potentials.empty()};
    for (std::size_t k = 0; k < count; ++k) {
      islands.plan[k] = planIsland(islands.census[k], settings);
      for (const std::uint32_t i : islands.bodiesOf(k)) sim.solver.budget[i] = islands.plan[k].budget;
    }
  } else if (!sim.joints.isEmpty()) {
    sim.joints.update(sim.solver, false);
  }
  packIslands(sim, dt);
}

}  // namespace msd_sim
