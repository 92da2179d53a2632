#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/Stages/StirredBundles.hpp"
#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

namespace msd_sim {

namespace {

constexpr int kDefaultSubsteps = 4;
// Where rows are more than the cache holds and phases are joined (T-14).
constexpr int kCrowdedSubsteps = 3;
constexpr int kMostSubsteps = 64;

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
constexpr int kMostCrowdSweeps = 16;  // a hit has farther to go
// Nothing moves where all is slower than this share of what gravity adds in half a step (G-10).
constexpr double kCalmKick = 0.1;
// Where contacts are many, more is left to the next phase.
constexpr double kManyUnrest = 10.0;
// Where they are few an impact is solved well: bundles visited in a phase; sweeps; unrest.
constexpr int kHitBundles = 1000;
constexpr int kMostHitSweeps = 200;
constexpr double kHitUnrest = 1e-3;
// A cold start (G-9): from one contact in so many that is new; bundles visited in a phase; sweeps;
// how much better than otherwise.
constexpr std::uint32_t kFreshShare = 4;
constexpr int kColdBundles = 20000;
constexpr int kFewestColdSweeps = 30;
constexpr int kMostColdSweeps = 1000;
constexpr double kColdUnrest = 1e-6;
// Stamps start anew before they run out.
constexpr std::uint32_t kLargestStamp = 0xFFF00000u;
// From one bundle in so many that has not settled, momentum pays (SweepMomentum.hpp).
constexpr std::uint32_t kManyUnsettled = 20;

// Where fewer bundles have not settled, the next sweep is not worth sharing.
constexpr std::uint32_t kFewUnsettled = 16;

// Joints that are swept have settled when no anchor's velocity changes by more than this share of
// it.
constexpr double kSettledJoint = 0.1;

// Stands for a settled speed that is never exceeded, and keeps quotients finite without gravity.
constexpr double kNever = 1e300;
constexpr double kLeastSpeed = 1e-100;

/// Reactions and works of the joints; the bodies of those that broke may touch from now on.
void finishJoints(Simulation& sim, double dt) {
  for (const std::uint32_t joint : sim.joints.finish(sim.solver, dt, *sim.team)) {
    releasePair(sim, sim.joints.record(joint).definition);
  }
  sim.report.jointError = sim.joints.sums().separation;
}

// Sweeps that make things this much worse than the first one are given up: bodies that have turned
// far since the rows were made answer otherwise than these expect. The energy guard takes out what
// they did.
constexpr double kRunaway = 100.0;

struct SweepLimits {
  int few;        ///< sweeps for all that has not settled
  int most;       ///< sweeps of a phase
  double unrest;  ///< at which it has settled
  double hit;     ///< the same once something has hit
};

int bundlesOf(const ContactCache& contacts) {
  return static_cast<int>(contacts.count()) / kBundleLanes + 1;
}

/// Are contacts so many that a phase leaves more to the next (G-8)?
bool hasManyContacts(const ContactCache& contacts) {
  return kHitBundles / bundlesOf(contacts) <= kMostSweeps;
}

/// Contacts that have just been made have nothing to start from: where they are many, the first
/// step is solved far better than the others, so that what follows starts from rest (G-9).
SweepLimits sweepLimits(const Simulation& sim) {
  const ContactCache& contacts = sim.collision.contacts();
  const int bundles = bundlesOf(contacts);
  if (contacts.freshCount() * kFreshShare <= contacts.count()) {
    const int few = std::max(sim.settings.iterations, kFewSweeps);
    const int most = hasManyRows(sim) ? kMostCrowdSweeps
                                      : std::clamp(kHitBundles / bundles, kMostSweeps, kMostHitSweeps);
    const bool many = hasManyContacts(contacts);
    return {few, std::max(few, most), many ? kManyUnrest : 1.0, many ? kImpact : kHitUnrest};
  }
  const int most = std::clamp(kColdBundles / bundles, kFewestColdSweeps, kMostColdSweeps);
  return {most, most, kColdUnrest, kColdUnrest};
}

/// Sweeps until the impulses have settled, and concludes the phase. `joints` solves the joints
/// after each sweep and returns how far they were from having settled.
template <class Kernel, class Joints>
void runPhase(Simulation& sim, ContactPass& pass, const Kernel& kernel, const Joints& joints) {
  const SweepLimits limits = sweepLimits(sim);
  const bool cold = limits.unrest < 1.0, others = pass.whole;
  pass.busySpeed = pass.guessSpeed / limits.most;
  int sweeps = 0;
  SweepMomentum momentum{sim, SweepMomentum::Unknowns::kVelocities};
  double unrest = 0.0, firstUnrest = 0.0;
  bool extrapolate = false, few = false;
  do {
    pass.first = sweeps == 0;
    pass.stamp = ++sim.sweepStamp;
    const bool hit = sweeps >= limits.few;  // or there would be no such sweep
    pass.settled = sweeps + 1 < limits.few ? limits.unrest : hit ? limits.hit : kImpact;
    pass.whole = others || (hit && limits.hit < kImpact);
    pass.watchSlip = cold || pass.whole ? 1.0 : 0.0;
    const SweepOutcome outcome =
        few && !pass.whole ? sweepStirred(sim, kernel, pass.stamp) : sweepContacts(sim, kernel);
    few = outcome.unsettled < kFewUnsettled;
    unrest = std::max(outcome.unrest, joints(pass.first));
    ++sweeps;
    if (sweeps == 1) firstUnrest = unrest;
    if (!(unrest <= kRunaway * firstUnrest)) break;
    // Momentum needs many sweeps to pay, and every contact in each; joints keep impulses of their
    // own, which it does not know. What a few contacts lack they get from plain sweeps.
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
  pass.moved = extrapolate;
  sim.report.iterations += static_cast<std::uint32_t>(sweeps);
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.conclude(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                     arrays.sums.data() + first, arrays.busy.data() + first, count, pass);
  });
  concludeResistance(sim);
}

/// Joints under great tension swing too fast for the default (theory/joints.md, J-22).
int substepsOf(const Simulation& sim) {
  if (sim.settings.substeps > 0) return sim.settings.substeps;
  return std::min(kDefaultSubsteps * sim.joints.refinement(), kMostSubsteps);
}

/// Rows of the joints, and what all rows are expected to give in a phase of a substep of length h.
void prepareGuesses(Simulation& sim, double h) {
  clearBodies(sim, sim.solver.guess);
  const double scale = guessScale(sim, h);
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.warm(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count,
                 scale);
  });
  sim.lastSubstep = h;
  prepareResistance(sim);
  sim.joints.setTime(sim.time);
  sim.joints.prepare(sim.solver, sim.kernels->ball, h, sim.settings.correctionSpeed, *sim.team);
  sim.joints.warm(sim.solver);
}

void kickBodies(Simulation& sim, double h) {
  forBodies(sim, [&](auto blocks) { sim.kernels->body.kick(sim.solver, blocks, 0.5 * h); });
}

/// The number of substeps is ours to choose, and nothing moves bodies that the rows do not know of.
bool mayTakeOneSubstep(const Simulation& sim) {
  return sim.settings.substeps == 0 && sim.kinematicCount == 0 && sim.potentials.empty();
}

/// Undoes the kick of an attempt.
void restoreVelocities(Simulation& sim) {
  for (const std::uint32_t block : sim.activeBlocks) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      const std::size_t slot = block * SolverBodies::kBlock + i;
      std::copy_n(sim.solver.before[slot].v, 3, sim.solver.motion[slot].v);
      std::copy_n(sim.solver.before[slot].w, 3, sim.solver.motion[slot].w);
    }
  }
}

/// Nothing moves where all is slower than this.
double calmSpeed(const Simulation& sim, double dt) {
  return kCalmKick * 0.5 * dt * sim.settings.gravity.norm();
}

/// Is every point of every body slower than this?
bool isSlower(const Simulation& sim, double speed) {
  const auto isFast = [&](std::size_t slot) {
    const BodyMotion& m = sim.solver.motion[slot];
    const double size = sim.solver.pose[slot].size;
    const double v2 = m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2];
    const double w2 = m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2];
    return !(v2 + size * size * w2 <= speed * speed);
  };
  return std::none_of(sim.activeBlocks.begin(), sim.activeBlocks.end(), [&](std::uint32_t block) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      if (isFast(block * SolverBodies::kBlock + i)) return true;
    }
    return false;
  });
}

/// Does a body touch with a round surface along a line or at a point? Nothing keeps it from
/// rolling.
template <int kPoints>
bool canRoll(const Simulation& sim) {
  const ContactCache& contacts = sim.collision.contacts();
  bool can = false;
  contacts.forEachColour([&](int c) {
    const std::size_t count = contacts.bundleCount<kPoints>(c);
    const auto& bundles = contacts.colours<kPoints>()[static_cast<std::size_t>(c)].bundles;
    for (std::size_t i = 0; i < count && !can; ++i) {
      for (int l = 0; l < kBundleLanes; ++l) {
        can = can || bundles[i].rounding0[l] > 0.0 || bundles[i].rounding1[l] > 0.0;
      }
    }
  });
  return can;
}

/// True when nothing but contacts and gravity acts, nothing moves, and the impulses of the last
/// phase, scaled to the whole step, keep it so: one substep then does what more would do (G-10).
/// The bodies have been kicked where the answer is true, and stand as they were where not.
bool restsOnContacts(Simulation& sim, double dt) {
  const ContactCache& contacts = sim.collision.contacts();
  if (!mayTakeOneSubstep(sim) || !sim.joints.isEmpty() || contacts.count() == 0 ||
      contacts.freshCount() * kFreshShare > contacts.count()) {
    return false;
  }
  const double speed = calmSpeed(sim, dt);
  if (!isSlower(sim, speed) || canRoll<1>(sim) || canRoll<2>(sim)) return false;
  prepareGuesses(sim, dt);
  kickBodies(sim, dt);
  if (isSlower(sim, speed)) return true;
  restoreVelocities(sim);
  return false;
}

/// True when nothing but joints and gravity acts, and the impulses of the last phase, scaled to the
/// whole step, hold every joint: one substep then does what more would do (J-25). The bodies have
/// been kicked where the answer is true, and stand as they were where not.
bool restsOnJoints(Simulation& sim, double dt) {
  if (!mayTakeOneSubstep(sim) || sim.joints.isEmpty() || !sim.joints.isCalm() ||
      sim.joints.refinement() > 1 || sim.collision.contacts().count() > 0) {
    return false;
  }
  const auto pushable = std::count(sim.pushable.begin(), sim.pushable.end(), std::uint8_t{1});
  if (static_cast<std::size_t>(pushable) != sim.islands.bodies.size()) return false;
  prepareGuesses(sim, dt);
  kickBodies(sim, dt);
  if (sim.joints.isGuessRight(sim.solver, *sim.team)) return true;
  restoreVelocities(sim);
  return false;
}

/// (T-14): may the phase that ends a substep be the one that begins the next? Contacts that bounce need
/// their own end, and joints are solved twice for their second order. Where contacts are few or new (G-9),
/// where many bodies are fast and will hit, or all is slow, impulses that converge are worth more than
/// time.
bool mayJoinPhases(const Simulation& sim, double dt, int substeps) {
  const ContactCache& contacts = sim.collision.contacts();
  return substeps > 1 && hasManyContacts(contacts) && contacts.bouncingCount() == 0 && contacts.resistingCount() == 0 &&
         contacts.freshCount() * kFreshShare <= contacts.count() && sim.joints.isEmpty() &&
         sim.potentials.empty() &&
         !isSlower(sim, calmSpeed(sim, dt));
}

/// The substeps of one step in fast mode.
class FastStep {
 public:
  FastStep(Simulation& sim, double dt)
      : sim_{sim},
        rests_{restsOnJoints(sim, dt) || restsOnContacts(sim, dt)},
        substeps_{rests_ ? 1 : substepsOf(sim)},
        joined_{mayJoinPhases(sim, dt, substeps_)},
        bounces_{sim.collision.contacts().bouncingCount() > 0},
        gravity_{sim.settings.gravity.norm()} {
    if (joined_ && sim.settings.substeps == 0 && hasManyRows(sim)) substeps_ = kCrowdedSubsteps;
    h_ = dt / substeps_;
    const double kick = 0.5 * h_ * gravity_;
    pass_ = {.h = h_,
             .inverseH = 1.0 / h_,
             .threshold = sim.settings.restitutionThreshold,
             .band = kBand,
             .settledSpeed = kSettledKick * kick,
             .settledShare = kSettledShare / h_,
             .whole = !sim.joints.isEmpty() || sim.collision.contacts().resistingCount() > 0,
             .ahead = hasManyRows(sim),
             .eachWork = !onlyContactsWork(sim)};
    // A component solved at once is exact by itself: only where contacts act too does it matter
    // whether the last sweep changed it.
    directSpeed_ =
        sim.collision.contacts().count() > 0 ? std::max(pass_.settledSpeed, kLeastSpeed) : kNever;
    sweptSpeed_ = std::max(kSettledJoint * kick, kLeastSpeed);
    turningSpeed_ = std::max(pass_.settledSpeed, kLeastSpeed);
  }

  /// Returns how many substeps it took.
  int run() {
    if (!rests_) prepareGuesses(sim_, h_);
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
  void beginSubstep() {
    applyFields(sim_, h_);
    if (bounces_) {
      forAllBundles(sim_, [&](const auto& kernels, auto& arrays, std::size_t first,
                              std::size_t count) {
        kernels.approach(sim_.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                         arrays.bounce.data() + first, count, pass_);
      });
    }
    if (!rests_) kickBodies(sim_, h_);
  }

  /// Phase 1 (T-2).
  void solvePositions(bool opening, bool goesOn) {
    pass_.opening = opening;
    pass_.drifted = goesOn;
    pass_.guessSpeed = kExpectedLoads * (goesOn ? h_ : 0.5 * h_) * gravity_;
    runPhase(
        sim_, pass_,
        [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
          return kernels.solve(sim_.solver, arrays.bundles.data() + first,
                               arrays.who.data() + first, arrays.rows.data() + first,
                               bounces_ ? arrays.bounce.data() + first : nullptr,
                               arrays.sums.data() + first, arrays.busy.data() + first, count,
                               pass_);
        },
        [&](bool first) { return unrestOf(sim_.joints.solve(sim_.solver, first, *sim_.team)); });
    sim_.joints.concludePositions(*sim_.team);
    if (joined_) {
      const double firstDrift = opening ? h_ : 0.0;
      forBodies(sim_, [&](auto blocks) {
        sim_.kernels->body.weigh(sim_.solver, blocks, firstDrift);
      });
      guardEnergy(sim_, h_);
    }
  }

  /// Drift and the kick after it (T-3, T-4), with the number of half kicks before and after.
  void drift(double kicked, double kicks) {
    holdDrift(sim_, h_, joined_);
    const DriftStep step{h_, 0.5 * kicks * h_, kicks / kicked, joined_};
    forBodies(sim_, [&](auto blocks) { sim_.kernels->body.drift(sim_.solver, blocks, step); });
    renewRows(sim_);
    pass_.guessScale = step.guessScale;
  }

  /// Phase 2 (T-5).
  void solveVelocities() {
    pass_.opening = false;
    pass_.guessSpeed = kExpectedLoads * 0.5 * h_ * gravity_;
    runPhase(
        sim_, pass_,
        [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
          return kernels.relax(sim_.solver, arrays.bundles.data() + first,
                               arrays.who.data() + first, arrays.rows.data() + first,
                               arrays.sums.data() + first, arrays.busy.data() + first, count,
                               pass_);
        },
        [&](bool first) { return unrestOf(sim_.joints.relax(sim_.solver, first, *sim_.team)); });
    sim_.joints.concludeVelocities(*sim_.team);
    forBodies(sim_, [&](auto blocks) { sim_.kernels->body.finish(sim_.solver, blocks); });
    guardEnergy(sim_, h_);
  }

  /// How far what pushes bodies besides contacts is from having settled, after a sweep of these.
  double unrestOf(const JointSolver::Change& change) {
    const double joints = std::max(change.direct / directSpeed_, change.swept / sweptSpeed_);
    return std::max(joints, sweepResistance(sim_, turningSpeed_));
  }

  Simulation& sim_;
  bool rests_;  ///< has been kicked
  int substeps_;
  bool joined_;
  bool bounces_;
  double h_{0.0};
  double gravity_;
  ContactPass pass_;
  double directSpeed_, sweptSpeed_, turningSpeed_;
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
  sim.report.substeps = static_cast<std::uint32_t>(FastStep{sim, dt}.run());
  removeFields(sim);
  storeJointGains(sim);
  finishJoints(sim, dt);
}

}  // namespace msd_sim
