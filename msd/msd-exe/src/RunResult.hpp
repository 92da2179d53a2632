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
  kNonFinite,
  kInterrupted,
  kStopped,  ///< the recording failed, and the user wanted to stop then
};

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

  /// "ok", "not converged", "non-finite", "interrupted" or "recording failed".
  [[nodiscard]] std::string_view status() const;
};

/// One line of JSON with the figures of the run.
[[nodiscard]] std::string jsonLine(const RunResult& result);

/// The readable summary, several lines.
[[nodiscard]] std::string summaryText(const RunResult& result);

/// Time per stage as a table.
[[nodiscard]] std::string profileTable(const RunStatistics& statistics);

}  // namespace msd_exe
