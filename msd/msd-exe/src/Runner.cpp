#include "msd-exe/src/Runner.hpp"

#include <algorithm>
#include <chrono>

#include "msd-exe/src/Interrupt.hpp"

namespace msd_exe {

RunEnd Runner::run(std::uint64_t steps, msd_scene::ExpectationChecker& checker) {
  for (StepObserver* observer : observers_) observer->begin(scene_);
  checker.observe(scene_);
  RunEnd end = isStopWanted() ? RunEnd::kStopped : RunEnd::kCompleted;
  for (std::uint64_t i = 0; i < steps && end == RunEnd::kCompleted; ++i) {
    end = step(checker);
    if (end == RunEnd::kCompleted && isStopWanted()) end = RunEnd::kStopped;
    if (InterruptGuard::isRequested() && i + 1 < steps) end = RunEnd::kInterrupted;
  }
  if (end == RunEnd::kCompleted) checker.finish(scene_);
  for (StepObserver* observer : observers_) observer->finish(scene_);
  return end;
}

RunEnd Runner::step(msd_scene::ExpectationChecker& checker) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const msd_sim::StepReport report = scene_.advance();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (report.status == msd_sim::StepStatus::kFailed) {
    failure_ = report;
    return RunEnd::kFailed;
  }
  for (StepObserver* observer : observers_) observer->step(scene_, report, seconds);
  checker.observe(scene_);
  return RunEnd::kCompleted;
}

bool Runner::isStopWanted() const {
  return std::ranges::any_of(observers_, &StepObserver::wantsStop);
}

}  // namespace msd_exe
