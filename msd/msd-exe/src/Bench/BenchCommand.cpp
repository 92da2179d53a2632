#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "msd-exe/src/Bench/BenchScenes.hpp"
#include "msd-exe/src/Bench/SceneBench.hpp"
#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/OutputFolder.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

struct BenchOptions {
  std::optional<std::vector<std::string>> against{};
  std::vector<std::string> scenes{};
  std::vector<std::string> sets{};
  std::vector<std::uint64_t> seeds{1};
  MeasureOptions measure{};
  bool list{false};
  std::string write{};
  bool json{false};
  bool csv{false};
  std::string plot{};
  std::string markdown{};
};

/// A folder that goes when the program ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "msd-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error{"cannot make a temporary folder"};
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool isFile(const std::string& scene) {
  return scene.ends_with(".json") || scene.find('/') != std::string::npos;
}

/// A scene by name, made from each seed that gives another one, or by path, taken as it is.
std::vector<PlacedScene> placeScene(const std::string& wanted, const BenchOptions& options,
                                    const ScratchFolder& scratch) {
  if (isFile(wanted)) return {{.path = wanted}};
  std::vector<PlacedScene> placed;
  msd_scene::SceneDocument before;
  for (const std::uint64_t seed : options.seeds) {
    const msd_scene::SceneDocument document = makeBenchScene(wanted, seed);
    if (document == before) continue;
    placed.push_back({.path = scratch / fmt::format("{}-{}.json", wanted, seed), .seed = seed});
    OutputFile file{placed.back().path};
    file.write(msd_scene::writeScene(document));
    file.commit();
    before = document;
  }
  return placed;
}

/// A file that was asked for, opened before anything is measured.
std::optional<OutputFile> opened(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return std::optional<OutputFile>{std::in_place, path};
}

void writeWhole(OutputFile& file, const std::string& text) {
  file.write(text);
  file.commit();
}

int listScenes() {
  for (const std::string_view set : kBenchSets) {
    tell("{}{}\n", set, set == kStandardSet ? " (when nothing is named)" : "");
    for (const BenchScene& scene : benchScenes()) {
      if (scene.set == set) tell("  {:<16} {}\n", scene.name, scene.summary);
    }
  }
  return kOk;
}

std::vector<std::string> chosenScenes(const BenchOptions& options) {
  std::vector<std::string> names = options.scenes;
  std::vector<std::string> sets = options.sets;
  if (names.empty() && sets.empty()) sets.emplace_back(kStandardSet);
  for (const std::string& set : sets) {
    for (std::string& name : scenesOfSet(set)) names.push_back(std::move(name));
  }
  return names;
}

/// Before anything is measured: a wrong name at the end of the list would cost all that came first.
void checkScenes(const std::vector<std::string>& scenes) {
  for (const std::string& scene : scenes) {
    if (isFile(scene)) {
      static_cast<void>(msd_scene::loadSceneFile(scene));
    } else {
      checkBenchScene(scene);
    }
  }
}

int writeScenes(const BenchOptions& options) {
  for (const std::string& name : chosenScenes(options)) checkBenchScene(name);
  const fs::path folder = makeOutputFolder(options.write);
  for (const std::string& name : chosenScenes(options)) {
    for (const std::uint64_t seed : options.seeds) {
      const bool alone = options.seeds.size() == 1;
      const fs::path path =
          folder / (alone ? name + ".json" : fmt::format("{}-seed-{}.json", name, seed));
      OutputFile file{path};
      writeWhole(file, msd_scene::writeScene(makeBenchScene(name, seed)));
      tell("wrote {}\n", path.string());
    }
  }
  return kOk;
}

/// The command that measures the same again and writes the page.
std::string pageCommand(const BenchOptions& options, const Peers& peers) {
  std::string text = "msd bench";
  std::vector<std::string_view> names;
  names.reserve(peers.present.size());
  for (const PeerEngine& peer : peers.present) names.push_back(peer.name);
  if (!options.sets.empty()) text += fmt::format(" --set {}", fmt::join(options.sets, ","));
  if (!options.scenes.empty()) text += fmt::format(" --scenes {}", fmt::join(options.scenes, ","));
  if (!names.empty()) text += fmt::format(" --against {}", fmt::join(names, ","));
  if (options.seeds != std::vector<std::uint64_t>{1})
    text += fmt::format(" --seed {}", fmt::join(options.seeds, ","));
  if (options.measure.threads != std::vector<int>{1})
    text += fmt::format(" --threads {}", fmt::join(options.measure.threads, ","));
  return text + fmt::format(" --repeat {} --markdown docs/benchmarks.md", options.measure.repeat);
}

void tellHead(const BenchOptions& options, const Peers& peers, const Machine& machine) {
  tell("{}, {}; {}\n", machine.processor,
       plural(static_cast<std::size_t>(machine.cores), "core", "cores"),
       options.measure.repeat == 1 ? std::string{"one run of each"}
                                   : fmt::format("median of {} runs", options.measure.repeat));
  std::vector<std::string_view> packaged;
  std::vector<std::string_view> built;
  for (const PeerEngine& peer : peers.absent)
    (peer.source.starts_with("-D") ? built : packaged).push_back(peer.name);
  if (!packaged.empty()) {
    tell("left out: {} (their adapters are in the package msd-sim-peers)\n",
         fmt::join(packaged, ", "));
  }
  if (!built.empty()) {
    tell("left out: {} (docs/command-line.md says how to build their adapters)\n",
         fmt::join(built, ", "));
  }
}

int bench(const BenchOptions& options) {
  if (options.list) return listScenes();
  if (!options.write.empty()) return writeScenes(options);
  const Peers peers = findPeers(options.against);
  const std::vector<std::string> scenes = chosenScenes(options);
  checkScenes(scenes);
  std::optional<OutputFile> plot = opened(options.plot);
  std::optional<OutputFile> page = opened(options.markdown);
  const ScratchFolder scratch;
  const InterruptGuard guard;
  BenchResult result{.machine = describeMachine(),
                     .date = today(),
                     .version = std::string{version()},
                     .command = pageCommand(options, peers),
                     .repeat = options.measure.repeat,
                     .seeds = options.seeds};
  const bool asText = !options.json && !options.csv;
  if (asText) tellHead(options, peers, result.machine);
  for (const std::string& name : scenes) {
    for (const PlacedScene& scene : placeScene(name, options, scratch)) {
      result.scenes.push_back(measureScene(scene, options.measure, peers.present, scratch.path()));
      if (asText) tell("\n{}", benchText(result.scenes.back(), options.seeds.front()));
      std::fflush(stdout);
      if (InterruptGuard::isRequested()) return InterruptGuard::exitCode();
    }
  }
  if (options.json) tell("{}", benchJson(result));
  if (options.csv) tell("{}", benchCsv(result));
  if (plot) writeWhole(*plot, benchPlot(result));
  if (page) writeWhole(*page, benchMarkdown(result));
  const bool oursRan = std::ranges::all_of(
      result.scenes, [](const SceneResult& s) { return s.engines.front().ran(); });
  return oursRan ? kOk : kSimulationFailed;
}

}  // namespace

void addBenchCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<BenchOptions>();
  BenchOptions& o = *options;
  parser
      .add_option("--against", o.against,
                  "other engines: bullet, ode, mujoco, box3d, jolt, or none (default: those that "
                  "are there)")
      ->delimiter(',')
      ->check(oneOf({"bullet", "ode", "mujoco", "box3d", "jolt", "none"}))
      ->type_name("NAME,...");
  parser
      .add_option("--scenes", o.scenes,
                  "scenes by name (--list) or path, instead of the set public")
      ->delimiter(',')
      ->type_name("NAME,...");
  parser
      .add_option("--set", o.sets,
                  "sets of scenes: public, moving, mechanisms, small, large (default public)")
      ->delimiter(',')
      ->check(oneOf({"public", "moving", "mechanisms", "small", "large"}))
      ->type_name("NAME,...");
  parser
      .add_option("--threads", o.measure.threads,
                  "thread counts to measure; the others are compared with the first (default 1)")
      ->delimiter(',')
      ->check(wholeNumber(1, 1024))
      ->type_name("N,...");
  parser
      .add_option("--repeat", o.measure.repeat,
                  "runs of each, taking turns; the median counts (default 3)")
      ->check(wholeNumber(1, 1000))
      ->type_name("N");
  parser.add_option("--seed", o.seeds, "of the scenes; each of them gives its own (default 1)")
      ->delimiter(',')
      ->check(wholeNumber(0, 1'000'000'000))
      ->type_name("N,...");
  parser.add_option("--steps", o.measure.steps, "number of steps, instead of the scene's")
      ->check(wholeNumber(1, 1'000'000'000))
      ->type_name("N");
  parser
      .add_option("--limit", o.measure.limit,
                  "stop another engine after this much stepping [s] (default 60)")
      ->check(number(0.1, 1e6, "[s]"))
      ->type_name("S");
  parser.add_flag("--no-quality", o.measure.noQuality, "times only");
  parser.add_flag("--list", o.list, "list the scenes and end");
  parser.add_option("--write", o.write, "write the scenes to a folder and end")
      ->type_name("FOLDER");
  CLI::Option* json = parser.add_flag("--json", o.json, "print JSON instead of tables");
  parser.add_flag("--csv", o.csv, "print CSV instead of tables")->excludes(json);
  parser.add_option("--plot", o.plot, "draw the times as SVG")->type_name("FILE.svg");
  parser.add_option("--markdown", o.markdown, "write the page docs/benchmarks.md is")
      ->type_name("FILE.md");
  parser.callback([options, &action] {
    if (options->against &&
        std::ranges::find(*options->against, "none") != options->against->end()) {
      if (options->against->size() > 1)
        throw CLI::ValidationError{"--against", "none stands alone, without other engines"};
      options->against->clear();
    }
    action = [options] { return bench(*options); };
  });
}

}  // namespace msd_exe
