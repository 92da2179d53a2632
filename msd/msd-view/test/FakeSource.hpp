#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "msd-view/src/FrameSource.hpp"

namespace msd_view::test {

/// A tower of unit cubes on a floor that sways: moments without a simulation, so that tests of the
/// server depend on nothing else. The moment of a number is always the same.
class FakeSource final : public FrameSource {
 public:
  explicit FakeSource(std::size_t cubes = 8, std::uint64_t last = 0) : last_{last} {
    SceneInfo info{.name = "tower", .file = "tower.json", .gravity = {0, 0, -9.81}, .dt = 1.0 / 60};
    info.shapes = {msd_assets::Box{{20, 20, 1}}, msd_assets::Box{{0.5, 0.5, 0.5}}};
    info.shapeNames = {"floor", "cube"};
    info.bodies.push_back({.name = "floor", .shape = 0, .isStatic = true});
    for (std::size_t i = 0; i < cubes; ++i) {
      info.bodies.push_back({.name = "cube " + std::to_string(i + 1), .shape = 1, .mass = 1000.0});
    }
    info_ = std::make_shared<const SceneInfo>(std::move(info));
  }

  [[nodiscard]] std::shared_ptr<const SceneInfo> scene() const override { return info_; }
  [[nodiscard]] std::uint64_t firstIndex() const override { return 0; }
  [[nodiscard]] std::uint64_t lastIndex() const override { return last_; }
  [[nodiscard]] double timeOf(std::uint64_t index) const override {
    return static_cast<double>(index) * info_->dt;
  }
  [[nodiscard]] FramePointer frame(std::uint64_t index) override {
    auto frame = std::make_shared<Frame>();
    frame->index = frame->step = std::min(index, last_);
    frame->time = timeOf(frame->index);
    frame->bodies.resize(info_->bodies.size());
    frame->bodies[0].pose.position = {0, 0, -1};
    const auto cubes = static_cast<double>(info_->bodies.size() - 1);
    for (std::size_t i = 1; i < info_->bodies.size(); ++i) {
      const auto level = static_cast<double>(i) - 1.0;
      const double sway = 0.01 * level * std::sin(3.0 * frame->time);
      frame->bodies[i].pose.position = {sway, 0, 0.5 + level};
      frame->bodies[i].island = 0;
      constexpr std::array<std::array<double, 2>, 4> kCorners{
          {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}};
      for (const auto& [x, y] : kCorners) {
        const double load = (cubes - level) * 9810.0 / 4.0;
        frame->contacts.push_back({.bodyA = static_cast<std::uint32_t>(i - 1),
                                   .bodyB = static_cast<std::uint32_t>(i),
                                   .point = {sway + x, y, level},
                                   .normal = {0, 0, 1},
                                   .forceOnB = {0, 0, static_cast<float>(load)},
                                   .gap = -1e-5f,
                                   .friction = 0.5f,
                                   .state = msd_sim::ContactState::kStick});
      }
    }
    return frame;
  }
  bool extend() override {
    ++last_;
    ++steps_;
    SeriesRow row;
    row[Column::kIndex] = row[Column::kStep] = static_cast<double>(last_);
    row[Column::kTime] = timeOf(last_);
    row[Column::kKinetic] = 1.0 + std::sin(timeOf(last_));
    rows_.push_back(row);
    return true;
  }
  [[nodiscard]] bool canExtend() const override { return true; }
  void restart() override { last_ = 0; }
  [[nodiscard]] std::vector<SeriesRow> takeRows() override { return std::exchange(rows_, {}); }
  [[nodiscard]] msd_sim::Method method() const override { return method_; }
  void setMethod(msd_sim::Method method) override { method_ = method; }
  void setDrag(const std::optional<DragTarget>&) override {}
  void setBoundsWanted(bool) override {}
  [[nodiscard]] std::string failure() const override { return {}; }

  /// Steps made so far, readable by any thread.
  [[nodiscard]] static std::uint64_t stepsMade() { return steps_; }

 private:
  static inline std::atomic<std::uint64_t> steps_{0};
  std::shared_ptr<const SceneInfo> info_;
  std::uint64_t last_;
  std::vector<SeriesRow> rows_;
  msd_sim::Method method_{msd_sim::Method::kFast};
};

}  // namespace msd_view::test
