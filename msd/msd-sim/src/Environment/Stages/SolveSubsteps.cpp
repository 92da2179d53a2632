#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/SolverTuning.hpp"
#include "msd-sim/src/Environment/Stages/MechanismContacts.hpp"
#include "msd-sim/src/Environment/Stages/StirredBundles.hpp"
#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

namespace msd_sim {

namespace {

// Stamps start anew before they run out.
constexpr std::uint32_t kLargestStamp = 0xFFF00000u;
// Where fewer contacts have not settled, the next sweep looks at them alone; decides nothing but the time.
constexpr std::uint32_t kFewUnsettled = 64;
// Keeps quotients finite without gravity.
constexpr double kLeastSpeed = 1e-100;
// The work of a visit that changes less than this share of what loads can ask for is not measured by itself.
constexpr double kBusyShare = 0.125;

/// Reactions and works of the joints; the bodies of those that broke may touch from now on.
void finishJoints(Simulation& sim, double dt) {
  for (const std::uint32_t joint : sim.joints.finish(sim.solver, dt, *sim.team)) {
    releasePair(sim, sim.joints.record(joint).definition);
  }
  sim.report.jointError = sim.joints.sums().separation;
  sim.report.tautJoints = sim.joints.isTaut();
}

/// The substeps of the islands of one group, side by side.
class GroupStep {
 public:
  GroupStep(Simulation& sim, SolveGroup group, double dt)
      : sim_{sim},
        group_{group},
        substeps_{substepsOf(group, sim.settings.substeps)},
        joined_{group == SolveGroup::kJoined && substeps_ > 1},
        bounces_{sim.collision.contacts().bouncingCount() > 0},
        gravity_{sim.settings.gravity.norm()},
        h_{dt / substeps_} {
    const double kick = 0.5 * h_ * gravity_;
    pass_ = {.h = h_,
             .inverseH = 1.0 / h_,
             .threshold = sim.settings.restitutionThreshold,
             .band = kTuning.band,
             .settledSpeed = kTuning.settledKick * kick,
             .settledShare = kTuning.settledShare / h_,
             .planned = true,
             .ahead = hasManyRows(sim),
             .eachWork = !onlyContactsWork(sim)};
    jointSweep_.directSpeed = jointSweep_.sweptSpeed = std::max(pass_.settledSpeed, kLeastSpeed);
  }

  /// Returns how many substeps it took.
  int run() {
    sim_.joints.choose(sim_.solver, [&](std::uint32_t slot) {
      return sim_.bodyGroups[slot] == static_cast<std::uint8_t>(group_);
    });
    findLeastLimits();
    prepareGuesses();
    for (int k = 0; k < substeps_; ++k) {
      const bool goesOn = joined_ && k > 0;  // the drift before has kicked
      if (!goesOn) beginSubstep();
      solvePositions(k == 0, goesOn);
      const bool ends = !joined_ || k + 1 == substeps_;
      drift(goesOn ? 2.0 : 1.0, ends ? 1.0 : 2.0);
      if (ends) solveVelocities();
    }
    return substeps_;
  }

 private:
  /// Rows of the joints, and what all rows are expected to give in a phase.
  void prepareGuesses() {
    clearBodies(sim_.groupBlocks[static_cast<std::size_t>(group_)], sim_.solver.guess);
    const double scale = guessScale(sim_, group_, h_);
    forColours(sim_, group_, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
      kernels.warm(sim_.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count, scale);
    });
    prepareResistance(sim_, group_);
    listMechanismPoints(sim_, group_);
    if (sim_.joints.isEmpty()) return;
    sim_.joints.setTime(sim_.time);
    sim_.joints.markTouched(sim_.solver, [&](std::uint32_t slot) {
      const std::uint32_t island = sim_.islands.islandOf[slot];
      return island != Islands::kNone && sim_.islands.census[island].manifolds > 0;
    });
    sim_.joints.prepare(sim_.solver, sim_.kernels->ball, h_, sim_.settings.correctionSpeed, *sim_.team);
    sim_.joints.warm(sim_.solver);
  }

  void beginSubstep() {
    applyFields(sim_, h_);
    if (bounces_) {
      forAllBundles(sim_, group_, [&](const auto& kernels, auto& arrays, std::size_t first,
                                      std::size_t count) {
        kernels.approach(sim_.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                         arrays.bounce.data() + first, count, pass_);
      });
    }
    forBodies(sim_, group_, [&](auto blocks) { sim_.kernels->body.kick(sim_.solver, blocks, 0.5 * h_); });
  }

  /// Sweeps until every contact and joint has settled or its island's budget is used up, and concludes the
  /// phase. `joints` sweeps the joints after the contacts and returns how many have not settled.
  template <class Kernel, class Joints>
  void runPhase(bool opens, const Kernel& kernel, const Joints& joints) {
    SweepMomentum momentum{sim_, group_};
    pass_.noted = !momentum.isIdle();
    pass_.busySpeed = kBusyShare * pass_.guessSpeed;
    std::uint32_t unsettled = kFewUnsettled;
    for (pass_.number = 0; pass_.number == 0 || unsettled > 0; ++pass_.number) {
      pass_.first = pass_.number == 0;
      pass_.stamp = ++sim_.sweepStamp;
      pass_.settled = leastLimit(pass_.number);
      const bool few = !pass_.first && !pass_.noted && unsettled < kFewUnsettled;
      unsettled = (few ? sweepStirred(sim_, group_, kernel, pass_.stamp)
                       : sweepContacts(sim_, group_, kernel)).unsettled;
      jointSweep_.stamp = pass_.stamp;
      jointSweep_.number = pass_.number;
      std::uint32_t others = sim_.joints.isEmpty() ? 0 : joints();
      others += sweepMechanisms(sim_, pass_, opens);
      others += sweepResistance(sim_, pass_, jointSweep_.directSpeed);
      if (others > 0) sim_.stirred.stamp = 0;  // these bodies are on no list
      unsettled += others;
      if (pass_.noted && unsettled > 0) momentum.advance(pass_.number, pass_.stamp);
    }
    pass_.moved = pass_.noted;
    sim_.report.iterations += static_cast<std::uint32_t>(pass_.number);
    forColours(sim_, group_, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
      kernels.conclude(sim_.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                       arrays.sums.data() + first, arrays.busy.data() + first, count, pass_);
    });
    concludeResistance(sim_);
  }

  /// Per number of a sweep, no more than the unrest at which any contact of the group has settled in it.
  void findLeastLimits() {
    std::vector<double>& least = sim_.leastLimits;
    least.clear();
    for (const IslandPlan& plan : sim_.islands.plan) {
      if (plan.group != group_ || plan.budget.most < 2) continue;
      const std::size_t last = plan.budget.most - 2u;  // the last sweep that another may follow
      if (least.size() <= last) least.resize(last + 1, kNever);
      const SweepBudget& b = plan.budget;
      least[last] = std::min(least[last], static_cast<double>(std::min({b.settled, b.gate, b.hit})));
    }
    for (std::size_t i = least.size(); i-- > 1;) least[i - 1] = std::min(least[i - 1], least[i]);
  }
  [[nodiscard]] double leastLimit(int sweep) const {
    const auto number = static_cast<std::size_t>(sweep);
    return number < sim_.leastLimits.size() ? sim_.leastLimits[number] : kNever;
  }

  /// Phase 1 (T-2).
  void solvePositions(bool opening, bool goesOn) {
    pass_.opening = opening;
    pass_.drifted = goesOn;
    pass_.guessSpeed = kTuning.expectedLoads * (goesOn ? h_ : 0.5 * h_) * gravity_;
    runPhase(
        true,
        [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
          return kernels.solve(sim_.solver, arrays.bundles.data() + first, arrays.who.data() + first,
                               arrays.rows.data() + first,
                               bounces_ ? arrays.bounce.data() + first : nullptr,
                               arrays.sums.data() + first, arrays.busy.data() + first, count, pass_);
        },
        [&] { return sim_.joints.solve(sim_.solver, jointSweep_, *sim_.team); });
    sim_.joints.concludePositions(*sim_.team);
    if (!joined_) return;
    const double firstDrift = opening ? h_ : 0.0;
    forBodies(sim_, group_, [&](auto blocks) { sim_.kernels->body.weigh(sim_.solver, blocks, firstDrift); });
    guardEnergy(sim_, group_, h_);
  }

  /// Drift and the kick after it (T-3, T-4), with the number of half kicks before and after.
  void drift(double kicked, double kicks) {
    holdDrift(sim_, group_, h_, joined_);
    const DriftStep step{h_, 0.5 * kicks * h_, kicks / kicked, joined_};
    forBodies(sim_, group_, [&](auto blocks) { sim_.kernels->body.drift(sim_.solver, blocks, step); });
    renewRows(sim_, group_);
    pass_.guessScale = step.guessScale;
  }

  /// Phase 2 (T-5).
  void solveVelocities() {
    pass_.opening = false;
    pass_.guessSpeed = kTuning.expectedLoads * 0.5 * h_ * gravity_;
    runPhase(
        false,
        [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
          return kernels.relax(sim_.solver, arrays.bundles.data() + first, arrays.who.data() + first,
                               arrays.rows.data() + first, arrays.sums.data() + first,
                               arrays.busy.data() + first, count, pass_);
        },
        [&] { return sim_.joints.relax(sim_.solver, jointSweep_, *sim_.team); });
    sim_.joints.concludeVelocities(*sim_.team);
    forBodies(sim_, group_, [&](auto blocks) { sim_.kernels->body.finish(sim_.solver, blocks); });
    guardEnergy(sim_, group_, h_);
  }

  static constexpr double kNever = 1e300;

  Simulation& sim_;
  SolveGroup group_;
  int substeps_;
  bool joined_;
  bool bounces_;
  double gravity_;
  double h_;
  ContactPass pass_;
  JointSolver::Sweep jointSweep_;
};

}  // namespace

void solveSubsteps(Simulation& sim, double dt) {
  if (sim.sweepStamp > kLargestStamp) {
    sim.sweepStamp = 0;
    std::fill(sim.solver.stirred.begin(), sim.solver.stirred.end(), 0u);
  }
  sim.guardedSubsteps = 0;
  sim.report.iterations = 0;
  recallJointGains(sim);
  for (const SolveGroup group : {SolveGroup::kStill, SolveGroup::kJoined, SolveGroup::kFull}) {
    const auto g = static_cast<std::size_t>(group);
    if (!sim.groupBlocks[g].empty()) {
      const int substeps = GroupStep{sim, group, dt}.run();
      sim.report.substeps = std::max(sim.report.substeps, static_cast<std::uint32_t>(substeps));
    }
    sim.lastSubstep[g] = dt / substepsOf(group, sim.settings.substeps);
  }
  removeFields(sim);
  storeJointGains(sim);
  finishJoints(sim, dt);
}

}  // namespace msd_sim
