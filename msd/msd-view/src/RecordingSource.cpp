#include "msd-view/src/RecordingSource.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-view/src/OpenFile.hpp"
#include "msd-view/src/StepRow.hpp"

namespace msd_view {

namespace {

/// Events are fetched for this many steps at a time.
constexpr std::uint64_t kEventSteps = 2000;

/// A recording: its frames are read when they are shown, its figures when it is opened.
class RecordingSource final : public FrameSource {
 public:
  RecordingSource(const std::filesystem::path& path, const std::string& name,
                  std::shared_ptr<const TemporaryFile> keep)
      : keep_{std::move(keep)}, reader_{path}, entries_{reader_.frameEntries()} {
    if (entries_.empty()) throw msd_record::RecordError{name + ": a recording without a frame"};
    const msd_scene::LoadedScene loaded = reader_.scene();
    const msd_scene::SceneWorld scene = msd_scene::buildWorld(loaded);
    SceneInfo info = describeScene(loaded, scene, name);
    info.isLive = false;
    info_ = std::make_shared<const SceneInfo>(std::move(info));
    method_ = scene.world.settings().method;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      start_.push_back({.pose = scene.world.asset(scene.bodies[i]).pose()});
    }
  }

  [[nodiscard]] std::shared_ptr<const SceneInfo> scene() const override { return info_; }
  [[nodiscard]] std::uint64_t firstIndex() const override { return 0; }
  [[nodiscard]] std::uint64_t lastIndex() const override { return entries_.size() - 1; }
  [[nodiscard]] double timeOf(std::uint64_t index) const override {
    return entries_[std::min(index, lastIndex())].time;
  }

  [[nodiscard]] FramePointer frame(std::uint64_t index) override {
    const std::uint64_t shown = std::min(index, lastIndex());
    const msd_record::Frame recorded = reader_.frame(entries_[shown].frame);
    auto frame = std::make_shared<Frame>();
    frame->index = shown;
    frame->step = recorded.entry.step;
    frame->time = recorded.entry.time;
    frame->bodies = start_;
    for (const msd_record::BodyState& state : recorded.states) take(*frame, state);
    frame->contacts.reserve(recorded.contacts.size());
    for (const msd_record::ContactRow& contact : recorded.contacts) take(*frame, contact);
    frame->joints.resize(info_->joints.size());
    for (const msd_record::ReactionRow& reaction : recorded.reactions) {
      if (reaction.joint >= frame->joints.size()) continue;
      frame->joints[reaction.joint] = {reaction.force(), reaction.torque(), reaction.broken != 0};
    }
    return frame;
  }

  bool extend() override { return false; }
  [[nodiscard]] bool canExtend() const override { return false; }
  void restart() override { are_rows_taken_ = false; }

  [[nodiscard]] std::vector<SeriesRow> takeRows() override {
    if (std::exchange(are_rows_taken_, true)) return {};
    if (rows_.empty()) readRows();
    return rows_;
  }

  [[nodiscard]] msd_sim::Method method() const override { return method_; }
  void setMethod(msd_sim::Method) override {}
  void setDrag(const std::optional<DragTarget>&) override {}
  void setBoundsWanted(bool) override {}
  [[nodiscard]] std::string failure() const override { return {}; }

 private:
  void take(Frame& frame, const msd_record::BodyState& state) const {
    if (state.body >= frame.bodies.size()) return;
    BodyFrame& body = frame.bodies[state.body];
    body.pose = state.pose();
    body.angularVelocity = state.angularVelocity();
    // Recorded is the velocity of the frame's origin: v_C = v_O + ω × (R c).
    const msd_sim::Vector3D arm = body.pose.orientation * info_->bodies[state.body].centre;
    body.velocity = state.velocity() + body.angularVelocity.cross(arm);
    body.isAwake = state.awake != 0;
    body.island = std::min(state.island, BodyFrame::kNoIsland);
  }

  void take(Frame& frame, const msd_record::ContactRow& contact) const {
    if (contact.bodyA >= frame.bodies.size() || contact.bodyB >= frame.bodies.size()) return;
    frame.contacts.push_back(
        {.bodyA = contact.bodyA,
         .bodyB = contact.bodyB,
         .point = contact.point(),
         .normal = contact.normal().cast<float>(),
         .forceOnB = contact.forceOnB().cast<float>(),
         .slip = contact.slip().cast<float>(),
         .gap = static_cast<float>(contact.gap()),
         .friction = static_cast<float>(contact.friction()),
         .state = static_cast<msd_sim::ContactState>(std::min(contact.state, 2u))});
  }

  /// A step belongs to the first frame at or after it.
  void readRows() {
    RowMaker maker;
    std::uint64_t index = 0;
    reader_.forEachStep(0, [&](const msd_record::RecordedStep& step) {
      while (index < lastIndex() && entries_[index].step < step.report.step) ++index;
      const bool isExact = std::isfinite(step.report.certificate.naturalMap);
      rows_.push_back(maker.make(step.report, index,
                                 isExact                                     ? msd_sim::Method::kExact
                                 : method_ == msd_sim::Method::kReference ? method_
                                                                          : msd_sim::Method::kFast));
      return true;
    });
    for (std::size_t first = 0; first < rows_.size(); first += kEventSteps) {
      const std::size_t last = std::min(rows_.size(), first + kEventSteps) - 1;
      countEvents(rows_[first][Column::kStep], rows_[last][Column::kStep]);
    }
  }

  void countEvents(double firstStep, double lastStep) {
    const auto events =
        reader_.events(static_cast<std::uint64_t>(firstStep), static_cast<std::uint64_t>(lastStep));
    for (const msd_record::RecordedEvent& event : events) {
      const auto at = std::lower_bound(
          rows_.begin(), rows_.end(), static_cast<double>(event.step),
          [](const SeriesRow& row, double step) { return row[Column::kStep] < step; });
      if (at == rows_.end()) continue;
      if (event.kind == "hit") {
        (*at)[Column::kHits] += 1.0;
        (*at)[Column::kHitSpeed] = std::max((*at)[Column::kHitSpeed], event.approachSpeed);
      } else {
        (*at)[event.kind == "begin" ? Column::kBegins : Column::kEnds] += 1.0;
      }
    }
  }

  std::shared_ptr<const TemporaryFile> keep_;
  msd_record::Reader reader_;
  std::vector<msd_record::FrameEntry> entries_;
  std::shared_ptr<const SceneInfo> info_;
  std::vector<BodyFrame> start_;  ///< where bodies that never move stand
  std::vector<SeriesRow> rows_;
  bool are_rows_taken_{false};
  msd_sim::Method method_{msd_sim::Method::kFast};
};

}  // namespace

std::unique_ptr<FrameSource> openRecording(const std::filesystem::path& path,
                                           const std::string& name,
                                           std::shared_ptr<const TemporaryFile> keep) {
  return std::make_unique<RecordingSource>(path, name, std::move(keep));
}

}  // namespace msd_view
