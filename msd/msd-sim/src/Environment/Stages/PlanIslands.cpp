#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/SolverTuning.hpp"
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
  const bool resisting = contacts.resistingCount() > 0;
  contacts.forEach([&](std::uint32_t id, const ContactCache::Contact& contact, auto& bundle, auto&,
                       ContactSums&, int lane) {
    const auto a = static_cast<std::uint32_t>(bundle.body0[lane]);
    const auto b = static_cast<std::uint32_t>(bundle.body1[lane]);
    const std::uint32_t k = islands.islandOf[sim.pushable[a] != 0 ? a : b];
    if (k == Islands::kNone) return;
    IslandCensus& census = islands.census[k];
    ++census.manifolds;
    if (contact.born == contacts.frame()) ++census.fresh;
    census.bounces = census.bounces || contact.bounces;
    if (contact.kind != ContactCache::Kind::kPatch) {
      census.rolls = census.rolls || bundle.rounding0[lane] > 0.0 || bundle.rounding1[lane] > 0.0;
    }
    if (resisting) census.resists = census.resists || contacts.resistance(id).isThere();
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

/// A body in free flight falls exactly in one substep of any length; it turns exactly where its inertia is
/// the same about all axes, and nearly so where it turns little (T-11a).
bool fliesInOneSubstep(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  const double w2 = m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2];
  return sim.pushable[i] != 0 && dt * dt * w2 <= kTuning.smallTurn * kTuning.smallTurn;
}

/// Which bodies the kernels take for each group. Of those that nothing touches, the ones that turn fast, and
/// kinematic ones, go with those that take all substeps.
void listGroups(Simulation& sim) {
  for (auto& blocks : sim.groupBlocks) blocks.clear();
  for (const BodyBlock& block : sim.activeBlocks) {
    std::array<std::uint32_t, kSolveGroups> lanes{};
    for (std::uint32_t l = 0; l < SolverBodies::kBlock; ++l) {
      const std::size_t i = block.block * SolverBodies::kBlock + l;
      if (i < sim.slots.size() && sim.moving[i] != 0) lanes[sim.bodyGroups[i]] |= 1u << l;
    }
    for (std::size_t g = 0; g < kSolveGroups; ++g) {
      if (lanes[g] != 0) sim.groupBlocks[g].push_back({block.block, lanes[g]});
    }
  }
}

}  // namespace

void planIslands(Simulation& sim, double dt) {
  Islands& islands = sim.islands;
  const std::size_t count = islands.count();
  islands.census.reserve(sim.slots.size());
  islands.plan.reserve(sim.slots.size());
  islands.census.assign(count, {});
  islands.plan.assign(count, {});
  sim.bodyGroups.assign(sim.solver.size(), static_cast<std::uint8_t>(SolveGroup::kFull));
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
      for (const std::uint32_t i : islands.bodiesOf(k)) {
        sim.bodyGroups[i] = static_cast<std::uint8_t>(islands.plan[k].group);
        sim.solver.budget[i] = islands.plan[k].budget;
      }
    }
  }
  if (sim.settings.method != Method::kExact && sim.settings.substeps == 0 && sim.potentials.empty()) {
    for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
      if (islands.islandOf[i] == Islands::kNone && fliesInOneSubstep(sim, i, dt)) {
        sim.bodyGroups[i] = static_cast<std::uint8_t>(SolveGroup::kStill);
      }
    }
  }
  listGroups(sim);
  sim.collision.contacts().setGroups(sim.bodyGroups, sim.lastSubstep);
}

}  // namespace msd_sim
