#include "msd-sim/src/Environment/WorldModel.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time between its making and its end to a stage.
class StageTimer {
 public:
  StageTimer(StepReport& report, Stage stage)
      : seconds_{report.stageSeconds[static_cast<std::size_t>(stage)]}, start_{Clock::now()} {}
  ~StageTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& seconds_;
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
  sleepers.called.assign(solver.size(), 0);
  sleepers.still.assign(solver.size(), 0.0);
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

WorldModel::WorldModel(const Settings& settings) {
  settings.validate();
  simulation_ = std::make_unique<Simulation>(settings);
}
WorldModel::~WorldModel() = default;
WorldModel::WorldModel(WorldModel&&) noexcept = default;
WorldModel& WorldModel::operator=(WorldModel&&) noexcept = default;

namespace {

/// Finds contacts and measures them; nothing moves.
void look(Simulation& sim) {
  const auto run = [&](Stage stage, const auto& work) {
    const StageTimer timer{sim.report, stage};
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
  run(Stage::kAudit, [&] { auditStep(sim, 0.0); });
}

/// What happens after the books of the solver are closed: the second half of damping, sleep,
/// events.
void closeStep(Simulation& sim, double dt) {
  auditStep(sim, dt);
  const double damped = sim.pendingWork.damping;
  dampBodies(sim, dt);
  for (const DampedBody& d : sim.damped) {
    if (sim.pushable[d.slot] != 0) writeVelocityToAsset(sim, d.slot);
  }
  recordEvents(sim);
  fallAsleep(sim, dt);
  EnergyLedger& energy = sim.report.energy;
  energy.kinetic += sim.pendingWork.damping - damped;
  energy.change += sim.pendingWork.damping + sim.pendingWork.external;
  energy.dampingWork += sim.pendingWork.damping;
  energy.externalWork += sim.pendingWork.external;
  sim.pendingWork = {};
}

// Moving bodies below which a step is over before another thread has woken up. One that exact mode solves
// takes far longer.
constexpr std::size_t kWorthSharing = 256;
constexpr std::size_t kWorthSharingExact = 32;

bool isWorthSharing(const Simulation& sim) {
  const std::size_t bodies =
      sim.step == 0 ? sim.slots.size() : sim.activeBlocks.size() * SolverBodies::kBlock;
  return bodies >= (sim.settings.method == Method::kExact ? kWorthSharingExact : kWorthSharing);
}

}  // namespace

StepReport WorldModel::update(double dt) {
  Simulation& sim = *simulation_;
  if (dt != 0.0) requireRange(dt, "dt", "s", kShortestStep, kLongestStep);
  StepReport& report = sim.report;
  const double scale = report.energy.scale;
  report = StepReport{};
  report.energy.scale = scale;
  report.dt = dt;
  report.step = dt > 0.0 ? sim.step + 1 : sim.step;
  sim.recordsValid = false;
  sim.looseValid = false;
  sim.events.clear();
  const WorkTeam::Session session{*sim.team, isWorthSharing(sim)};
  const auto run = [&](Stage stage, const auto& work) {
    const StageTimer timer{report, stage};
    return work();
  };
  const double damped = sim.pendingWork.damping;
  run(Stage::kGather, [&] { wakeCalled(sim); });
  if (dt == 0.0) {
    look(sim);
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
    });
    if (run(Stage::kScatter, [&] { return scatterBodies(sim); })) {
      run(Stage::kAudit, [&] { closeStep(sim, dt); });
      sim.time += dt;
      ++sim.step;
    } else {
      rollBack(sim);
      sim.pendingWork.damping = damped;
    }
  }
  report.time = sim.time;
  if (sim.settings.hashEveryStep) report.hash = stateHash();
  return report;
}

}  // namespace msd_sim
