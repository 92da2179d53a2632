#include <algorithm>

#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Environment/Stages/MechanismWalk.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// The deepest penetrations of a pack, from depths that others have written.
void measureDepths(Simulation& sim, std::size_t pack) {
  PackScratch& scratch = *sim.packScratch[pack];
  sim.table.forContacts(pack, [&](std::uint32_t, LaneBodies, auto& rows, ContactSums& sums, int lane) {
    scratch.deepest = std::max(scratch.deepest, sums.deepest[lane]);
    scratch.deepestShare = std::max(scratch.deepestShare, sums.deepest[lane] / rows.size[lane]);
  });
}

ContactPass correctionPass(const Simulation& sim, double dt) {
  ContactPass pass{.dt = dt,
                   .settled = kStageTuning.settledShift,
                   .driven = sim.kinematicCount > 0,
                   .correction = sim.settings.positionCorrection,
                   .slop = kStageTuning.slop,
                   .mostLeft = kStageTuning.mostLeft,
                   .largestShift = sim.settings.correctionSpeed * dt,
                   .paidShift = std::max(kStageTuning.paidShift, sim.settings.correctionSpeed * dt),
                   .support = kStageTuning.support};
  const double gravity = sim.settings.gravity.norm();
  for (int c = 0; c < 3 && gravity > 0.0; ++c) pass.up[c] = -sim.settings.gravity[c] / gravity;
  if (gravity > 0.0) pass.kineticHeight = kStageTuning.kineticShare / gravity;
  return pass;
}

/// Position correction of the contacts of one pack.
class PackCorrection {
 public:
  PackCorrection(Simulation& sim, std::size_t pack, const ContactPass& pass)
      : sim_{sim}, pack_{pack}, scratch_{*sim.packScratch[pack]}, pass_{pass} {
    pass_.ahead = hasManyRows(sim, pack);
  }

  void run(bool exact) {
    const bool wanted = sim_.settings.positionCorrection > 0.0;
    bool unsettled = false;
    if (exact) {
      storePack(sim_, pack_, pass_, false);
      scratch_.deepest = scratch_.deepestShare = 0.0;
      writeExactSums(sim_);
      measureDepths(sim_, pack_);
      renewRows(sim_, pack_);
      if (scratch_.deepestShare > kStageTuning.slop && wanted) unsettled = sweep();
    } else if (wanted && sim_.corrected) {
      unsettled = storeAndSweep();
    } else {
      storePack(sim_, pack_, pass_, true);
      if (scratch_.deepestShare > kStageTuning.slop && wanted) unsettled = sweep();
    }
    if (!(scratch_.deepestShare > kStageTuning.slop) || !wanted) return;
    if (!exact) correctWalks(sim_, pack_, pass_);
    pass_.first = false;
    for (int number = 1; unsettled; ++number) {
      pass_.number = number;
      if (number + 1 >= kStageTuning.correctionSweeps) pass_.settled = kStageTuning.feltShift;
      unsettled = sweep();
    }
    forBodies(sim_, pack_, [&](BodyList bodies) { sim_.kernels->body.displace(sim_.solver, bodies); });
  }

 private:
  /// One sweep; returns whether some contact has not settled.
  bool sweep() {
    pass_.stamp = ++scratch_.stamp;
    return sweepContacts(sim_, pack_,
                         [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
                           return kernels.correct(sim_.solver, lanes.run(first, count), pass_);
                         }).unsettled;
  }

  /// Impulses and depths are stored by the first sweep.
  bool storeAndSweep() {
    pass_.stamp = ++scratch_.stamp;
    SharedMaximum deepest, relative;
    const bool unsettled =
        sweepContacts(sim_, pack_, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
          StoreOutcome stored;
          const SweepOutcome part = kernels.storeAndCorrect(sim_.solver, lanes.run(first, count), pass_, stored);
          deepest.add(stored.deepest);
          relative.add(stored.share);
          return part;
        }).unsettled;
    scratch_.deepest = deepest.get();
    scratch_.deepestShare = relative.get();
    return unsettled;
  }

  Simulation& sim_;
  std::size_t pack_;
  PackScratch& scratch_;
  ContactPass pass_;
};

/// No displacements (P-1) yet. In islands that nothing drives motion and contacts pay for lifts (P-8, P-10).
void clearShifts(Simulation& sim) {
  forBodies(sim, [&](BodyList bodies) { clearBodies(bodies, sim.solver.shift); });
  const Islands& islands = sim.islands;
  sim.team->forRange(islands.bodies.size(), kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const std::uint32_t i = islands.bodies[at], k = islands.islandOf[i];
      const std::uint32_t part = sim.joints.componentOf(i);
      const bool jointed = islands.joints[k] > 0 && (part == JointSolver::kNoComponent || !sim.joints.components()[part].isTree());
      if (islands.support[k] == IslandSupport::kDriven || jointed) continue;
      sim.solver.shift[i].spendsKinetic = 1.0;
      if (islands.joints[k] == 0) sim.solver.shift[i].paidLift = islands.paidLift[k];
    }
  });
}

/// Returns the deepest penetration before correction, against its contact's size.
double correctContacts(Simulation& sim, double dt) {
  const bool exact = sim.settings.method == Method::kExact;
  clearShifts(sim);
  sim.returnedCorrectionEnergy = 0.0;
  sim.islands.lifted.clear();
  const ContactPass pass = correctionPass(sim, dt);
  forPacks(sim, [&](std::size_t pack) { PackCorrection{sim, pack, pass}.run(exact); });
  sumContacts(sim);
  takeBackContactGains(sim);
  const double share = gatherDepths(sim);
  sim.corrected = share > kStageTuning.slop;
  if (sim.settings.positionCorrection > 0.0 && (sim.joints.isEmpty() || exact)) returnCorrectionEnergy(sim);
  return share;
}

/// What the rows tell is measured before correction and against planes without end: deeper than the truth where a body
/// has gone past an edge. Where it is much, the shapes themselves are asked, the worst first, until none can be worse.
void measurePenetration(Simulation& sim) {
  std::vector<DeepContact>& deep = sim.deepContacts;
  deep.clear();
  double worst = 0.0;
  sim.table.forEach([&](std::uint32_t id, LaneBodies, auto& rows, ContactSums& sums, int lane) {
    const double depth = sums.deepest[lane];
    if (depth <= kStageTuning.mostLeft * rows.size[lane]) {
      worst = std::max(worst, depth);
    } else {
      deep.push_back({depth, sim.collision.contacts().contact(id).pair});
    }
  });
  const std::size_t asked = std::min(deep.size(), kStageTuning.mostMeasured);
  const auto isDeeper = [](const DeepContact& a, const DeepContact& b) {
    return a.depth != b.depth ? a.depth > b.depth : a.pair < b.pair;
  };
  // One more than is asked, for what is left.
  std::partial_sort(deep.begin(), deep.begin() + static_cast<std::ptrdiff_t>(std::min(asked + 1, deep.size())),
                    deep.end(), isDeeper);
  std::size_t i = 0;
  for (; i < asked && deep[i].depth > worst; ++i) {
    worst = std::max(worst, std::min(deep[i].depth, sim.collision.penetration(deep[i].pair, sim.solver)));
  }
  if (i < deep.size()) worst = std::max(worst, deep[i].depth);  // not asked any more
  sim.report.deepestPenetration = worst;
}

}  // namespace

void storePack(Simulation& sim, std::size_t pack, const ContactPass& common, bool swept) {
  SharedMaximum deepest, share;
  ContactPass pass = common;
  pass.swept = swept;
  forRows(sim, pack, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
    const StoreOutcome outcome = kernels.store(sim.solver, lanes.run(first, count), pass);
    deepest.add(outcome.deepest);
    share.add(outcome.share);
  });
  sim.packScratch[pack]->deepest = deepest.get();
  sim.packScratch[pack]->deepestShare = share.get();
}

double gatherDepths(Simulation& sim) {
  double share = 0.0;
  sim.report.deepestPenetration = 0.0;
  for (std::size_t i = 0; i < sim.packs.packs.size(); ++i) {
    share = std::max(share, sim.packScratch[i]->deepestShare);
    sim.report.deepestPenetration = std::max(sim.report.deepestPenetration, sim.packScratch[i]->deepest);
  }
  return share;
}

void measureContacts(Simulation& sim) {
  const ContactPass pass{.driven = sim.kinematicCount > 0};
  forPacks(sim, [&](std::size_t pack) { storePack(sim, pack, pass, false); });
  (void)gatherDepths(sim);
  sumContacts(sim);
  sim.islands.lifted.clear();
  clearBodies(sim.packs.bodies, sim.solver.shift);
}

void correctPositions(Simulation& sim, double dt) {
  const double share = correctContacts(sim, dt);
  const bool exact = sim.settings.method == Method::kExact;
  if (!sim.joints.isEmpty() && !exact) {
    forPacks(sim, [&](std::size_t pack) { closeTrees(sim, pack); });
    forgetWalks(sim);
    sim.joints.project(sim.solver, *sim.team);
    returnCorrectionEnergy(sim);
    sim.report.jointError = sim.joints.sums().separation;
  }
  if (!exact && sim.settings.positionCorrection > 0.0 && share > kStageTuning.mostLeft) measurePenetration(sim);
}

}  // namespace msd_sim
