#pragma once

#include <filesystem>
#include <memory>

#include "World.hpp"
#include "msd-record/src/Recorder.hpp"

namespace msd_python {

/// Records a world made from a scene while it is stepped.
class RecordWatcher final : public StepWatcher {
 public:
  /// Throws std::invalid_argument for a world that is not as its scene made it, RecordError where the file
  /// cannot be made.
  static std::shared_ptr<RecordWatcher> start(const std::shared_ptr<World>& world,
                                              const std::filesystem::path& path, std::uint64_t every,
                                              bool overwrite);
  ~RecordWatcher() override;

  void stepping(WorldModel&) override {}
  void stepped(const WorldModel& world, const StepReport& report, double seconds) override;

  /// Throws RecordError where writing has failed.
  void close();
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
