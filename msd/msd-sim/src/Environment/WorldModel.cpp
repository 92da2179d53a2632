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
  slots.resize(1);  // slot 0 is never used
  solver.resize(1);
  travel.resize(solver.size());
  pushable.assign(solver.size(), 0);
  moving.assign(solver.size(), 0);
  factorOfBody.assign(solver.size(), 1.0);
}

const BodySlot& Simulation::slot(BodyId id) const {
  if (id.index >= slots.size() || !slots[id.index].isUsed() ||
      slots[id.index].generation != id.generation) {
    throw std::out_of_range(fmt::format(
        "body {}.{} does not exist (it was removed, or belongs to another world)", id.index,
        id.generation));
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

StepReport WorldModel::update(double dt) {
  Simulation& sim = *simulation_;
  requireRange(dt, "dt", "s", 1e-9, 1.0);
  StepReport& report = sim.report;
  const double scale = report.energy.scale;
  report = StepReport{};
  report.energy.scale = scale;
  report.dt = dt;
  report.step = sim.step + 1;
  sim.recordsValid = false;
  sim.team->begin();
  const auto run = [&](Stage stage, const auto& work) {
    const StageTimer timer{report, stage};
    return work();
  };
  run(Stage::kGather, [&] { gatherBodies(sim, dt); });
  run(Stage::kBroadphase, [&] { msd_sim::findPairs(sim); });
  run(Stage::kNarrowphase, [&] { findContacts(sim); });
  run(Stage::kRows, [&] { prepareRows(sim, dt); });
  run(Stage::kIslands, [&] { buildIslands(sim); });
  const bool exact = sim.settings.method == Method::kExact;
  run(Stage::kSolve, [&] { exact ? solveExact(sim, dt) : solveSubsteps(sim, dt); });
  run(Stage::kCorrect, [&] { correctPositions(sim, dt); });
  const bool good = run(Stage::kScatter, [&] { return scatterBodies(sim); });
  if (good) {
    run(Stage::kAudit, [&] { auditStep(sim, dt); });
    sim.time += dt;
    ++sim.step;
  } else {
    rollBack(sim);
  }
  sim.team->end();
  report.time = sim.time;
  return report;
}

}  // namespace msd_sim
