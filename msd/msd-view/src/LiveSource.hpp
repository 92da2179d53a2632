#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-view/src/FrameSource.hpp"
#include "msd-view/src/StepRow.hpp"

namespace msd_view {

struct LiveOptions {
  msd_scene::SettingsOverrides overrides{};
  /// Memory for the moments that the scrub bar reaches back to [bytes]; the oldest go first.
  std::size_t historyBytes{std::size_t{512} << 20};
  /// Reads the scene again, for a restart; none: it stays what it was.
  std::function<msd_scene::LoadedScene()> reload{};
};

/// A simulation that runs while it is watched.
class LiveSource final : public FrameSource {
 public:
  /// `file` is the name shown to the user.
  LiveSource(msd_scene::LoadedScene loaded, std::string file, LiveOptions options);

  [[nodiscard]] std::shared_ptr<const SceneInfo> scene() const override { return info_; }
  [[nodiscard]] std::uint64_t firstIndex() const override { return history_.front()->index; }
  [[nodiscard]] std::uint64_t lastIndex() const override { return history_.back()->index; }
  [[nodiscard]] FramePointer frame(std::uint64_t index) override;
  [[nodiscard]] double timeOf(std::uint64_t index) const override;
  bool extend() override;
  [[nodiscard]] bool canExtend() const override { return failure_.empty(); }
  void restart() override;
  [[nodiscard]] std::vector<SeriesRow> takeRows() override;
  [[nodiscard]] msd_sim::Method method() const override;
  void setMethod(msd_sim::Method method) override;
  void setDrive(std::uint32_t joint, std::optional<double> target) override;
  void setDrag(const std::optional<DragTarget>& drag) override { drag_ = drag; }
  void setBoundsWanted(bool wanted) override { bounds_wanted_ = wanted; }
  [[nodiscard]] std::string failure() const override { return failure_; }

 private:
  void build();
  void captureJoints(Frame& frame) const;
  void followScript();
  void remember();
  [[nodiscard]] std::shared_ptr<Frame> capture() const;
  void captureContacts(Frame& frame) const;
  [[nodiscard]] std::optional<DragForce> pull();
  void addRow(const msd_sim::StepReport& report);
  void fail(const msd_sim::StepReport& report);

  msd_scene::LoadedScene loaded_;
  LiveOptions options_;
  std::string file_;
  std::unique_ptr<msd_scene::SceneWorld> scene_;
  std::shared_ptr<const SceneInfo> info_;
  std::vector<std::uint32_t> place_;  ///< scene's number of a body, by the index of its id
  std::deque<FramePointer> history_;
  std::size_t history_bytes_{0};
  std::vector<SeriesRow> new_rows_;
  RowMaker row_maker_;
  std::optional<DragTarget> drag_;
  /// What the scene says of its motors, for when nobody drives them.
  struct Script {
    std::vector<msd_scene::SceneWorld::TimedMotor> motors{};
    msd_scene::TargetTracking tracking{};
  };
  Script script_;
  std::map<std::uint32_t, msd_sim::JointDescription> driven_;  ///< as they were before
  std::optional<DragForce> applied_;
  bool bounds_wanted_{false};
  std::string failure_;
};

}  // namespace msd_view
