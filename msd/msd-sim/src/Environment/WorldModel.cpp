#include "msd-sim/src/Environment/WorldModel.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <utility>

#include "msd-sim/src/DataTypes/Assert.hpp"
#include "msd-sim/src/Environment/Reference/StepReference.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldCheck.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time between its making and its end to a stage.
class StageTimer {
 public:
  StageTimer(Simulation& sim, Stage stage)
      : sim_{sim}, stage_{static_cast<std::size_t>(stage)}, start_{Clock::now()} {
    if (sim.team->isWatched()) noteThreads(-1.0);
  }
  ~StageTimer() {
    sim_.report.stageSeconds[stage_] += std::chrono::duration<double>(Clock::now() - start_).count();
    if (sim_.team->isWatched()) noteThreads(1.0);
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  /// Adds what the team has noted so far, or takes it away.
  void noteThreads(double sign) {
    const WorkTeam& team = *sim_.team;
    ThreadTimes& times = sim_.threadTimes;
    times.shared[stage_] += sign * team.sharedSeconds();
    times.loops[stage_] += sign > 0.0 ? team.sharedLoops() : 0 - team.sharedLoops();
    times.busy.resize(static_cast<std::size_t>(team.threads()));
    for (std::size_t i = 0; i < times.busy.size(); ++i) times.busy[i][stage_] += sign * team.busySeconds(i);
  }

  Simulation& sim_;
  std::size_t stage_;
  Clock::time_point start_;
};

}  // namespace

Simulation::Simulation(const Settings& s)
    : settings{s},
      kernels{&kernelsFor(SimdTarget::kAuto)},
      team{std::make_unique<WorkTeam>(
          s.threads > 0 ? s.threads : static_cast<int>(std::thread::hardware_concurrency()))} {
  useCombination(*this);
  slots.resize(1);  // slot 0 is never used
  solver.resize(1);
  travel.resize(solver.size());
  pushable.assign(solver.size(), 0);
  moving.assign(solver.size(), 0);
  sleepers.asleep.assign(solver.size(), 0);
  sleepers.toWake.assign(solver.size(), 0);
  sleepers.slowTime.assign(solver.size(), 0.0);
  sleepers.next.assign(solver.size(), 0);
}

const BodySlot& Simulation::slot(BodyId id) const {
  if (id.index >= slots.size() || !slots[id.index].isUsed() ||
      slots[id.index].generation != id.generation) {
    throw std::out_of_range(
        fmt::format("body {}.{} does not exist (it was removed, or belongs to another world)",
                    id.index, id.generation));
  }
  return slots[id.index];
}

BodySlot& Simulation::slot(BodyId id) {
  return const_cast<BodySlot&>(static_cast<const Simulation&>(*this).slot(id));
}

WorldModel::Inside::Inside(const Settings& settings) {
  settings.validate();
  simulation_ = std::make_unique<Simulation>(settings);
}
WorldModel::Inside::~Inside() = default;
WorldModel::Inside::Inside(Inside&&) noexcept = default;
WorldModel::Inside& WorldModel::Inside::operator=(Inside&&) noexcept = default;

Simulation& WorldModel::Inside::edit() {
  requireIdle(*simulation_);
  simulation_->undo.valid = false;
  return *simulation_;
}

void requireIdle(const Simulation& sim) {
  if (!sim.stepping) return;
  throw std::logic_error(
      "the world was asked or changed from within its own step; fields, constraints and rules that a step "
      "calls may read bodies, joints and the time alone");
}

WorldModel::WorldModel(const Settings& settings) : simulation_{settings} {}
WorldModel::~WorldModel() = default;
WorldModel::WorldModel(WorldModel&&) noexcept = default;
WorldModel& WorldModel::operator=(WorldModel&&) noexcept = default;

namespace {

/// Finds contacts and measures them; nothing moves.
void look(Simulation& sim) {
  const auto run = [&](Stage stage, const auto& work) {
    const StageTimer timer{sim, stage};
    work();
  };
  run(Stage::kGather, [&] { gatherBodies(sim, 0.0); });
  run(Stage::kBroadphase, [&] { findPairs(sim); });
  run(Stage::kNarrowphase, [&] { findContacts(sim); });
  run(Stage::kIslands, [&] {
    buildIslands(sim);
    planIslands(sim, 0.0);
  });
  run(Stage::kRows, [&] { prepareRows(sim, 0.0); });
  run(Stage::kCorrect, [&] { measureContacts(sim); });
  run(Stage::kScatter, [&] { keepContacts(sim, 0.0); });
  run(Stage::kAudit, [&] { auditStep(sim, 0.0); });
}

/// What happens after the ledger of the solver is closed: the second half of damping, sleep,
/// events.
void closeStep(Simulation& sim, double dt) {
  const bool reference = sim.settings.method == Method::kReference;
  if (!reference) auditStep(sim, dt);
  const double damped = sim.pendingWork.damping;
  dampBodies(sim, dt);
  for (const DampedBody& d : sim.damped) {
    if (sim.pushable[d.slot] != 0) writeVelocityToAsset(sim, d.slot);
  }
  if (!reference) recordEvents(sim);
  judgeStep(sim);
  if (!reference) fallAsleep(sim, dt);
  EnergyLedger& energy = sim.report.energy;
  energy.kinetic += sim.pendingWork.damping - damped;
  energy.change += sim.pendingWork.damping + sim.pendingWork.external;
  energy.dampingWork += sim.pendingWork.damping;
  energy.externalWork += sim.pendingWork.external;
  sim.pendingWork = {};
}

bool isWorthSharing(const Simulation& sim) {
  const std::size_t bodies =
      sim.step == 0 ? sim.slots.size() : sim.packs.bodies.size();
  return bodies >= (sim.settings.method == Method::kExact ? sim.shareFromExact : sim.shareFrom);
}

}  // namespace

bool advance(Simulation& sim, double dt) {
  StepReport& report = sim.report;
  report = StepReport{};
  report.energy.scale = sim.settled.energyScale;
  report.dt = dt;
  report.step = dt > 0.0 ? sim.step + 1 : sim.step;
  sim.recordsValid = false;
  sim.looseValid = false;
  sim.events.clear();
  sim.guardedEnergy = 0.0;
  sim.threadTimes = {};
  const WorkTeam::Session session{*sim.team, isWorthSharing(sim)};
  const auto run = [&](Stage stage, const auto& work) {
    {
      const StageTimer timer{sim, stage};
      work();
    }
    MSD_ASSERT(checkStage(sim, stage));
    if (sim.watching && !sim.firstBad && !isFinite(sim)) sim.firstBad = stage;
  };
  run(Stage::kGather, [&] { wakeRequested(sim); });
  readConstraintBounds(sim);
  const bool reference = sim.settings.method == Method::kReference;
  if (dt == 0.0) {
    reference ? lookReference(sim) : look(sim);
  } else if (reference) {
    if (!stepReference(sim, dt)) return false;
    run(Stage::kAudit, [&] { closeStep(sim, dt); });
    sim.time += dt;
    ++sim.step;
  } else {
    run(Stage::kGather, [&] {
      dampBodies(sim, dt);
      gatherBodies(sim, dt);
    });
    run(Stage::kBroadphase, [&] { findPairs(sim); });
    run(Stage::kNarrowphase, [&] { findContacts(sim); });
    run(Stage::kIslands, [&] {
      buildIslands(sim);
      planIslands(sim, dt);
    });
    run(Stage::kRows, [&] {
      prepareRows(sim, dt);
      if (sim.contactCallback) changeContacts(sim);
    });
    const bool exact = sim.settings.method == Method::kExact;
    run(Stage::kSolve, [&] { exact ? solveExact(sim, dt) : solveSubsteps(sim, dt); });
    run(Stage::kCorrect, [&] {
      correctPositions(sim, dt);
      stopAtImpacts(sim, dt);
      if (exact) closeJoints(sim);
    });
    bool good = true;
    run(Stage::kScatter, [&] {
      good = scatterBodies(sim);
      if (good) keepContacts(sim, dt);
    });
    if (!good) return false;
    run(Stage::kAudit, [&] { closeStep(sim, dt); });
    sim.time += dt;
    ++sim.step;
  }
  report.time = sim.time;
  sim.settled = {dt, report.status, report.energy.scale};
  return true;
}

namespace {

/// Says for as long as it lives that a step is running.
class Stepping {
 public:
  explicit Stepping(Simulation& sim) : sim_{sim} {
    requireIdle(sim_);
    sim_.stepping = true;
  }
  ~Stepping() { sim_.stepping = false; }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

 private:
  Simulation& sim_;
};

/// Takes a step that has failed once more, to see which stage is the first to leave no numbers. Where it
/// calls code of the user, which has been watched already, it does not.
Stage findFailedStage(Simulation& sim, double dt) {
  if (!sim.watching) {
    keepForUndo(sim);
    sim.watching = true;
    (void)advance(sim, dt);
    sim.watching = false;
    goBack(sim);
  }
  return std::exchange(sim.firstBad, std::nullopt).value_or(Stage::kScatter);
}

}  // namespace

void watchThreads(WorldModel& world, bool wanted) {
  WorldAccess::of(world).team->watch(wanted);
}

const ThreadTimes& threadTimes(const WorldModel& world) {
  return WorldAccess::of(world).threadTimes;
}

StepReport WorldModel::update(double dt) {
  Simulation& sim = simulation_.inner();
  if (dt != 0.0) requireRange(dt, "dt", "s", kShortestStep, kLongestStep);
  const Stepping stepping{sim};
  keepForUndo(sim);
  sim.watching = callsUserCode(sim);
  sim.firstBad.reset();
  try {
    if (advance(sim, dt)) {
      noteStep(sim, dt);
    } else {
      const StepReport failed = sim.report;
      goBack(sim);
      // The reference method has said it itself: it has no stages to watch.
      const bool watched = sim.settings.method != Method::kReference;
      const Stage stage = watched ? findFailedStage(sim, dt) : failed.failedStage;
      sim.report = failed;
      sim.report.failedStage = stage;
      sim.report.time = sim.time;
    }
  } catch (...) {
    sim.watching = false;
    goBack(sim);
    throw;
  }
  if (sim.settings.hashEveryStep) sim.report.hash = stateHash();
  return sim.report;
}

}  // namespace msd_sim
