#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "msd-exe/src/Bench/Quality.hpp"

namespace msd_exe {

/// One engine on one scene.
struct EngineResult {
  std::string engine{};  ///< "msd", "bullet", ...
  std::string version{};
  std::string precision{};  ///< "float" or "double"
  std::string settings{};
  int threads{1};
  std::string failure{};               ///< why there are no figures; empty when there are
  std::string status{};                ///< "ok", or why it stopped early
  std::vector<double> milliseconds{};  ///< per step, mean over the last half, of each repeat
  double memory{0.0};                  ///< peak [MiB]
  std::size_t contacts{0};
  std::uint64_t steps{0};
  std::optional<Quality> quality{};

  [[nodiscard]] bool ran() const { return !milliseconds.empty(); }
  /// Median over the repeats [ms].
  [[nodiscard]] double time() const;
  /// "msd, 2 threads"
  [[nodiscard]] std::string label() const;
};

struct SceneResult {
  std::string name{};
  std::size_t bodies{0};
  std::size_t joints{0};
  std::uint64_t steps{0};
  std::vector<EngineResult> engines{};  ///< msd with the first thread count comes first

  /// Time of an engine over that of msd with the first thread count; NaN where either did not run.
  [[nodiscard]] double ratio(const EngineResult& engine) const;
};

/// The machine the figures belong to, by its parts.
struct Machine {
  std::string processor{};
  unsigned cores{0};
  double memory{0.0};  ///< [GiB]
  std::string system{};
};
[[nodiscard]] Machine describeMachine();
/// Year-month-day.
[[nodiscard]] std::string today();

struct BenchResult {
  Machine machine{};
  std::string date{};     ///< year-month-day
  std::string version{};  ///< of msd
  int repeat{0};
  std::uint64_t seed{0};
  std::vector<SceneResult> scenes{};
};

[[nodiscard]] std::string benchText(const SceneResult& scene);  ///< a table for the terminal
[[nodiscard]] std::string benchJson(const BenchResult& result);
[[nodiscard]] std::string benchCsv(const BenchResult& result);
[[nodiscard]] std::string benchMarkdown(const BenchResult& result);  ///< docs/benchmarks.md
[[nodiscard]] std::string benchPlot(const BenchResult& result);      ///< SVG

}  // namespace msd_exe
