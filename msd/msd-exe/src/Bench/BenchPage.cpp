// The page docs/benchmarks.md: what was measured and how, where another engine is faster, and the
// table of each scene.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "msd-exe/src/Bench/BenchColumns.hpp"
#include "msd-exe/src/Wording.hpp"

namespace msd_exe {

namespace {

struct TimeColumn {
  std::string_view words;
  std::vector<double> BenchTimes::* times;
};
constexpr TimeColumn kTimes[]{{"mean over all steps", &BenchTimes::all},
                              {"99 % of all steps", &BenchTimes::slowest},
                              {"mean of the second half", &BenchTimes::half}};

/// Name, version, precision and settings of each engine that ran, once.
std::string engineList(const BenchResult& result) {
  std::string text = "| engine | version | precision | settings |\n|---|---|---|---|\n";
  std::vector<std::string> seen;
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      if (!e.ran() || std::ranges::find(seen, e.engine) != seen.end()) continue;
      seen.push_back(e.engine);
      text += fmt::format("| {} | {} | {} | {} |\n", e.engine, e.version, e.precision, e.settings);
    }
  }
  return text;
}

std::vector<std::string> peersOf(const BenchResult& result) {
  std::vector<std::string> labels;
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      if (&e != &scene.engines.front() && e.ran() &&
          std::ranges::find(labels, e.label()) == labels.end())
        labels.push_back(e.label());
    }
  }
  return labels;
}

/// One row a scene, one column an engine: its time over ours.
std::string ratioTable(const BenchResult& result, const TimeColumn& column) {
  const std::vector<std::string> labels = peersOf(result);
  std::string text = fmt::format("\n| {} | msd [ms] |", column.words);
  std::string rule = "|---|---|";
  for (const std::string& label : labels) {
    text += fmt::format(" {} |", label);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const SceneResult& scene : result.scenes) {
    text += fmt::format("| {} | {} |", scene.title(result.seeds.front()),
                        digits(median(scene.engines.front().times.*column.times)));
    for (const std::string& label : labels) {
      const auto found = std::ranges::find(scene.engines, label, &EngineResult::label);
      const bool whole = found != scene.engines.end() && found->ran();
      text += fmt::format(" {}{} |", whole ? digits(scene.ratio(*found, column.times)) : "–",
                          whole && found->status != "ok" ? " *" : "");
    }
    text += "\n";
  }
  return text;
}

/// A sentence for each scene and engine that needs less time than msd-sim does.
std::string whereOthersAreFaster(const BenchResult& result) {
  std::string text;
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      if (e.threads != scene.engines.front().threads || &e == &scene.engines.front()) continue;
      std::string parts;
      for (const TimeColumn& column : kTimes) {
        const double ratio = scene.ratio(e, column.times);
        if (!(ratio < 1.0)) continue;
        parts += fmt::format("{}{} ({} of ours)", parts.empty() ? "" : ", ", column.words,
                             digits(ratio));
      }
      if (!parts.empty())
        text += fmt::format("- {}: {} is faster: {}.\n", scene.title(result.seeds.front()),
                            e.label(), parts);
    }
  }
  return text.empty() ? "Nowhere among these scenes, with the same number of threads.\n" : text;
}

void addScene(std::string& text, const SceneResult& scene, std::uint64_t firstSeed) {
  text += fmt::format("\n## {}\n\n{}.\n\n| engine |", scene.title(firstSeed), describeScene(scene));
  std::string rule = "|---|";
  for (const BenchColumn& column : benchColumns()) {
    if (!isShown(scene, column)) continue;
    text += column.unit == "-" ? fmt::format(" {} |", column.title)
                               : fmt::format(" {} [{}] |", column.title, column.unit);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const EngineResult& e : scene.engines) {
    if (!e.ran()) continue;
    text += fmt::format("| {} |", e.label());
    for (const BenchColumn& column : benchColumns()) {
      if (isShown(scene, column)) text += fmt::format(" {} |", column.text(scene, e));
    }
    text += "\n";
  }
  for (const EngineResult& e : scene.engines) {
    if (!e.failure.empty()) text += fmt::format("\n{}: {}.\n", e.label(), e.failure);
    if (e.ran() && e.status != "ok")
      text += fmt::format("\n{}: {} after {} steps.\n", e.label(), e.status, e.steps);
  }
}

constexpr std::string_view kHowToRead =
    "\nHow to read the tables. *all steps*: mean over all steps of the run. *99 %*: 99 of 100 steps "
    "took less. *half*: mean over the second half, where much has come to rest. *ratio*: time over "
    "that of `msd` in the first row, so above 1 is slower than msd-sim, below 1 faster. *memory*: "
    "peak of the process. The rest is measured from the poses alone, the same way for every engine. "
    "*deepest*: deepest penetration in the second half of the run. *mean*: over the penetrating "
    "pairs of the last frame. *kinetic*: energy at the end. *rise*: largest rise of the total energy "
    "from one recorded frame (every tenth step) to the next; there is nothing in these scenes that "
    "could add any. *sank*, *drifted*: the topmost bodies. *joints*: worst distance of what a joint "
    "holds together. *lost*: bodies that fell below -5 m, which in the scenes that fall away is "
    "where they belong.\n";

}  // namespace

std::string benchMarkdown(const BenchResult& result) {
  std::string text = fmt::format(
      "# Benchmarks\n\nMeasured by `msd bench` (version {}) on {}, {}, {:.0f} GiB, {}, on {}. Each "
      "figure is the median of {}, engines taking turns; sleeping is off. To measure on your own "
      "machine, and to write this page:\n\n<!-- page-test: help -->\n```sh\n{}\n```\n\n"
      "The scenes are made from seed {}; `msd bench --list` says what is in them, `msd bench "
      "--write FOLDER` writes them. The other engines run with their documented defaults through "
      "small adapters in `bench/adapters`. Bullet, ODE and MuJoCo are Debian's packages; Box3D and "
      "Jolt are built from their public sources and found by "
      "`cmake --preset release -DMSD_BENCH_BOX3D=PATH -DMSD_BENCH_JOLT=PATH`.\n\n",
      result.version, result.machine.processor, plural(result.machine.cores, "core", "cores"),
      result.machine.memory, result.machine.system, result.date,
      plural(static_cast<std::size_t>(result.repeat), "run", "runs"), result.command,
      fmt::join(result.seeds, ", "));
  text += engineList(result);
  text += kHowToRead;
  text += "\n## Time over that of msd-sim\n";
  for (const TimeColumn& column : kTimes) text += ratioTable(result, column);
  text += "\nAn asterisk: the engine did not come to the end of the scene (see its table).\n";
  text += "\n## Where another engine is faster\n\n" + whereOthersAreFaster(result);
  for (const SceneResult& scene : result.scenes) addScene(text, scene, result.seeds.front());
  return text;
}

}  // namespace msd_exe
