// How each group of islands was solved in a step, and what was left: the part of the report that
// tells what the step cost and what it bought.
#include <algorithm>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Physics/Solver/SettledSpeed.hpp"

namespace msd_sim {

namespace {

GroupReport& groupOf(Simulation& sim, const Pack& pack) {
  return sim.report.groups[static_cast<std::size_t>(pack.group)];
}

/// Bodies of a pack, without what fills up its last block.
std::uint32_t countBodies(const Simulation& sim, const Pack& pack) {
  std::uint32_t end = pack.bodyEnd;
  while (end > pack.body && sim.packs.bodies[end - 1] == 0) --end;
  return end - pack.body;
}

/// What packs were made of, and what their plans allowed (a phase sweeps an island's manifolds so
/// often at most).
void countPacks(Simulation& sim) {
  for (std::size_t i = 0; i < sim.packs.packs.size(); ++i) {
    const Pack& pack = sim.packs.packs[i];
    GroupReport& group = groupOf(sim, pack);
    group.substeps = static_cast<std::uint32_t>(substepsOf(pack.group, sim.settings.substeps));
    group.islands += pack.islandEnd - pack.island;
    group.bodies += countBodies(sim, pack);
    group.visits += sim.packScratch[i]->visits;
    sim.report.shapeTests += sim.packScratch[i]->tests;
    const std::size_t phases = sim.packScratch[i]->phaseSweeps.size();
    for (const std::uint32_t island : sim.packs.islandsOf(pack)) {
      const std::uint32_t manifolds = sim.islands.census[island].manifolds;
      group.manifolds += manifolds;
      group.visitsAllowed += std::uint64_t{manifolds} * sim.islands.plan[island].budget.most *
                             (phases + sim.islands.rebound[island].again);
      group.unsettled += sim.contactTotals[island].last.unsettled;
    }
  }
}

/// Sweeps phase by phase: which islands share a pack, and so wait for each other, depends on the
/// number of threads, and what the report says must not.
void countSweeps(Simulation& sim) {
  bool more = true;
  for (std::size_t phase = 0; more; ++phase) {
    std::array<std::uint32_t, kSolveGroups> most{};
    more = false;
    for (std::size_t i = 0; i < sim.packs.packs.size(); ++i) {
      const std::vector<std::uint32_t>& sweeps = sim.packScratch[i]->phaseSweeps;
      if (phase >= sweeps.size()) continue;
      std::uint32_t& largest = most[static_cast<std::size_t>(sim.packs.packs[i].group)];
      largest = std::max(largest, sweeps[phase]);
      more = true;
    }
    for (std::size_t g = 0; g < kSolveGroups; ++g) sim.report.groups[g].sweeps += most[g];
  }
}

/// Size of the smaller body of a joint that can be pushed [m].
double sizeOf(const Simulation& sim, const JointDefinition& joint) {
  double size = std::numeric_limits<double>::infinity();
  for (const std::uint32_t slot : {joint.bodyA, joint.bodyB}) {
    if (sim.pushable[slot] != 0) size = std::min(size, sim.solver.pose[slot].size);
  }
  return size;
}

/// Joints that are swept, one by one, and mechanisms that are solved at once, where contacts have
/// to agree with them.
void countJoints(Simulation& sim, double dt, LastChange& all) {
  const auto note = [&](std::uint32_t slot, const JointDefinition& joint, double change) {
    const SolveGroup which = sim.islands.plan[sim.islands.islandOf[slot]].group;
    GroupReport& group = sim.report.groups[static_cast<std::size_t>(which)];
    const double h = dt / substepsOf(which, sim.settings.substeps);
    const double speed = SettledSpeed{h, sim.settings.gravity.norm()}.of(sizeOf(sim, joint));
    LastChange last;
    last.add(change / speed, speed);
    group.unsettled += last.unsettled;
    all.add(last);
  };
  const std::span<const JointComponent> components = sim.joints.components();
  for (std::uint32_t k = 0; k < components.size(); ++k) {
    const std::uint32_t slot = components[k].firstPushable();
    const std::uint32_t island = sim.islands.islandOf[slot];
    if (!sim.joints.isAwake(k) || island == Islands::kNone ||
        sim.islands.census[island].manifolds == 0)
      continue;
    note(slot, sim.joints.record(components[k].links()[0].joint).definition,
         sim.joints.lastChange(k));
  }
  for (const JointRecord& r : sim.joints.records()) {
    if (!r.used || r.broken || !r.swept || r.slot == JointRecord::kNoSlot ||
        sim.pushable[r.slot] == 0)
      continue;
    note(r.slot, r.definition, sim.joints.lastSweptChange());
  }
}

}  // namespace

void reportSolve(Simulation& sim, double dt) {
  StepReport& report = sim.report;
  countPacks(sim);
  countSweeps(sim);
  LastChange last;
  for (const ContactTotals& island : sim.contactTotals) last.add(island.last);
  if (!sim.joints.isEmpty()) countJoints(sim, dt, last);
  report.unsettled = last.unsettled;
  report.localResidual = last.localResidual;
  report.lastChange = last.speed;
  for (const GroupReport& group : report.groups) {
    report.iterations = std::max(report.iterations, group.sweeps);
    report.visits += group.visits;
    report.visitsAllowed += group.visitsAllowed;
  }
}

}  // namespace msd_sim
