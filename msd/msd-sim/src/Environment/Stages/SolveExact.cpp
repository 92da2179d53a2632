#include <algorithm>

#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

constexpr int kDefaultSubsteps = 1;

// Times that phase 1 is solved again for gaps and joints of bodies that turn.
constexpr int kGapCorrections = 10;

// Why an island may have to be solved again.
constexpr std::uint8_t kForGaps = 1;
constexpr std::uint8_t kForJoints = 2;

template <class Work>
void forIslands(Simulation& sim, double h, const Work& work) {
  sim.team->forRange(sim.islands.count(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      ExactIslandSolve island{sim, k, h};
      work(island, k);
    }
  });
}

void saveBodies(Simulation& sim) {
  ExactStep& exact = sim.exact;
  exact.savedBodies.clear();
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] == 0) continue;
    exact.savedBodies.push_back({i, sim.solver.motion[i], sim.solver.pose[i], sim.solver.kick[i]});
  }
}

void restoreBodies(Simulation& sim) {
  for (const SavedBody& b : sim.exact.savedBodies) {
    sim.solver.motion[b.slot] = b.motion;
    sim.solver.pose[b.slot] = b.pose;
    sim.solver.kick[b.slot] = b.kick;
  }
}

/// Drift and second kick; the velocities are left without a guess of phase 2's impulses.
void driftBodies(Simulation& sim, double h) {
  sim.kernels->body.drift(sim.solver, sim.activeBlocks, {h, 0.5 * h, 1.0, false});
  for (const SavedBody& b : sim.exact.savedBodies) {
    BodyMotion& m = sim.solver.motion[b.slot];
    for (int c = 0; c < 3; ++c) {
      m.v[c] = sim.solver.kick[b.slot].v[c];
      m.w[c] = sim.solver.kick[b.slot].w[c];
    }
  }
}

/// Phase 1 and drift (T-2, T-3). The gaps at the end are those of the bodies as they have turned,
/// not of their tangent motion: where the two differ, the targets are moved and the islands
/// concerned solved again.
void solvePositions(Simulation& sim, double h) {
  std::vector<std::uint8_t>& repeat = sim.exact.repeat;
  repeat.assign(sim.islands.count(), 1);
  saveBodies(sim);
  forIslands(sim, h, [](ExactIslandSolve& island, std::size_t) { island.beginPositions(); });
  for (int k = 0; k <= kGapCorrections; ++k) {
    forIslands(sim, h, [&](ExactIslandSolve& island, std::size_t i) {
      if (repeat[i] != 0) repeat[i] = island.solvePositions() ? kForJoints : kForGaps;
    });
    // Islands that need no repetition keep the velocities found before.
    for (SavedBody& b : sim.exact.savedBodies) b.solved = sim.solver.motion[b.slot];
    driftBodies(sim, h);
    if (k == kGapCorrections) break;
    forIslands(sim, h, [&](ExactIslandSolve& island, std::size_t i) {
      if (repeat[i] == 0) return;
      const bool gaps = island.correctTargets();
      repeat[i] = gaps || repeat[i] == kForJoints ? 1 : 0;
    });
    if (std::ranges::none_of(repeat, [](std::uint8_t r) { return r != 0; })) break;
    restoreBodies(sim);
    for (const SavedBody& b : sim.exact.savedBodies) {
      const std::uint32_t island = sim.islands.islandOf[b.slot];
      const bool keep = island == Islands::kNone || repeat[island] == 0;
      if (keep) sim.solver.motion[b.slot] = b.solved;
    }
  }
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
    if (!island.converged) sim.report.status = StepStatus::kNotConverged;
  }
  sim.report.certificate = worst;
}

/// The components of joints that hold each island's bodies.
void collectExactJoints(Simulation& sim, double h) {
  sim.joints.setTime(sim.time);
  sim.joints.prepare(sim.solver, h, sim.settings.correctionSpeed, *sim.team);
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

void scaleWarmStart(Simulation& sim, double h) {
  const double scale = guessScale(sim, SolveGroup::kFull, h);
  if (scale == 1.0) return;
  for (ExactPoint& p : sim.exact.points) p.impulse *= scale;
}

}  // namespace

void solveExact(Simulation& sim, double dt) {
  const int substeps = sim.settings.substeps > 0 ? sim.settings.substeps : kDefaultSubsteps;
  const double h = dt / substeps;
  sim.report.iterations = 0;
  sim.guardedSubsteps = 0;
  sim.exact.localBody.resize(sim.slots.size());
  sim.exact.startVelocity.resize(sim.slots.size());
  sim.exact.kickedVelocity.resize(sim.slots.size());
  sim.exact.meanSpin.resize(sim.slots.size());
  collectExactPoints(sim);
  collectExactJoints(sim, h);
  scaleWarmStart(sim, h);
  forIslands(sim, h, [](ExactIslandSolve& island, std::size_t) { island.begin(); });
  recallJointGains(sim);
  for (int k = 0; k < substeps; ++k) {
    clearBodies(sim.activeBlocks, sim.solver.guess);
    applyFields(sim, h);
    forIslands(sim, h, [](ExactIslandSolve& island, std::size_t) { island.beginSubstep(); });
    sim.kernels->body.kick(sim.solver, sim.activeBlocks, 0.5 * h);
    solvePositions(sim, h);
    sim.joints.concludePositions(*sim.team);
    forIslands(sim, h, [](ExactIslandSolve& island, std::size_t) { island.solveVelocities(); });
    sim.joints.concludeVelocities(*sim.team);
    sim.kernels->body.finish(sim.solver, sim.activeBlocks);
    guardEnergy(sim, SolveGroup::kFull, h);
  }
  removeFields(sim);
  storeJointGains(sim);
  writeImpulses(sim);
  writeCertificate(sim);
  sim.report.substeps = static_cast<std::uint32_t>(substeps);
  sim.lastSubstep.fill(h);
  for (const std::uint32_t joint : sim.joints.finish(sim.solver, dt, *sim.team)) {
    releasePair(sim, sim.joints.record(joint).definition);
  }
  sim.report.jointError = sim.joints.sums().separation;
}

void writeExactSums(Simulation& sim) {
  for (const ExactPoint& p : sim.exact.points) {
    p.sums->normalWork[p.lane] = 0.0;
    p.sums->frictionWork[p.lane] = 0.0;
    p.sums->deepest[p.lane] = 0.0;
    p.sums->residual[p.lane] = 0.0;
  }
  for (const ExactPoint& p : sim.exact.points) {
    p.sums->normalWork[p.lane] += p.normalWork;
    p.sums->frictionWork[p.lane] += p.frictionWork;
    p.sums->deepest[p.lane] = std::max(p.sums->deepest[p.lane], -p.place.gap);
  }
}

}  // namespace msd_sim
