#include "Batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "JointWords.hpp"

namespace msd_python {

namespace {

using Clock = std::chrono::steady_clock;

/// A long run looks about this often whether it should end [s].
constexpr double kPatience = 0.05;

int teamSize(int threads) {
  if (threads < 0 || threads > 1024) {
    throw std::invalid_argument(
        fmt::format("threads is {}; expected 0 (all cores) to 1024", threads));
  }
  return threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
}

template <std::size_t N>
void copyColumn(const msd_sim::BodyColumn& column, std::size_t rows, double* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const double* from = column.data + row * column.stride;
    for (std::size_t c = 0; c < N; ++c) out[N * row + c] = from[c];
  }
}

std::span<const double> part(std::span<const double> all, std::size_t index, std::size_t size) {
  return all.empty() ? all : all.subspan(index * size, size);
}

/// The same error, with the world's number before it.
[[noreturn]] void rethrowOf(std::size_t world, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("world {}: {}", world, error.what()));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("world {}: {}", world, error.what()));
  }
}

}  // namespace

Batch::Batch(const World& prototype, std::size_t count, int threads)
    : start_{prototype.model().snapshot()},
      rows_{prototype.rows()},
      joints_{prototype.model().joints().size()},
      arrays_{std::make_shared<Arrays>()},
      failures_(count),
      team_{teamSize(threads)} {
  if (count == 0) throw std::invalid_argument("n is 0; expected at least one world");
  for (const JointId id : prototype.model().joints()) {
    const msd_sim::JointDescription& joint = prototype.model().joint(id);
    has_coordinate_.push_back(hasCoordinate(joint.kind) ? 1 : 0);
    has_motor_.push_back(joint.motor ? 1 : 0);
  }
  Arrays& a = *arrays_;
  const std::size_t all = count * rows_;
  for (std::vector<double>* column :
       {&a.position, &a.velocity, &a.angularVelocity, &a.force, &a.torque}) {
    column->resize(3 * all, 0.0);
  }
  a.orientation.resize(4 * all, 0.0);
  for (std::vector<double>* column : {&a.jointPosition, &a.jointVelocity, &a.motorTarget}) {
    column->resize(count * joints_, std::numeric_limits<double>::quiet_NaN());
  }
  msd_sim::Settings alone = prototype.model().settings();
  alone.threads = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::shared_ptr<World> world = prototype.copy();
    world->model().setSettings(alone);
    world->freeze("the world is part of a batch; expected no change of its bodies or joints");
    double* force = a.force.data() + 3 * rows_ * i;
    double* torque = a.torque.data() + 3 * rows_ * i;
    std::copy_n(world->forces().get(), 3 * rows_, force);
    std::copy_n(world->torques().get(), 3 * rows_, torque);
    world->useForces({arrays_, force}, {arrays_, torque});
    for (std::size_t j = 0; j < joints_; ++j) {
      const std::optional<msd_sim::JointMotor>& motor =
          prototype.model().joint(prototype.model().joints()[j]).motor;
      if (motor) a.motorTarget[i * joints_ + j] = motor->target;
    }
    worlds_.push_back(std::move(world));
  }
  gather();
}

void Batch::gatherWorld(std::size_t index) {
  const WorldModel& model = worlds_[index]->sceneWorld().world;
  const msd_sim::BodyArrays now = msd_sim::bodyArrays(model);
  Arrays& a = *arrays_;
  copyColumn<3>(now.position, rows_, a.position.data() + 3 * rows_ * index);
  copyColumn<4>(now.orientation, rows_, a.orientation.data() + 4 * rows_ * index);
  copyColumn<3>(now.velocity, rows_, a.velocity.data() + 3 * rows_ * index);
  copyColumn<3>(now.angularVelocity, rows_, a.angularVelocity.data() + 3 * rows_ * index);
  for (std::size_t j = 0; j < joints_; ++j) {
    if (has_coordinate_[j] == 0) continue;
    a.jointPosition[index * joints_ + j] = model.jointCoordinate(model.joints()[j]);
    a.jointVelocity[index * joints_ + j] = model.jointVelocity(model.joints()[j]);
  }
}

/// The motors' targets as the array has them.
void Batch::drive(WorldModel& model, std::size_t index) {
  for (std::size_t j = 0; j < joints_; ++j) {
    if (has_motor_[j] == 0) continue;
    const msd_sim::JointId joint = model.joints()[j];
    model.setMotorTarget(joint, arrays_->motorTarget[index * joints_ + j],
                         model.joint(joint).motor->targetVelocity);
  }
}

template <class Work>
void Batch::forWorlds(const Work& work) {
  std::ranges::fill(failures_, nullptr);
  {
    const msd_sim::WorkTeam::Session session{team_};
    team_.forBlocks(worlds_.size(), [&](std::size_t i) {
      try {
        work(i);
      } catch (...) {
        failures_[i] = std::current_exception();
      }
    });
  }
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    if (failures_[i]) rethrowOf(i, failures_[i]);
  }
}

void Batch::gather() {
  forWorlds([&](std::size_t i) { gatherWorld(i); });
}

Batch::Use Batch::use() {
  Use all;
  all.reserve(worlds_.size());
  for (const std::shared_ptr<World>& world : worlds_) all.emplace_back(*world);
  return all;
}

void Batch::step(const Use& use, std::uint64_t count, double dt, const Interrupted& interrupted) {
  std::uint64_t chunk = 1;
  while (count > 0) {
    const std::uint64_t now = std::min(chunk, count);
    const Clock::time_point start = Clock::now();
    forWorlds([&](std::size_t i) {
      drive(use[i].model(), i);
      for (std::uint64_t k = 0; k < now; ++k) use[i].advance(dt);
      gatherWorld(i);
    });
    count -= now;
    if (count == 0 || interrupted()) return;
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    if (took < 0.5 * kPatience) chunk *= 2;
  }
}

void Batch::write(const BulkState& state) {
  std::vector<World::Changes> changes;
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    try {
      changes.push_back(worlds_[i]->plan(
          {part(state.position, i, 3 * rows_), part(state.orientation, i, 4 * rows_),
           part(state.velocity, i, 3 * rows_), part(state.angularVelocity, i, 3 * rows_)}));
    } catch (const std::invalid_argument&) {
      rethrowOf(i, std::current_exception());
    }
  }
  for (std::size_t i = 0; i < worlds_.size(); ++i) worlds_[i]->make(changes[i]);
  gather();
}

void Batch::reset(const Use& use, std::span<const bool> chosen) {
  forWorlds([&](std::size_t i) {
    if (!chosen[i]) return;
    use[i].model().restore(start_);
    gatherWorld(i);
  });
}

}  // namespace msd_python
