#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kBlockGrain = 32;
constexpr int kDefaultSubsteps = 4;

// What gravity can ask of a contact in a phase, in units of its own kick: a body that carries a few
// others is no surprise (T-12).
constexpr double kExpectedLoads = 4.0;

// Gap at which a loaded contact lets go, relative to the size of its smaller body (G-6).
constexpr double kBand = 2e-4;

// A phase is swept again while a sweep changes a normal velocity by more than this share of what
// gravity adds in the phase, and by more than this share of the contact's size per substep.
constexpr double kSettledKick = 0.1;
constexpr double kSettledShare = 1e-5;
constexpr int kFewSweeps = 2;
// Beyond so many times that, it is an impact, and those that feel it are swept more often (G-8).
constexpr double kImpact = 50.0;
constexpr int kMostSweeps = 8;
// Where contacts are few an impact is solved well: bundles visited in a phase; sweeps; unrest.
constexpr int kHitBundles = 1000;
constexpr int kMostHitSweeps = 200;
constexpr double kHitUnrest = 1e-3;
// A cold start (G-9): from one contact in so many that is new; bundles visited in a phase; sweeps; how
// much better than otherwise.
constexpr std::uint32_t kFreshShare = 4;
constexpr int kColdBundles = 20000;
constexpr int kFewestColdSweeps = 30;
constexpr int kMostColdSweeps = 1000;
constexpr double kColdUnrest = 1e-6;
// Stamps start anew before they run out.
constexpr std::uint32_t kLargestStamp = 0xFFF00000u;
// From one bundle in so many that has not settled, momentum pays (SweepMomentum.hpp).
constexpr std::uint32_t kManyUnsettled = 20;

// Joints that are swept have settled when no anchor's velocity changes by more than this share of it.
constexpr double kSettledJoint = 0.1;

// Stands for a settled speed that is never exceeded, and keeps quotients finite without gravity.
constexpr double kNever = 1e300;
constexpr double kLeastSpeed = 1e-100;

template <class Kernel>
void forBodies(Simulation& sim, const Kernel& kernel) {
  const std::span<const std::uint32_t> blocks{sim.activeBlocks};
  sim.team->forRange(blocks.size(), kBlockGrain, [&](std::size_t first, std::size_t last) {
    kernel(blocks.subspan(first, last - first));
  });
}

void clearGuesses(Simulation& sim) {
  for (const std::uint32_t block : sim.activeBlocks) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      sim.solver.guess[block * SolverBodies::kBlock + i] = BodyGuess{};
    }
  }
}

/// Reactions and works of the joints; the bodies of those that broke may touch from now on.
void finishJoints(Simulation& sim, double dt) {
  for (const std::uint32_t joint : sim.joints.finish(sim.solver, dt, *sim.team)) {
    releasePair(sim, sim.joints.record(joint).definition);
  }
  sim.report.jointError = sim.joints.sums().separation;
}

// Sweeps that make things this much worse than the first one are given up: bodies that have turned far
// since the rows were made answer otherwise than these expect. The energy guard takes out what they did.
constexpr double kRunaway = 100.0;

struct SweepLimits {
  int few;        ///< sweeps for all that has not settled
  int most;       ///< sweeps of a phase
  double unrest;  ///< at which it has settled
  double hit;     ///< the same once something has hit
};

/// Contacts that have just been made have nothing to start from: where they are many, the first step
/// is solved far better than the others, so that what follows starts from rest (G-9).
SweepLimits sweepLimits(const Simulation& sim) {
  const ContactCache& contacts = sim.collision.contacts();
  const auto bundles = static_cast<int>(contacts.count()) / kBundleLanes + 1;
  if (contacts.freshCount() * kFreshShare <= contacts.count()) {
    const int few = std::max(sim.settings.iterations, kFewSweeps);
    const int most = std::clamp(kHitBundles / bundles, kMostSweeps, kMostHitSweeps);
    return {few, std::max(few, most), 1.0, most > kMostSweeps ? kHitUnrest : kImpact};
  }
  const int most = std::clamp(kColdBundles / bundles, kFewestColdSweeps, kMostColdSweeps);
  return {most, most, kColdUnrest, kColdUnrest};
}

/// Sweeps until the impulses have settled, and concludes the phase. `joints` solves the joints after
/// each sweep and returns how far they were from having settled.
template <class Kernel, class Joints>
void runPhase(Simulation& sim, ContactPass& pass, const Kernel& kernel, const Joints& joints) {
  const SweepLimits limits = sweepLimits(sim);
  const bool cold = limits.unrest < 1.0, others = pass.whole;
  pass.busySpeed = pass.guessSpeed / limits.most;
  int sweeps = 0;
  SweepMomentum momentum{sim, SweepMomentum::Unknowns::kVelocities};
  double unrest = 0.0, firstUnrest = 0.0;
  bool extrapolate = false;
  do {
    pass.first = sweeps == 0;
    pass.stamp = ++sim.sweepStamp;
    const bool hit = sweeps >= limits.few;  // or there would be no such sweep
    pass.settled = sweeps + 1 < limits.few ? limits.unrest : hit ? limits.hit : kImpact;
    pass.whole = others || (hit && limits.hit < kImpact);
    pass.watchSlip = cold || pass.whole ? 1.0 : 0.0;
    const SweepOutcome outcome = sweepContacts(sim, kernel);
    unrest = std::max(outcome.unrest, joints(pass.first));
    ++sweeps;
    if (sweeps == 1) firstUnrest = unrest;
    if (!(unrest <= kRunaway * firstUnrest)) break;
    // Momentum needs many sweeps to pay, and every contact in each; joints keep impulses of their own,
    // which it does not know. What a few contacts lack they get from plain sweeps.
    if (sweeps == 1) {
      extrapolate = limits.few > kMostSweeps && sim.joints.isEmpty() &&
                    sim.resistance.rows.empty() &&
                    outcome.unsettled * kManyUnsettled * kBundleLanes > sim.report.manifolds;
    }
    if (!extrapolate || unrest <= pass.settled || sweeps >= limits.most) continue;
    if (sweeps == 1) {
      momentum.begin();
    } else {
      momentum.advance(unrest);
    }
  } while (sweeps < sim.settings.iterations || (unrest > pass.settled && sweeps < limits.most));
  pass.whole = others;
  sim.report.iterations += static_cast<std::uint32_t>(sweeps);
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.conclude(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                     arrays.sums.data() + first, arrays.busy.data() + first, count, pass);
  });
  concludeResistance(sim);
}

}  // namespace

void solveSubsteps(Simulation& sim, double dt) {
  const int substeps = sim.settings.substeps > 0 ? sim.settings.substeps : kDefaultSubsteps;
  const double h = dt / substeps;
  const double kick = 0.5 * h * sim.settings.gravity.norm();
  ContactPass pass{.h = h,
                   .inverseH = 1.0 / h,
                   .guessSpeed = kExpectedLoads * kick,
                   .threshold = sim.settings.restitutionThreshold,
                   .band = kBand,
                   .settledSpeed = kSettledKick * kick,
                   .settledShare = kSettledShare / h,
                   .whole = !sim.joints.isEmpty() || sim.collision.contacts().resistingCount() > 0,
                   .eachWork = !onlyContactsWork(sim)};
  if (sim.sweepStamp > kLargestStamp) {
    sim.sweepStamp = 0;
    std::fill(sim.solver.stirred.begin(), sim.solver.stirred.end(), 0u);
  }
  sim.guardedSubsteps = 0;
  sim.report.iterations = 0;
  clearGuesses(sim);
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.warm(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count);
  });
  // A component solved at once is exact by itself: only where contacts act too does it matter whether
  // the last sweep changed it.
  const double directSpeed =
      sim.collision.contacts().count() > 0 ? std::max(pass.settledSpeed, kLeastSpeed) : kNever;
  const double sweptSpeed = std::max(kSettledJoint * kick, kLeastSpeed);
  const auto unrestOf = [&](const JointSolver::Change& change) {
    return std::max(change.direct / directSpeed, change.swept / sweptSpeed);
  };
  // What pushes bodies besides contacts, after each sweep of these.
  const double turningSpeed = std::max(pass.settledSpeed, kLeastSpeed);
  const auto solveJoints = [&](bool first) {
    const double unrest = unrestOf(sim.joints.solve(sim.solver, first, *sim.team));
    return std::max(unrest, sweepResistance(sim, turningSpeed));
  };
  const auto relaxJoints = [&](bool first) {
    const double unrest = unrestOf(sim.joints.relax(sim.solver, first, *sim.team));
    return std::max(unrest, sweepResistance(sim, turningSpeed));
  };
  prepareResistance(sim);
  sim.joints.setTime(sim.time);
  sim.joints.prepare(sim.solver, sim.kernels->ball, h, sim.settings.correctionSpeed, *sim.team);
  sim.joints.warm(sim.solver);
  const bool bounces = sim.collision.contacts().bouncingCount() > 0;
  for (int k = 0; k < substeps; ++k) {
    applyFields(sim, h);
    if (bounces) {
      forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
        kernels.approach(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                         arrays.bounce.data() + first, count, pass);
      });
    }
    forBodies(sim, [&](auto blocks) { sim.kernels->body.kick(sim.solver, blocks, 0.5 * h); });
    pass.opening = k == 0;
    pass.closing = false;
    runPhase(sim, pass, [&](const auto& kernels, auto& arrays, std::size_t first,
                            std::size_t count) {
      return kernels.solve(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                           bounces ? arrays.bounce.data() + first : nullptr,
                           arrays.busy.data() + first, count, pass);
    }, solveJoints);
    sim.joints.concludePositions(*sim.team);
    holdDrift(sim, h);
    forBodies(sim, [&](auto blocks) { sim.kernels->body.drift(sim.solver, blocks, h); });
    renewRows(sim);
    pass.closing = k + 1 == substeps;
    runPhase(sim, pass, [&](const auto& kernels, auto& arrays, std::size_t first,
                            std::size_t count) {
      return kernels.relax(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                           arrays.busy.data() + first, count, pass);
    }, relaxJoints);
    sim.joints.concludeVelocities(*sim.team);
    forBodies(sim, [&](auto blocks) { sim.kernels->body.finish(sim.solver, blocks); });
    guardEnergy(sim, h);
  }
  removeFields(sim);
  sim.report.substeps = static_cast<std::uint32_t>(substeps);
  sim.lastSubstep = h;
  finishJoints(sim, dt);
}

}  // namespace msd_sim
