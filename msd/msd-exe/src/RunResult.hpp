#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "msd-exe/src/RunStatistics.hpp"
#include "msd-scene/src/Expectations.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_exe {

/// How a run ended.
enum class RunEnd : std::uint8_t {
  kCompleted,
  kFailed,  ///< at a step that failed
  kInterrupted,
  kStopped,  ///< the recording failed, and the user wanted to stop then
};

/// "completed", "failed", "interrupted" or "recording failed".
[[nodiscard]] std::string_view endName(RunEnd end);

/// Everything the summary, the JSON line and the report say about a run.
struct RunResult {
  const msd_scene::SceneDocument& document;
  const msd_scene::SceneWorld& scene;
  const RunStatistics& statistics;
  std::string sceneName{};
  std::uint64_t stepsAsked{0};
  double buildMilliseconds{0.0};  ///< reading, checking and building the scene
  RunEnd end{RunEnd::kCompleted};
  msd_sim::StepReport failure{};  ///< the report of the step that failed, when one did
  std::vector<msd_scene::ExpectationResult> expectations{};

  /// That of the worst step.
  [[nodiscard]] msd_sim::StepStatus status() const;
  /// Its name: "ok", "degraded" or "failed".
  [[nodiscard]] std::string_view statusName() const { return msd_sim::statusName(status()); }
};

/// One line of JSON with the figures of the run.
[[nodiscard]] std::string jsonLine(const RunResult& result);

/// The readable summary, several lines.
[[nodiscard]] std::string summaryText(const RunResult& result);

/// "torn joint 12, guarded 3": faults and the steps that had them; empty where there were none.
[[nodiscard]] std::string faultCounts(const RunStatistics& statistics);

/// Time per stage as a table, with the function of each stage as docs/life-of-a-step.md names it.
[[nodiscard]] std::string profileTable(const RunResult& result);

}  // namespace msd_exe
