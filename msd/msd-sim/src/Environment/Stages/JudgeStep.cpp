#include <algorithm>
#include <limits>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"

namespace msd_sim {

namespace {

/// Size of the smaller body that a joint holds [m].
double heldSize(const Simulation& sim, const JointDefinition& joint) {
  double size = std::numeric_limits<double>::infinity();
  for (const std::uint32_t slot : {joint.bodyA, joint.bodyB}) {
    if (sim.slots[slot].inertial) size = std::min(size, sim.solver.pose[slot].size);
  }
  return size;
}

std::uint32_t countTornJoints(const Simulation& sim) {
  std::uint32_t torn = 0;
  for (const JointRecord& r : sim.joints.records()) {
    if (!r.used || r.broken) continue;
    if (r.separation > kStageTuning.tornJoint * heldSize(sim, r.definition)) ++torn;
  }
  return torn;
}

std::uint32_t countUnsolvedIslands(const Simulation& sim) {
  if (sim.settings.method == Method::kReference) return sim.reference.unsolvedIslands;
  if (sim.settings.method != Method::kExact) return 0;
  std::uint32_t unsolved = 0;
  for (std::size_t k = 0; k < sim.islands.count(); ++k) {
    const ExactIsland& island = *sim.exact.islands[k];
    if (!island.converged) ++unsolved;
  }
  return unsolved;
}

}  // namespace

void judgeStep(Simulation& sim) {
  StepReport& report = sim.report;
  report.unsolvedIslands = countUnsolvedIslands(sim);
  report.tornJoints = countTornJoints(sim);
  report.guardedIslands = sim.guardedSubsteps;
  report.guardEnergy = sim.guardedEnergy;
  if (report.unsolvedIslands > 0) report.blame(StepFault::kNotConverged);
  if (report.tornJoints > 0) report.blame(StepFault::kTornJoint);
  // Exact and reference mode solve Coulomb's law alone.
  const bool exact = sim.settings.method == Method::kExact;
  const bool reference = sim.settings.method == Method::kReference;
  if ((exact && sim.collision.contacts().resistingCount() > 0) || (reference && sim.reference.resists)) {
    report.blame(StepFault::kResistanceIgnored);
  }
  if (sim.guardedEnergy > kStageTuning.guardedShare * report.energy.scale) report.blame(StepFault::kGuarded);
}

}  // namespace msd_sim
