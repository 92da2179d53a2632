#include "msd-sim/src/Physics/Solver/IslandPlan.hpp"

#include <algorithm>

#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"

namespace msd_sim {

namespace {

/// Visits that an island may spend, as a number of sweeps.
int sweepsFor(double visits, std::uint32_t manifolds, int fewest, int most) {
  const double sweeps = visits / std::max(1.0, static_cast<double>(manifolds));
  return static_cast<int>(std::clamp(sweeps, static_cast<double>(fewest), static_cast<double>(most)));
}

/// What is light between a heavy body and one that does not give way settles by a small share of its error in a sweep (G-14).
bool isStruck(const IslandCensus& island) { return island.struck && island.manifolds <= kTuning.smallManifolds; }

int hitSweeps(const IslandCensus& island) {
  if (isStruck(island)) return kTuning.struckSweeps;
  return sweepsFor(kTuning.smallManifolds, island.manifolds, kTuning.fewestHitSweeps, kTuning.mostHitSweeps);
}

/// The local residual at which an island at rest has settled: the more contacts carry a load in turn, the smaller is the share of
/// each, and the more sweeps a digit costs.
float restResidual(const IslandCensus& island) {
  const double ratio = static_cast<double>(island.manifolds) / kTuning.graspManifolds;
  return static_cast<float>(kTuning.coldResidual * std::clamp(ratio * ratio, 1.0, kTuning.largeIslandResidual));
}

bool isStill(const IslandCensus& island, const PlanSettings& settings) {
  return island.fastest <= settings.kickSpeed;
}

/// Nothing moves yet.
bool isSetUp(const IslandCensus& island, const PlanSettings& settings) {
  return island.fastest <= kTuning.settledKick * settings.kickSpeed;
}

/// Contacts that have just been made have nothing to start from (G-9). An impact of a few bodies is worth being
/// solved well; a large one only where it was set up at rest, and not where its contacts come and go while it settles.
bool startsCold(const IslandCensus& island, const PlanSettings& settings) {
  const bool isNew = island.fresh > kTuning.coldShare * island.manifolds;
  return isNew && (isSetUp(island, settings) || island.manifolds <= kTuning.tinyManifolds);
}

SweepBudget coldBudget(const IslandCensus& island, const PlanSettings& settings) {
  const bool still = isSetUp(island, settings);
  const int most = still ? sweepsFor(kTuning.coldVisits, island.manifolds, kTuning.fewestHitSweeps, mostColdSweeps())
                         : hitSweeps(island);
  const float settled = still ? restResidual(island) : static_cast<float>(kTuning.coldResidual);
  return {settled, settled, settled, 1.0f, static_cast<std::uint16_t>(most),
          static_cast<std::uint16_t>(most), still};
}

SweepBudget warmBudget(const IslandCensus& island, const PlanSettings& settings) {
  const bool tiny = island.manifolds <= kTuning.tinyManifolds;
  const bool large = island.manifolds > kTuning.smallManifolds;
  const int few = std::max(settings.iterations, large ? 1 : 2);
  const int most = hitSweeps(island);
  const auto gate = static_cast<float>(isStruck(island) ? 1.0 : large ? kTuning.largeIslandHit : kTuning.hit);
  return {1.0f,
          gate,
          tiny ? static_cast<float>(kTuning.coldResidual) : gate,
          tiny ? 1.0f : 0.0f,
          static_cast<std::uint16_t>(few),
          static_cast<std::uint16_t>(std::max(few, most))};
}

/// What lies still is kept so: where contacts are few, they settle far below what motion asks for.
SweepBudget restBudget(const IslandCensus& island, const PlanSettings& settings) {
  SweepBudget budget = warmBudget(island, settings);
  if (island.manifolds > kTuning.smallManifolds) return budget;
  budget.settled = restResidual(island);
  budget.few = budget.most = static_cast<std::uint16_t>(hitSweeps(island));
  return budget;
}

/// Nothing moves, and nothing is there to make it move.
bool isCalm(const IslandCensus& island, const PlanSettings& settings) {
  return settings.substeps == 0 && !settings.fields && !island.driven && !island.forced && !island.rolls &&
         !island.resists && island.jointsRest && isSetUp(island, settings);
}

/// (G-10): and the impulses of the last step keep it so.
bool isAtRest(const IslandCensus& island, const PlanSettings& settings) {
  return isCalm(island, settings) && island.fresh == 0;
}

/// (G-12): a mechanism that lies on something and hardly moves in a step is resolved by one substep: joints and
/// the contacts' normals are solved together, and what a substep turns is small. So is one that flies freely.
bool isSlowMechanism(const IslandCensus& island, const PlanSettings& settings, int substeps) {
  return settings.substeps == 0 && !settings.fields && !island.guided && !island.forced && !island.resists &&
         !island.bounces && !island.sweptJoints && island.joints > 0 && (island.manifolds > 0 || !island.held) &&
         island.motion <= substeps * kTuning.smallTurn;
}

/// (T-14): contacts that bounce need their own end, and joints are solved twice for their second order.
bool mayJoinPhases(const IslandCensus& island, const PlanSettings& settings) {
  const bool many = island.manifolds > kTuning.smallManifolds ||
                    (island.manifolds > kTuning.tinyManifolds && !isStill(island, settings));
  return many && !island.bounces && !island.resists && !island.driven && island.joints == 0 && !settings.fields;
}

/// A mechanism that touches something, that nothing guides or drives, whose joints only hold, and that is not slow (G-12):
/// it carries nothing.
bool isFallingMechanism(const IslandCensus& island) {
  return island.joints > 0 && island.manifolds > 0 && !island.sweptJoints && !island.guided && !island.driven && island.plainJoints &&
         island.motion > substepsOf(SolveGroup::kSlow, 0) * kTuning.smallTurn;
}

/// (T-14) for such a one: what turns far is looked at twice in a substep, and rows that give way need both ends.
bool mayJoinMechanism(const IslandCensus& island, const PlanSettings& settings) {
  const double substeps = substepsOf(SolveGroup::kJoined, settings.substeps);
  return isFallingMechanism(island) && !island.bounces && !island.resists && !settings.fields &&
         (island.treeJoints || island.motion <= 2.0 * substeps * kTuning.smallTurn);
}

/// What a phase leaves of a fall the next one finds in the impulses.
SweepBudget fallBudget(const IslandCensus& island, const PlanSettings& settings) {
  SweepBudget budget = warmBudget(island, settings);
  // A pass through a tree (J-49) costs little beside placing it, and its points wait for nothing but each other.
  const int most = (island.treeJoints ? 8 : 1) * kTuning.fewestHitSweeps;
  budget.few = budget.most = static_cast<std::uint16_t>(std::max(settings.iterations, most));
  budget.slip = 1.0f;
  budget.push = static_cast<float>(kTuning.hit);
  return budget;
}

/// Group and sweeps of the velocity phases.
IslandPlan planVelocities(const IslandCensus& island, const PlanSettings& settings) {
  IslandPlan plan;
  if (isAtRest(island, settings)) {
    plan.group = SolveGroup::kStill;
    plan.budget = restBudget(island, settings);
    return plan;
  } else if (isSlowMechanism(island, settings, 1)) {
    plan.group = SolveGroup::kStill;
  } else if (isSlowMechanism(island, settings, substepsOf(SolveGroup::kSlow, 0))) {
    plan.group = SolveGroup::kSlow;
  } else if (mayJoinMechanism(island, settings)) {
    plan.group = SolveGroup::kJoined;
  } else if (startsCold(island, settings)) {
    if (isCalm(island, settings) && island.joints == 0 && island.manifolds > kTuning.graspManifolds) plan.group = SolveGroup::kStill;
    plan.budget = coldBudget(island, settings);
    plan.extrapolates = isSetUp(island, settings) && island.joints == 0 && !island.resists;
    return plan;
  } else if (mayJoinPhases(island, settings)) {
    plan.group = SolveGroup::kJoined;
  }
  if (isFallingMechanism(island)) {
    plan.budget = fallBudget(island, settings);
    return plan;
  }
  plan.budget = warmBudget(island, settings);
  // What a mechanism holds by friction must not creep out of it.
  if (island.joints > 0 && island.manifolds > 0 && island.manifolds <= kTuning.graspManifolds) {
    plan.budget.slip = 1.0f;
    plan.budget.few = static_cast<std::uint16_t>(std::max<int>(plan.budget.few, kTuning.fewestHitSweeps));
    plan.budget.most = static_cast<std::uint16_t>(sweepsFor(kTuning.smallManifolds, island.manifolds,
                                                            plan.budget.few, mostColdSweeps()));
    if (island.guided || island.driven) {
      plan.budget.settled = plan.budget.gate = plan.budget.hit = static_cast<float>(kTuning.graspResidual);
    }
  }
  // Joints that are solved at once have nothing to agree upon with others where nothing touches.
  if (island.manifolds == 0 && !island.sweptJoints) plan.budget.few = plan.budget.most = 1;
  return plan;
}

}  // namespace

int mostColdSweeps() { return static_cast<int>(kTuning.coldVisits / kTuning.smallManifolds); }

IslandPlan planIsland(const IslandCensus& island, const PlanSettings& settings) {
  IslandPlan plan = planVelocities(island, settings);
  plan.budget.corrections = static_cast<std::uint16_t>(2 * hitSweeps(island));
  plan.budget.evens = island.driven;
  return plan;
}

int substepsOf(SolveGroup group, int asked) {
  if (group == SolveGroup::kStill) return 1;
  if (asked > 0) return asked;
  return group == SolveGroup::kSlow ? kTuning.substeps / 2 : kTuning.substeps;
}

}  // namespace msd_sim
