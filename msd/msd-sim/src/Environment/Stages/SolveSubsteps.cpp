#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"
#include "msd-sim/src/Environment/Stages/MechanismContacts.hpp"
#include "msd-sim/src/Environment/Stages/MechanismWalk.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/Stages/SweepExtrapolation.hpp"
#include "msd-sim/src/Physics/Solver/SettledSpeed.hpp"

namespace msd_sim {

namespace {

/// Reactions and works of the joints; the bodies of those that broke may touch from now on.
void finishJoints(Simulation& sim, double dt) {
  for (const std::uint32_t joint : sim.joints.finish(sim.solver, dt, *sim.team)) {
    releasePair(sim, sim.joints.record(joint).definition);
  }
  sim.report.jointError = sim.joints.sums().separation;
  sim.report.tautJoints = sim.joints.isStiff();
}

/// What the packs tell of the step, added up in their order.
void addPackReports(Simulation& sim) {
  StepReport& report = sim.report;
  sim.guardedSubsteps = 0;
  sim.guardedEnergy = 0.0;
  for (std::size_t i = 0; i < sim.packs.packs.size(); ++i) {
    const PackScratch& scratch = *sim.packScratch[i];
    report.substeps = std::max(report.substeps, static_cast<std::uint32_t>(substepsOf(
                                                    sim.packs.packs[i].group, sim.settings.substeps)));
    sim.guardedSubsteps += scratch.guarded;
    sim.guardedEnergy = std::max(sim.guardedEnergy, scratch.guardedEnergy);
  }
}

/// The substeps of the islands of one pack, side by side.
class PackStep {
 public:
  PackStep(Simulation& sim, std::size_t pack, double dt)
      : sim_{sim},
        pack_{pack},
        scratch_{*sim.packScratch[pack]},
        substeps_{substepsOf(sim.packs.packs[pack].group, sim.settings.substeps)},
        joined_{sim.packs.packs[pack].group == SolveGroup::kJoined && substeps_ > 1},
        bounces_{sim.collision.contacts().bouncingCount() > 0},
        joints_{sim.packs.jointsOf(sim.packs.packs[pack])},
        gravity_{sim.settings.gravity.norm()},
        h_{dt / substeps_} {
    const SettledSpeed settled{h_, gravity_};
    pass_ = {.h = h_,
             .dt = dt,
             .inverseH = 1.0 / h_,
             .threshold = sim.settings.restitutionThreshold,
             .band = kTuning.band,
             .perSettledSpeed = 1.0 / settled.kick,
             .perSettledShare = h_ / kTuning.settledShare,
             .planned = true,
             .ahead = hasManyRows(sim, pack),
             .evens = sim.kinematicCount > 0 || !sim.joints.isEmpty(),
             .driven = sim.kinematicCount > 0};
    jointSweep_.directSpeed = jointSweep_.sweptSpeed = settled.kick;
  }

  void run() {
    scratch_.h = h_;
    findLeastLimits();
    prepareWarmStart();
    if (bounces_) classifyRebounds(sim_, pack_);
    for (int k = 0; k < substeps_; ++k) {
      const bool goesOn = joined_ && k > 0;  // the drift before has kicked
      if (!goesOn) beginSubstep();
      pass_.drifted = goesOn;
      if (k > 0) lookAgain(sim_, pack_, pass_, 1.0 - static_cast<double>(k) / substeps_);
      solvePositions(k == 0, goesOn);
      const bool ends = !joined_ || k + 1 == substeps_;
      drift(goesOn, ends ? 1.0 : 2.0);
      ends_ = k + 1 == substeps_;
      if (ends) solveVelocities();
    }
  }

 private:
  /// Rows of the joints, and what all rows are expected to give in a phase.
  void prepareWarmStart() {
    clearBodies(sim_.packs.bodiesOf(sim_.packs.packs[pack_]), sim_.solver.warmStart);
    forColours(sim_, pack_, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
      kernels.warm(sim_.solver, lanes.run(first, count), h_);
    });
    prepareResistance(sim_, pack_, h_);
    if (joints_.isEmpty()) return;
    sim_.joints.prepare(sim_.solver, joints_, sim_.kernels->ball, h_, sim_.settings.correctionSpeed, *sim_.team);
    sim_.joints.warm(sim_.solver, joints_);
  }

  void beginSubstep() {
    applyFields(sim_, h_);
    if (bounces_) {
      forRows(sim_, pack_, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
        kernels.approach(sim_.solver, lanes.run(first, count, true), pass_);
      });
    }
    forBodies(sim_, pack_, [&](BodyList bodies) { sim_.kernels->body.kick(sim_.solver, bodies, 0.5 * h_); });
  }

  /// Sweeps until every contact and joint has settled or its island's budget is used up, and concludes the
  /// phase. `joints` sweeps the joints after the contacts and returns how many have not settled.
  template <class Kernel, class Joints>
  void runPhase(bool opens, const PhaseKick& kicked, const Kernel& kernel, const Joints& joints) {
    SweepExtrapolation extrapolation{sim_, pack_};
    const bool extrapolates = !extrapolation.isIdle();
    pass_.noted = extrapolates || ends_;
    scratch_.phaseSweeps.push_back(0);
    sweepPhase(0, opens, extrapolation, kernel, joints);
    pass_.moved = extrapolates;
    if (bounces_ && !joined_) {
      if (opens) {
        noteSoftHits(sim_, pack_, pass_);
      } else {
        limitRebounds(kicked.lead, [&] { sweepPhase(1, opens, extrapolation, kernel, joints); });
        if (keepElasticEnergy(sim_, pack_, h_)) pass_.moved = true;
      }
    }
    pass_.lead = kicked.lead;
    forColours(sim_, pack_, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
      kernels.conclude(sim_.solver, lanes.run(first, count), pass_);
    });
    concludeResistance(sim_, pack_, h_, PhaseEnd{kicked.lead});
  }

  /// Sweeps of a phase from the one of this number on.
  template <class Kernel, class Joints>
  void sweepPhase(int from, bool opens, SweepExtrapolation& extrapolation, const Kernel& kernel, const Joints& joints) {
    const bool extrapolates = !extrapolation.isIdle();
    std::uint32_t unsettled = 1;
    for (pass_.number = from; pass_.number == from || unsettled > 0; ++pass_.number) {
      pass_.first = pass_.number == 0;
      pass_.stamp = ++scratch_.stamp;
      pass_.settled = leastLimit(pass_.number);
      const PackSweep swept = sweepContacts(sim_, pack_, kernel);
      unsettled = swept.unsettled ? 1 : 0;
      scratch_.visits += pass_.first ? contactsOf(sim_, pack_) - swept.visits : swept.visits;
      jointSweep_.stamp = pass_.stamp;
      jointSweep_.number = pass_.number;
      if (!joints_.isEmpty()) unsettled += joints() + sweepMechanisms(sim_, pack_, pass_, opens) + walkMechanisms(sim_, pack_, pass_, jointSweep_, opens);
      unsettled += sweepResistance(sim_, pack_, pass_, jointSweep_.directSpeed);
      if (extrapolates && unsettled > 0) extrapolation.advance(pass_.number, pass_.stamp);
    }
    scratch_.phaseSweeps.back() += static_cast<std::uint32_t>(pass_.number - from);
  }

  ///
  template <class Sweep>
  void limitRebounds(double lead, const Sweep& sweepOn) {
    if (stopGainingRebounds(sim_, pack_, h_, lead)) {
      sweepOn();
      if (shareGainingRebounds(sim_, pack_, h_, lead, true)) sweepOn();
      if (shareGainingRebounds(sim_, pack_, h_, lead, false)) sweepOn();
    }
    forgetRebounds(sim_, pack_);
  }

  /// Per number of a sweep, no more than the local residual at which any contact of the group has settled in it.
  void findLeastLimits() {
    std::vector<double>& least = scratch_.leastLimits;
    least.clear();
    for (const std::uint32_t island : sim_.packs.islandsOf(sim_.packs.packs[pack_])) {
      const IslandPlan& plan = sim_.islands.plan[island];
      if (plan.budget.most < 2) continue;
      const std::size_t last = plan.budget.most - 2u;  // the last sweep that another may follow
      if (least.size() <= last) least.resize(last + 1, kNever);
      const SweepBudget& b = plan.budget;
      least[last] = std::min(least[last], static_cast<double>(std::min({b.settled, b.gate, b.hit})));
    }
    for (std::size_t i = least.size(); i-- > 1;) least[i - 1] = std::min(least[i - 1], least[i]);
  }
  [[nodiscard]] double leastLimit(int sweep) const {
    const auto number = static_cast<std::size_t>(sweep);
    return number < scratch_.leastLimits.size() ? scratch_.leastLimits[number] : kNever;
  }

  /// Phase 1 (T-2).
  void solvePositions(bool opening, bool goesOn) {
    pass_.opening = opening;
    pass_.drifted = goesOn;
    pass_.warmStartSpeed = kTuning.expectedLoads * (goesOn ? h_ : 0.5 * h_) * gravity_;
    const PhaseKick kicked = kickBefore(goesOn);
    jointSweep_.drifted = goesOn;
    runPhase(
        true, kicked,
        [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
          return kernels.solve(sim_.solver, lanes.run(first, count), pass_);
        },
        [&] { return sim_.joints.solve(sim_.solver, joints_, jointSweep_, *sim_.team); });
    sim_.joints.concludePositions(sim_.solver, joints_, PhaseEnd{kicked.lead}, *sim_.team);
    if (!joined_) return;
    const double firstDrift = opening ? h_ : 0.0;
    forBodies(sim_, pack_,
              [&](BodyList bodies) { sim_.kernels->body.measureWork(sim_.solver, bodies, firstDrift, kicked); });
    guardEnergy(sim_, pack_, h_);
  }

  [[nodiscard]] PhaseKick kickBefore(bool goesOn) const {
    return goesOn ? PhaseKick::between(h_) : PhaseKick::opening(h_);
  }

  /// Drift and the kick after it (T-3, T-4), which has so many half kicks.
  void drift(bool goesOn, double kicks) {
    limitDrift(sim_, pack_, h_, joined_);
    const DriftStep step{h_, 0.5 * kicks * h_, kicks / (goesOn ? 2.0 : 1.0), joined_, kickBefore(goesOn)};
    forBodies(sim_, pack_, [&](BodyList bodies) { sim_.kernels->body.drift(sim_.solver, bodies, step); });
    renewRows(sim_, pack_);
    pass_.warmStartScale = jointSweep_.carried = step.warmStartScale;
  }

  /// Phase 2 (T-5).
  void solveVelocities() {
    pass_.opening = false;
    pass_.warmStartSpeed = kTuning.expectedLoads * 0.5 * h_ * gravity_;
    const PhaseKick kicked = PhaseKick::closing(h_);
    runPhase(
        false, kicked,
        [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
          return kernels.relax(sim_.solver, lanes.run(first, count, bounces_), pass_);
        },
        [&] { return sim_.joints.relax(sim_.solver, joints_, jointSweep_, *sim_.team); });
    sim_.joints.concludeVelocities(sim_.solver, joints_, PhaseEnd{kicked.lead}, *sim_.team);
    forBodies(sim_, pack_, [&](BodyList bodies) { sim_.kernels->body.finish(sim_.solver, bodies, kicked); });
    guardEnergy(sim_, pack_, h_);
  }

  static constexpr double kNever = 1e300;

  Simulation& sim_;
  std::size_t pack_;
  PackScratch& scratch_;
  int substeps_;
  bool joined_;
  bool bounces_;
  bool ends_{false};  ///< the running phase is the step's last
  JointSolver::Share joints_;
  double gravity_;
  double h_;
  ContactPass pass_;
  JointSolver::Sweep jointSweep_;
};

}  // namespace

void solveSubsteps(Simulation& sim, double dt) {
  recallJointGains(sim);
  if (!sim.joints.isEmpty()) {
    sim.joints.setTime(sim.time);
    sim.joints.markTouched(sim.solver, [&](std::uint32_t slot) {
      const std::uint32_t island = sim.islands.islandOf[slot];
      return island != Islands::kNone && sim.islands.census[island].manifolds > 0;
    });
  }
  for (JointComponent& c : sim.joints.components()) c.setAlone(true);
  listMechanismPoints(sim);
  listWalks(sim);
  forPacks(sim, [&](std::size_t pack) { PackStep{sim, pack, dt}.run(); });
  removeFields(sim);
  storeJointGains(sim);
  finishJoints(sim, dt);
  addPackReports(sim);
}

}  // namespace msd_sim
