#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "World.hpp"
#include "msd-record/src/Recorder.hpp"

namespace msd_python {

/// Records a world made from a scene while it is stepped.
class RecordWatcher final : public StepWatcher {
 public:
  /// Throws std::invalid_argument for a world that is not as its scene made it, RecordError where
  /// the file cannot be made.
  static std::shared_ptr<RecordWatcher> start(const std::shared_ptr<World>& world,
                                              const std::filesystem::path& path,
                                              std::uint64_t every, bool overwrite);
  ~RecordWatcher() override;

  void stepping(WorldModel&) override {}
  void stepped(const WorldModel& world, const StepReport& report, double seconds) override;

  /// A recording that ends: nobody else may use its world until the last state is written.
  struct Closing {
    std::shared_ptr<World> world;  ///< null: it is gone, or the recording has ended before
    std::optional<World::Use> use;
  };
  /// Takes the recorder off its world. Throws BusyError while another thread steps it.
  [[nodiscard]] Closing beginClose();
  /// Writes the last state, without Python's lock. Throws RecordError where writing has failed.
  void finish(const Closing& closing);
  [[nodiscard]] std::uint64_t frames() const { return recorder_->progress().frames; }
  [[nodiscard]] const std::filesystem::path& path() const { return recorder_->path(); }

 private:
  RecordWatcher(std::weak_ptr<World> world, std::unique_ptr<msd_record::Recorder> recorder)
      : world_{std::move(world)}, recorder_{std::move(recorder)} {}

  std::weak_ptr<World> world_;
  std::unique_ptr<msd_record::Recorder> recorder_;
  bool closed_{false};
};

}  // namespace msd_python
