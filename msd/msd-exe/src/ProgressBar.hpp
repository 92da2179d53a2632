#pragma once

#include <chrono>
#include <cstdint>

#include "msd-exe/src/StepObserver.hpp"

namespace msd_exe {

/// A line on a terminal that shows how far a run is:
///   [##########..........]  50 %  360 of 720 steps, 6.0 s, 391 steps/s, 1 s to go
class ProgressBar final : public StepObserver {
 public:
  explicit ProgressBar(std::uint64_t steps) : steps_{steps} {}

  /// Whether there is a terminal to draw on.
  [[nodiscard]] static bool isPossible();

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double simulatedTime, Clock::time_point now);

  std::uint64_t steps_;
  std::uint64_t done_{0};
  Clock::time_point start_{};
  Clock::time_point next_{};
};

}  // namespace msd_exe
