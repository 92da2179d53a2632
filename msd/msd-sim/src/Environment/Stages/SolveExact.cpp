#include <algorithm>
#include <atomic>

#include "msd-sim/src/Environment/ExactTuning.hpp"
#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

// Exact mode has all islands in one pack.
constexpr std::size_t kWholePack = 0;

/// Calls work(island, k): for the large ones in turn, whose factorisations the team shares, then for
/// all others side by side.
template <class Work>
void forIslands(Simulation& sim, double h, const Work& work) {
  const auto call = [&](std::size_t k) {
    ExactIslandSolve island{sim, k, h};
    work(island, k);
  };
  for (std::size_t k = 0; k < sim.islands.count(); ++k) {
    if (ExactIslandSolve::isLarge(sim, k)) call(k);
  }
  sim.team->forBlocks(sim.islands.count(), [&](std::size_t k) {
    if (!ExactIslandSolve::isLarge(sim, k)) call(k);
  });
}

void saveBodies(const Simulation& sim, std::vector<SavedBody>& saved) {
  saved.clear();
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] == 0) continue;
    saved.push_back({i, sim.solver.motion[i], sim.solver.pose[i], sim.solver.kick[i], sim.solver.turn[i].scheme});
  }
}

void restoreBodies(Simulation& sim, const std::vector<SavedBody>& saved) {
  for (const SavedBody& b : saved) {
    sim.solver.motion[b.slot] = b.motion;
    sim.solver.pose[b.slot] = b.pose;
    sim.solver.kick[b.slot] = b.kick;
    sim.solver.turn[b.slot].scheme = b.scheme;
  }
}

/// Velocities before the kick of a substep, of all bodies that move.
void keepVelocities(Simulation& sim) {
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] == 0) continue;
    const BodyMotion& m = sim.solver.motion[i];
    sim.exact.startVelocity[i] = {vectorOf(m.v), vectorOf(m.w)};
  }
}

/// After a drift that was taken back, which has left its own there.
void restoreBefore(Simulation& sim, const std::vector<SavedBody>& saved) {
  for (const SavedBody& b : saved) {
    const SpatialVector& start = sim.exact.startVelocity[b.slot];
    BodyBefore& before = sim.solver.before[b.slot];
    for (int c = 0; c < 3; ++c) {
      before.v[c] = start.linear[c];
      before.w[c] = start.angular[c];
    }
  }
}

/// Drift and second kick; the velocities are left without a warm start of phase 2's impulses.
void driftBodies(Simulation& sim, double h) {
  sim.kernels->body.drift(sim.solver, sim.packs.bodies, {h, 0.5 * h, 1.0, false, PhaseKick::opening(h)});
  for (const SavedBody& b : sim.exact.savedBodies) {
    BodyMotion& m = sim.solver.motion[b.slot];
    for (int c = 0; c < 3; ++c) {
      m.v[c] = sim.solver.kick[b.slot].v[c];
      m.w[c] = sim.solver.kick[b.slot].w[c];
    }
  }
}

/// May a step of so many substeps be taken back for an island's joints?
bool mayRefine(const Simulation& sim, std::size_t island, int substeps) {
  const bool touches = sim.exact.start[island] != sim.exact.start[island + 1];
  const bool swings = !touches && sim.exact.islands[island]->phaseConverged;
  return substeps < (swings ? kExactTuning.mostSubsteps : kExactTuning.mostTouchingSubsteps);
}

/// Back to before phase 1, for the islands that are to be solved once more; the others keep the velocities found.
void takeBackDrift(Simulation& sim) {
  restoreBodies(sim, sim.exact.savedBodies);
  restoreBefore(sim, sim.exact.savedBodies);
  for (const SavedBody& b : sim.exact.savedBodies) {
    const std::uint32_t island = sim.islands.islandOf[b.slot];
    const bool keep = island == Islands::kNone || sim.exact.repeat[island] == 0;
    if (keep) sim.solver.motion[b.slot] = b.solved;
  }
}

/// Phase 1 and drift (T-2, T-3). Gaps and joints at the end are those of the bodies as they have
/// turned, not of their tangent motion: where the two differ, the targets are moved and the islands
/// concerned solved again. What cannot be closed, and is not left to more substeps, keeps velocities (J-42).
void solvePositions(Simulation& sim, double h, int substeps) {
  std::vector<std::uint8_t>& repeat = sim.exact.repeat;
  const auto repeats = [&] { return std::ranges::any_of(repeat, [](std::uint8_t r) { return r != 0; }); };
  const auto drift = [&] {
    for (SavedBody& b : sim.exact.savedBodies) b.solved = sim.solver.motion[b.slot];
    driftBodies(sim, h);
  };
  repeat.assign(sim.islands.count(), 1);
  saveBodies(sim, sim.exact.savedBodies);
  forIslands(sim, h, [](ExactIslandSolve& island, std::size_t) { island.beginPositions(); });
  for (int k = 0; k <= kExactTuning.gapCorrections; ++k) {
    if (k > 0) takeBackDrift(sim);
    forIslands(sim, h, [&](ExactIslandSolve& island, std::size_t i) {
      if (repeat[i] != 0) island.solvePositions();
    });
    drift();
    if (k == kExactTuning.gapCorrections) break;
    forIslands(sim, h, [&](ExactIslandSolve& island, std::size_t i) {
      if (repeat[i] != 0) repeat[i] = island.correctTargets() ? 1 : 0;
    });
    if (!repeats()) break;
  }
  forIslands(sim, h, [&](ExactIslandSolve& island, std::size_t i) {
    repeat[i] = island.isTorn() && !mayRefine(sim, i, substeps) ? 1 : 0;
  });
  if (!repeats()) return;
  takeBackDrift(sim);
  forIslands(sim, h, [&](ExactIslandSolve& island, std::size_t i) {
    if (repeat[i] != 0) island.giveUpPositions();
  });
  drift();
}

/// The impulses of the step into the rows, for the store pass, the records and the next step.
void writeImpulses(Simulation& sim) {
  for (const ExactPoint& p : sim.exact.points) {
    for (int c = 0; c < 3; ++c) {
      p.rows->impulse[c][p.lane] = p.impulse[c];
      p.rows->total[c][p.lane] = p.total[c];
    }
    p.rows->target[p.lane] = 0.0;
  }
}

void writeCertificate(Simulation& sim) {
  Certificate worst{.naturalMap = 0.0,
                    .velocityError = 0.0,
                    .complementarity = 0.0,
                    .coneViolation = 0.0,
                    .normalViolation = 0.0,
                    .bilateralViolation = 0.0};
  sim.exact.residual = 0.0;
  for (std::size_t k = 0; k < sim.islands.count(); ++k) {
    const ExactIsland& island = *sim.exact.islands[k];
    const ContactCertificate& c = island.certificate;
    worst.naturalMap = std::max(worst.naturalMap, c.naturalMap);
    worst.velocityError = std::max(worst.velocityError, c.velocityError);
    worst.complementarity = std::max(worst.complementarity, c.complementarity);
    worst.coneViolation = std::max(worst.coneViolation, c.coneViolation);
    worst.normalViolation = std::max(worst.normalViolation, c.normalViolation);
    worst.bilateralViolation = std::max(worst.bilateralViolation, c.bilateralViolation);
    sim.exact.residual = std::max(sim.exact.residual, c.velocityErrorAbsolute);
    sim.report.iterations += static_cast<std::uint32_t>(island.iterations);
    sim.report.tautJoints = sim.report.tautJoints || island.stiff;
  }
  sim.report.certificate = worst;
}

/// The components of joints that hold each island's bodies.
void collectExactJoints(Simulation& sim) {
  for (auto& island : sim.exact.islands) {
    island->joints.clear();
    island->jointRows.clear();
  }
  const std::span<JointComponent> components = sim.joints.components();
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (!sim.joints.isAwake(k)) continue;
    for (const std::uint32_t slot : components[k].slots()) {
      const std::uint32_t island = sim.islands.islandOf[slot];
      if (sim.pushable[slot] == 0 || island == Islands::kNone) continue;
      sim.exact.islands[island]->joints.push_back(&components[k]);
      break;
    }
  }
}

/// Contacts are kept with their forces; a substep begins with impulses.
void scaleWarmStart(Simulation& sim, double h) {
  for (ExactPoint& p : sim.exact.points) p.impulse *= h;
}

/// One exact step, which may have to be taken back for more substeps.
class ExactSolve {
 public:
  ExactSolve(Simulation& sim, double dt) : sim_{sim}, dt_{dt} {}

  /// Returns the number of substeps.
  int run() {
    const Settings& settings = sim_.settings;
    const bool jointed = !sim_.joints.isEmpty();
    int substeps = settings.substeps > 0 ? settings.substeps
                   : jointed             ? kExactTuning.jointSubsteps
                                         : kExactTuning.substeps;
    refines_ = settings.substeps == 0 && jointed;
    prepare(substeps);
    if (refines_) keepStart();
    for (;; substeps *= 2) {
      if (takeSubsteps(substeps)) return substeps;
      returnToStart();
      prepareJoints(2 * substeps);
    }
  }

 private:
  void prepare(int substeps) {
    ExactStep& exact = sim_.exact;
    exact.localBody.resize(sim_.slots.size());
    exact.startVelocity.resize(sim_.slots.size());
    exact.kickedVelocity.resize(sim_.slots.size());
    exact.meanSpin.resize(sim_.slots.size());
    collectExactPoints(sim_);
    scaleWarmStart(sim_, dt_ / substeps);
    start_ = h_ = dt_ / substeps;
    prepareJoints(substeps);
    collectExactJoints(sim_);
    forIslands(sim_, dt_ / substeps, [](ExactIslandSolve& i, std::size_t) { i.begin(); });
  }

  void prepareJoints(int substeps) {
    sim_.joints.setTime(sim_.time);
    sim_.joints.prepare(sim_.solver, dt_ / substeps, sim_.settings.correctionSpeed, *sim_.team);
  }

  void keepStart() {
    ExactStep& exact = sim_.exact;
    saveBodies(sim_, exact.startBodies);
    exact.startPoints = exact.points;
    sim_.joints.keepStart();
  }

  /// Back to the start, with impulses for substeps of half the length.
  void returnToStart() {
    ExactStep& exact = sim_.exact;
    restoreBodies(sim_, exact.startBodies);
    exact.points = exact.startPoints;
    sim_.joints.returnToStart();
    sim_.islands.guarded.assign(sim_.islands.count(), GuardShare{});
    h_ *= 0.5;
    const double scale = h_ / start_;
    for (ExactPoint& p : exact.points) p.impulse *= scale;
    forIslands(sim_, h_, [](ExactIslandSolve& i, std::size_t) { i.beginAgain(); });
  }

  /// False where some island's joints are too stiff for the substep.
  bool takeSubsteps(int substeps) {
    const double h = dt_ / substeps;
    recallJointGains(sim_);
    for (int k = 0; k < substeps; ++k) {
      clearBodies(sim_.packs.bodies, sim_.solver.warmStart);
      applyFields(sim_, h);
      keepVelocities(sim_);
      forIslands(sim_, h, [](ExactIslandSolve& i, std::size_t) { i.beginSubstep(); });
      sim_.kernels->body.kick(sim_.solver, sim_.packs.bodies, 0.5 * h);
      solvePositions(sim_, h, refines_ ? substeps : kExactTuning.mostSubsteps);
      forIslands(sim_, h, [](ExactIslandSolve& i, std::size_t) { i.concludePositions(); });
      if (refines_ && isStiff(substeps)) return false;
      sim_.joints.concludePositions(sim_.solver, sim_.joints.all(), PhaseEnd{.lead = 0.0, .passed = true}, *sim_.team);
      forIslands(sim_, h, [](ExactIslandSolve& i, std::size_t) { i.solveVelocities(); });
      const PhaseKick closing = PhaseKick::closing(h);
      sim_.joints.concludeVelocities(sim_.solver, sim_.joints.all(), PhaseEnd{closing.lead}, *sim_.team);
      sim_.kernels->body.finish(sim_.solver, sim_.packs.bodies, closing);
      guard(h);
    }
    return true;
  }

  /// Is some island's substep too long, and may it be shorter?
  [[nodiscard]] bool isStiff(int substeps) const {
    for (std::size_t k = 0; k < sim_.islands.count(); ++k) {
      if (sim_.exact.islands[k]->stiff && mayRefine(sim_, k, substeps)) return true;
    }
    return false;
  }

  void guard(double h) {
    guardEnergy(sim_, kWholePack, h);
    if (sim_.joints.isEmpty()) return;
    std::atomic<std::uint32_t> guarded{0};
    forIslands(sim_, h, [&](ExactIslandSolve& i, std::size_t k) {
      if (sim_.islands.joints[k] > 0 && i.guardMechanism()) {
        guarded.fetch_add(1, std::memory_order_relaxed);
      }
    });
    sim_.packScratch[kWholePack]->guarded += guarded.load(std::memory_order_relaxed);
  }

  Simulation& sim_;
  double dt_;
  bool refines_{false};  ///< the number of substeps is ours to choose
  double start_{0.0};  ///< substep that the kept impulses belong to [s]
  double h_{0.0};      ///< of the running attempt [s]
};

}  // namespace

void solveExact(Simulation& sim, double dt) {
  sim.report.iterations = 0;
  const int substeps = ExactSolve{sim, dt}.run();
  removeFields(sim);
  storeJointGains(sim);
  writeImpulses(sim);
  writeCertificate(sim);
  sim.report.substeps = static_cast<std::uint32_t>(substeps);
  const PackScratch& scratch = *sim.packScratch[kWholePack];
  sim.guardedSubsteps = scratch.guarded;
  sim.guardedEnergy = scratch.guardedEnergy;
  sim.packScratch[kWholePack]->h = dt / substeps;
  for (const std::uint32_t joint : sim.joints.finish(sim.solver, dt, *sim.team)) {
    releasePair(sim, sim.joints.record(joint).definition);
  }
  sim.report.jointError = sim.joints.sums().separation;
}

void closeJoints(Simulation& sim) {
  if (sim.joints.isEmpty()) return;
  sim.joints.project(sim.solver, *sim.team);
  sim.report.jointError = sim.joints.sums().separation;
  if (sim.report.jointError > kExactTuning.torn && sim.report.status == StepStatus::kOk) {
    sim.report.status = StepStatus::kNotConverged;
  }
}

void writeExactSums(Simulation& sim) {
  for (const ExactPoint& p : sim.exact.points) {
    p.sums->normalWork[p.lane] = 0.0;
    p.sums->frictionWork[p.lane] = 0.0;
    p.sums->drivenWork[p.lane] = 0.0;
    p.sums->deepest[p.lane] = 0.0;
    p.sums->residual[p.lane] = 0.0;
  }
  for (const ExactPoint& p : sim.exact.points) {
    p.sums->normalWork[p.lane] += p.normalWork;
    p.sums->frictionWork[p.lane] += p.frictionWork;
    p.sums->drivenWork[p.lane] += p.drivenWork;
    p.sums->deepest[p.lane] = std::max(p.sums->deepest[p.lane], -p.place.gap);
  }
}

}  // namespace msd_sim
