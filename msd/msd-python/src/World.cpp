#include "World.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_python {

namespace {

using Clock = std::chrono::steady_clock;
using msd_sim::BodyArrays;
using msd_sim::BodyColumn;
using msd_sim::Vector3D;

/// A long run looks this often whether it should end.
constexpr std::chrono::milliseconds kPatience{50};

std::shared_ptr<double> zeros(std::size_t count) {
  auto memory = std::make_shared<std::vector<double>>(std::max<std::size_t>(count, 1), 0.0);
  return {memory, memory->data()};
}

template <std::size_t N>
bool differs(const BodyColumn& column, std::size_t row, std::span<const double> values) {
  if (values.empty()) return false;
  return !std::equal(values.begin() + row * N, values.begin() + (row + 1) * N,
                     column.data + row * column.stride);
}

bool isSet(const double* v) {
  return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0;
}

Vector3D vectorAt(std::span<const double> values, std::size_t row) {
  return {values[3 * row], values[3 * row + 1], values[3 * row + 2]};
}

/// The state that a row asks for: what it does not name stays.
msd_sim::InertialState wanted(const BulkState& bulk, std::size_t row,
                              msd_sim::InertialState state) {
  using namespace msd_sim;
  if (!bulk.position.empty())
    state.position = requireFinite(vectorAt(bulk.position, row), "position", "m");
  if (!bulk.orientation.empty()) {
    const double* q = bulk.orientation.data() + 4 * row;
    state.orientation = requireUnit(Quaternion{q[0], q[1], q[2], q[3]}, "orientation");
  }
  if (!bulk.velocity.empty()) {
    state.velocity = requireFinite(vectorAt(bulk.velocity, row), "velocity", "m/s");
  }
  if (!bulk.angularVelocity.empty()) {
    state.angularVelocity =
        requireFinite(vectorAt(bulk.angularVelocity, row), "angularVelocity", "rad/s");
  }
  return state;
}

}  // namespace

void Lease::check() const {
  if (!world) throw StaleViewError(reason);
  if (world->isBusy()) {
    throw BusyError("the world is being stepped by another thread; expected to be read after that");
  }
}

World::World(msd_scene::SceneWorld scene) : scene_{std::move(scene)} {}

World::World(const msd_sim::Settings& settings, double dt) : scene_{.world = WorldModel{settings}} {
  setDt(dt);
}

World::World(std::shared_ptr<const msd_scene::LoadedScene> scene,
             const msd_scene::SettingsOverrides& overrides)
    : scene_{msd_scene::buildWorld(*scene, overrides)}, loaded_{std::move(scene)} {
  if (scene_.forces.empty()) return;
  makeForces();
  for (const auto& constant : scene_.forces) {
    const std::size_t row = msd_sim::bodyRow(constant.body);
    std::copy_n(constant.force.data(), 3, forces_.get() + 3 * row);
    std::copy_n(constant.torque.data(), 3, torques_.get() + 3 * row);
  }
}

std::shared_ptr<World> World::copy() const {
  msd_scene::SceneWorld scene{.world = msd_sim::cloneWorld(model()),
                              .dt = scene_.dt,
                              .bodies = scene_.bodies,
                              .joints = scene_.joints,
                              .bodyByName = scene_.bodyByName,
                              .jointByName = scene_.jointByName,
                              .forces = scene_.forces};
  std::shared_ptr<World> other{new World{std::move(scene)}};
  other->loaded_ = loaded_;
  other->scene_intact_ = scene_intact_;
  if (forces_) {
    other->makeForces();
    std::copy_n(forces_.get(), 3 * force_rows_, other->forces_.get());
    std::copy_n(torques_.get(), 3 * force_rows_, other->torques_.get());
  }
  return other;
}

WorldModel& World::model() {
  return const_cast<WorldModel&>(static_cast<const World&>(*this).model());
}

const WorldModel& World::model() const {
  if (isBusy()) {
    throw BusyError("the world is being stepped by another thread; expected to be used after that");
  }
  return scene_.world;
}

void World::setDt(double dt) {
  msd_sim::requireRange(dt, "dt", "s", 1e-9, 1.0);
  scene_.dt = dt;
}

// --- bodies ---

void World::refuseIfFrozen() const {
  if (!frozen_.empty()) throw std::invalid_argument(frozen_);
}

void World::changeBodies(const char* what) {
  refuseIfFrozen();
  if (const std::shared_ptr<Lease> lease = lease_.lock()) {
    lease->kept = {msd_sim::replaceBodyArrays(model()), forces_, torques_};
    lease->reason = fmt::format(
        "this array is of the world before a body was {}; take it from the world again", what);
    lease->world.reset();
    lease_.reset();
  }
  rows_listed_ = false;
  noteEdit();
}

BodyId World::spawn(const msd_sim::InertialDescription& description) {
  // Tried where nothing looks on: a description that is refused leaves the arrays current.
  if (!lease_.expired()) (void)WorldModel{model().settings()}.spawn(description);
  changeBodies("added");
  const BodyId id = model().spawn(description);
  if (forces_) makeForces();
  return id;
}

BodyId World::spawn(const msd_sim::EnvironmentDescription& description) {
  if (!lease_.expired()) (void)WorldModel{model().settings()}.spawn(description);
  changeBodies("added");
  const BodyId id = model().spawn(description);
  if (forces_) makeForces();
  return id;
}

void World::remove(BodyId body) {
  (void)model().asset(body);  // refuses what is not there before anything has changed
  changeBodies("removed");
  model().remove(body);
  if (!forces_) return;
  makeForces();
  std::fill_n(forces_.get() + 3 * msd_sim::bodyRow(body), 3, 0.0);
  std::fill_n(torques_.get() + 3 * msd_sim::bodyRow(body), 3, 0.0);
}

void World::listRows() const {
  if (rows_listed_) return;
  body_of_row_.assign(msd_sim::bodyArrays(scene_.world).rows, BodyId{});
  for (const BodyId id : scene_.world.bodies()) body_of_row_[msd_sim::bodyRow(id)] = id;
  rows_listed_ = true;
}

BodyId World::bodyOfRow(std::size_t row) const {
  listRows();
  return row < body_of_row_.size() ? body_of_row_[row] : BodyId{};
}

std::shared_ptr<Lease> World::lease() {
  std::shared_ptr<Lease> current = lease_.lock();
  if (!current) {
    current = std::make_shared<Lease>();
    current->world = shared_from_this();
    lease_ = current;
  }
  return current;
}

World::Changes World::plan(const BulkState& bulk) const {
  const WorldModel& world = model();
  const BodyArrays now = msd_sim::bodyArrays(world);
  Changes changes;
  for (std::size_t row = 0; row < now.rows; ++row) {
    const bool moves = differs<3>(now.position, row, bulk.position) ||
                       differs<4>(now.orientation, row, bulk.orientation);
    if (!moves && !differs<3>(now.velocity, row, bulk.velocity) &&
        !differs<3>(now.angularVelocity, row, bulk.angularVelocity)) {
      continue;
    }
    const BodyId id = bodyOfRow(row);
    if (id.isNull()) {
      throw std::invalid_argument(
          fmt::format("row {}: its body was removed; expected its values as they are", row));
    }
    try {
      changes.push_back({id, wanted(bulk, row, world.inertial(id).getInertialState()), moves});
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("row {}: {}", row, error.what()));
    }
  }
  return changes;
}

void World::make(const Changes& changes) {
  WorldModel& world = model();
  for (const Change& change : changes) {
    if (change.moves) {
      world.setState(change.body, change.state);
    } else {
      world.setVelocity(change.body, change.state.velocity, change.state.angularVelocity);
    }
  }
}

// --- forces ---

void World::makeForces() {
  const std::size_t count = msd_sim::bodyArrays(scene_.world).rows;
  const std::shared_ptr<double> oldForces = std::exchange(forces_, zeros(3 * count));
  const std::shared_ptr<double> oldTorques = std::exchange(torques_, zeros(3 * count));
  const std::size_t known = std::min(std::exchange(force_rows_, count), count);
  if (!oldForces) return;
  std::copy_n(oldForces.get(), 3 * known, forces_.get());
  std::copy_n(oldTorques.get(), 3 * known, torques_.get());
}

std::shared_ptr<double> World::forces() {
  if (!forces_) makeForces();
  return forces_;
}

std::shared_ptr<double> World::torques() {
  if (!torques_) makeForces();
  return torques_;
}

void World::useForces(std::shared_ptr<double> forces, std::shared_ptr<double> torques) {
  forces_ = std::move(forces);
  torques_ = std::move(torques);
  force_rows_ = msd_sim::bodyArrays(scene_.world).rows;
}

/// All or nothing: what is given to some bodies before another one refuses it would act twice when
/// the caller tries again.
void World::checkForces() const {
  for (std::size_t row = 0; row < force_rows_; ++row) {
    const double* f = forces_.get() + 3 * row;
    const double* t = torques_.get() + 3 * row;
    if (!isSet(f) && !isSet(t)) continue;
    try {
      const BodyId id = body_of_row_[row];
      if (id.isNull()) throw std::invalid_argument("its body was removed; expected no force on it");
      (void)scene_.world.inertial(id);
      if (msd_sim::isKinematic(scene_.world, id)) {
        throw std::invalid_argument(fmt::format(
            "body \"{}\" is kinematic: no force moves it; expected none", scene_.world.name(id)));
      }
      msd_sim::requireFinite(Vector3D{f[0], f[1], f[2]}, "force", "N");
      msd_sim::requireFinite(Vector3D{t[0], t[1], t[2]}, "torque", "N·m");
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("row {}: {}", row, error.what()));
    }
  }
}

void World::applyForces() {
  if (!forces_) return;
  listRows();
  checkForces();
  for (std::size_t row = 0; row < force_rows_; ++row) {
    const double* f = forces_.get() + 3 * row;
    const double* t = torques_.get() + 3 * row;
    if (isSet(f)) scene_.world.applyForce(body_of_row_[row], {f[0], f[1], f[2]});
    if (isSet(t)) scene_.world.applyTorque(body_of_row_[row], {t[0], t[1], t[2]});
  }
}

// --- stepping ---

StepReport World::advance(double dt) {
  applyForces();
  if (watchers_.empty()) return scene_.world.update(dt);
  for (const auto& watcher : watchers_) watcher->stepping(scene_.world);
  const Clock::time_point start = Clock::now();
  const StepReport report = scene_.world.update(dt);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const auto& watcher : watchers_) watcher->stepped(scene_.world, report, seconds);
  return report;
}

World::Use::Use(World& world) : world_{&world} {
  if (world.stepping_.exchange(true, std::memory_order_acq_rel)) {
    throw BusyError("the world is being stepped by another thread; expected one at a time");
  }
}

World::Use::~Use() {
  if (world_ != nullptr) world_->stepping_.store(false, std::memory_order_release);
}

StepReport World::Use::step(std::uint64_t count, double dt, const Interrupted& interrupted,
                            const std::function<void(const StepReport&)>& each) const {
  StepReport report = model().lastReport();
  if (count == 1 && !each) return advance(dt);
  Clock::time_point due = Clock::now() + kPatience;
  for (std::uint64_t i = 0; i < count; ++i) {
    report = advance(dt);
    if (each) each(report);
    if (report.status == msd_sim::StepStatus::kFailed) break;
    if (Clock::now() < due) continue;
    if (interrupted()) break;
    due = Clock::now() + kPatience;
  }
  return report;
}

void World::watch(std::shared_ptr<StepWatcher> watcher) {
  (void)model();
  watchers_.push_back(std::move(watcher));
}

void World::unwatch(const StepWatcher* watcher) {
  (void)model();
  drop(watcher);
}

void World::drop(const StepWatcher* watcher) {
  std::erase_if(watchers_, [&](const auto& known) { return known.get() == watcher; });
}

}  // namespace msd_python
