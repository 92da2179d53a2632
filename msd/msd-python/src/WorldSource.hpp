#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "World.hpp"
#include "msd-view/src/FrameSource.hpp"
#include "msd-view/src/StepRow.hpp"

namespace msd_python {

/// What the browser view shows of a world that Python steps: the one who steps captures moments, the
/// view's thread takes them. They meet in here, behind one lock.
class WorldFeed final : public StepWatcher {
 public:
  /// `title` is shown to the user.
  WorldFeed(const World& world, std::string title);

  void stepping(WorldModel& world) override;
  void stepped(const WorldModel& world, const StepReport& report, double seconds) override;
  /// Shows the world as it is, after changes between steps.
  void show(const WorldModel& world);

  // --- the view's side ---
  [[nodiscard]] std::shared_ptr<const msd_view::SceneInfo> scene() const;
  [[nodiscard]] msd_view::FramePointer first() const;
  /// The next moment captured and not taken yet; null where none comes within `patience`.
  [[nodiscard]] msd_view::FramePointer take(std::chrono::milliseconds patience);
  [[nodiscard]] std::vector<msd_view::SeriesRow> takeRows();
  [[nodiscard]] msd_sim::Method method() const;
  void askMethod(msd_sim::Method method);
  void wantBounds(bool wanted);
  /// Bodies have come or gone: the view must begin anew.
  [[nodiscard]] bool isOutdated() const;
  /// Begins with the bodies there are now.
  void renew();

 private:
  void describe(const WorldModel& world);
  void keep(const WorldModel& world);
  [[nodiscard]] std::shared_ptr<msd_view::Frame> capture(const WorldModel& world) const;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::string title_;
  double dt_;
  std::shared_ptr<const msd_view::SceneInfo> info_;
  std::vector<BodyId> bodies_;
  std::vector<std::uint32_t> place_;  ///< number of a body in the view, by the index of its id
  std::vector<JointId> joints_;
  msd_view::FramePointer first_;
  std::deque<msd_view::FramePointer> waiting_;
  std::vector<msd_view::SeriesRow> rows_;
  msd_view::RowMaker row_maker_;
  std::uint64_t next_index_{0};
  bool bounds_wanted_{false};
  bool outdated_{false};
  std::optional<msd_sim::Method> asked_;
  msd_sim::Method method_;
};

/// The feed as the view's player takes it.
[[nodiscard]] std::unique_ptr<msd_view::FrameSource> makeSource(std::shared_ptr<WorldFeed> feed);

}  // namespace msd_python
