#pragma once

#include <cstdint>
#include <vector>

#include "msd-exe/src/RunResult.hpp"
#include "msd-exe/src/StepObserver.hpp"
#include "msd-scene/src/Expectations.hpp"

namespace msd_exe {

/// Steps the world and tells the observers; stops early when a step fails, the user asks or an
/// observer does.
class Runner {
 public:
  Runner(msd_scene::SceneWorld& scene, std::vector<StepObserver*> observers)
      : scene_{scene}, observers_{std::move(observers)} {}

  RunEnd run(std::uint64_t steps, msd_scene::ExpectationChecker& checker);

  [[nodiscard]] const msd_sim::StepReport& failure() const { return failure_; }

 private:
  RunEnd step(msd_scene::ExpectationChecker& checker);
  [[nodiscard]] bool isStopWanted() const;

  msd_scene::SceneWorld& scene_;
  std::vector<StepObserver*> observers_;
  msd_sim::StepReport failure_{};
};

}  // namespace msd_exe
