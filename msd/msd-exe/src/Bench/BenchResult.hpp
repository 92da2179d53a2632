#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "msd-exe/src/Bench/Quality.hpp"

namespace msd_exe {

/// Milliseconds a step, one figure for each repeat.
struct BenchTimes {
  std::vector<double> all{};      ///< mean over all steps [ms]
  std::vector<double> slowest{};  ///< 99th percentile of all steps [ms]
  std::vector<double> half{};     ///< mean over the second half, where things have settled [ms]
};

/// Median; NaN where there is nothing.
[[nodiscard]] double median(std::vector<double> values);

/// One engine on one scene.
struct EngineResult {
  std::string engine{};  ///< "msd", "bullet", ...
  std::string version{};
  std::string precision{};  ///< "float" or "double"
  std::string settings{};
  int threads{1};
  std::string failure{};  ///< why there are no figures; empty when there are
  std::string status{};   ///< "ok", or why it stopped early
  BenchTimes times{};
  double memory{0.0};  ///< peak [MiB]
  std::optional<std::size_t> contacts{};  ///< none: the engine does not count them
  std::uint64_t steps{0};
  std::optional<Quality> quality{};

  [[nodiscard]] bool ran() const { return !times.all.empty(); }
  /// "msd, 2 threads"
  [[nodiscard]] std::string label() const;
};

struct SceneResult {
  std::string name{};
  std::optional<std::uint64_t> seed{};  ///< none: the scene was given as a file
  std::size_t bodies{0};
  std::size_t joints{0};
  std::uint64_t steps{0};
  std::vector<EngineResult> engines{};  ///< msd with the first thread count comes first

  /// Median time of an engine over that of msd with the first thread count; NaN where either did
  /// not run.
  [[nodiscard]] double ratio(const EngineResult& engine,
                             std::vector<double> BenchTimes::* times) const;
  /// The name, with the seed where it is not the first one of the run.
  [[nodiscard]] std::string title(std::uint64_t firstSeed) const;
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
  std::string command{};  ///< that writes the page again
  int repeat{0};
  std::vector<std::uint64_t> seeds{};
  std::vector<SceneResult> scenes{};
};

/// A table for the terminal.
[[nodiscard]] std::string benchText(const SceneResult& scene, std::uint64_t firstSeed);
[[nodiscard]] std::string benchJson(const BenchResult& result);
[[nodiscard]] std::string benchCsv(const BenchResult& result);
[[nodiscard]] std::string benchMarkdown(const BenchResult& result);  ///< docs/benchmarks.md
[[nodiscard]] std::string benchPlot(const BenchResult& result);      ///< SVG

}  // namespace msd_exe
