#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-sim/src/Environment/WorldCopy.hpp"

/// What lies between the engine and Python, without Python: worlds with rows, forces that stay, and
/// memory that outlives the arrays which look at it.
namespace msd_python {

using msd_sim::BodyId;
using msd_sim::JointId;
using msd_sim::StepReport;
using msd_sim::WorldModel;

/// A world is used while another thread steps it.
class BusyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An array is used whose bodies have changed since it was made.
class StaleViewError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Told after every step, on the thread that steps.
class StepWatcher {
 public:
  virtual ~StepWatcher() = default;
  virtual void stepping(WorldModel& world) = 0;
  virtual void stepped(const WorldModel& world, const StepReport& report, double seconds) = 0;
};

/// True when a long run should end.
using Interrupted = std::function<bool()>;

class World;

/// What arrays on a world's memory hold on to. Current, it keeps the world; once the bodies have
/// changed it keeps the memory as it was then.
struct Lease {
  std::shared_ptr<World> world;                   ///< null once stale
  std::vector<std::shared_ptr<const void>> kept;  ///< memory that the world no longer uses
  std::string reason;

  /// Throws StaleViewError or BusyError.
  void check() const;
};

/// New values of all bodies, row by row; empty: as they are.
struct BulkState {
  std::span<const double> position;         ///< 3 a row [m]
  std::span<const double> orientation;      ///< 4 a row, w x y z
  std::span<const double> velocity;         ///< 3 a row [m/s]
  std::span<const double> angularVelocity;  ///< 3 a row [rad/s]
};

/// A world as Python holds it.
class World : public std::enable_shared_from_this<World> {
 public:
  World(const msd_sim::Settings& settings, double dt);
  World(std::shared_ptr<const msd_scene::LoadedScene> scene,
        const msd_scene::SettingsOverrides& overrides);
  [[nodiscard]] std::shared_ptr<World> copy() const;

  /// Throws BusyError while another thread steps.
  [[nodiscard]] WorldModel& model();
  [[nodiscard]] const WorldModel& model() const;
  [[nodiscard]] bool isBusy() const { return stepping_.load(std::memory_order_acquire); }

  [[nodiscard]] double dt() const { return scene_.dt; }  ///< [s]
  void setDt(double dt);

  // --- bodies: the only way to add or remove them, so that arrays learn of it ---
  BodyId spawn(const msd_sim::InertialDescription& description);
  BodyId spawn(const msd_sim::EnvironmentDescription& description);
  void remove(BodyId body);
  /// Refuses changes of the set of bodies and joints from now on; `reason` is the error's text.
  void freeze(std::string reason) { frozen_ = std::move(reason); }
  void refuseIfFrozen() const;
  /// Bodies or joints are other than the scene's.
  void noteEdit() { scene_intact_ = false; }

  [[nodiscard]] std::size_t rows() const { return msd_sim::bodyArrays(model()).rows; }
  /// The body of a row; null where the row is free.
  [[nodiscard]] BodyId bodyOfRow(std::size_t row) const;
  [[nodiscard]] std::shared_ptr<Lease> lease();

  /// A new state of a body.
  struct Change {
    BodyId body;
    msd_sim::InertialState state;
    bool moves;  ///< to another pose
  };
  using Changes = std::vector<Change>;
  /// What differs from the world as it is. Throws std::invalid_argument, which names the row.
  [[nodiscard]] Changes plan(const BulkState& state) const;
  void make(const Changes& changes);
  /// Writes what differs, all or nothing.
  void write(const BulkState& state) { make(plan(state)); }

  // --- forces that act in every step until they are set otherwise, 3 a row ---
  [[nodiscard]] std::shared_ptr<double> forces();   ///< [N]
  [[nodiscard]] std::shared_ptr<double> torques();  ///< [N·m]
  /// Takes them from memory of someone else's.
  void useForces(std::shared_ptr<double> forces, std::shared_ptr<double> torques);

  // --- stepping; without Python's lock ---
  /// A world that one thread has for itself: whoever else asks is told so. Begun while Python's
  /// lock is held, so that nobody who has found the world free still reads when it starts to move.
  class Use {
   public:
    /// Throws BusyError where someone uses it already.
    explicit Use(World& world);
    ~Use();
    Use(Use&& other) noexcept : world_{std::exchange(other.world_, nullptr)} {}
    Use& operator=(Use&&) = delete;

    [[nodiscard]] WorldModel& model() const { return world_->scene_.world; }
    /// Advances by `count` steps of dt [s], or fewer where a step fails or `interrupted` says so.
    /// Calls `each` after every step.
    StepReport step(std::uint64_t count, double dt, const Interrupted& interrupted,
                    const std::function<void(const StepReport&)>& each = {}) const;
    StepReport advance(double dt) const { return world_->advance(dt); }
    void unwatch(const StepWatcher* watcher) const { world_->drop(watcher); }

   private:
    World* world_;
  };

  void watch(std::shared_ptr<StepWatcher> watcher);
  void unwatch(const StepWatcher* watcher);

  [[nodiscard]] const std::shared_ptr<const msd_scene::LoadedScene>& scene() const {
    return loaded_;
  }
  [[nodiscard]] const msd_scene::SceneWorld& sceneWorld() const { return scene_; }
  [[nodiscard]] bool isSceneIntact() const { return loaded_ != nullptr && scene_intact_; }

 private:
  explicit World(msd_scene::SceneWorld scene);
  void changeBodies(const char* what);
  void makeForces();
  void listRows() const;
  void checkForces() const;
  void applyForces();
  StepReport advance(double dt);
  void drop(const StepWatcher* watcher);

  msd_scene::SceneWorld scene_;
  std::shared_ptr<const msd_scene::LoadedScene> loaded_;
  bool scene_intact_{true};
  std::string frozen_;
  std::weak_ptr<Lease> lease_;
  mutable std::vector<BodyId> body_of_row_;
  mutable bool rows_listed_{false};
  std::shared_ptr<double> forces_;
  std::shared_ptr<double> torques_;
  std::size_t force_rows_{0};
  std::vector<std::shared_ptr<StepWatcher>> watchers_;
  std::atomic<bool> stepping_{false};
};

}  // namespace msd_python
