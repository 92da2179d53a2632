#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "msd-exe/src/Bench/BenchResult.hpp"
#include "msd-exe/src/Bench/BenchScenes.hpp"
#include "msd-exe/src/Bench/Subprocess.hpp"
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
using Json = nlohmann::json;

/// An adapter's exit code when its engine cannot run the scene.
constexpr int kNotServed = 3;
const std::vector<std::string> kPeers{"bullet", "ode", "mujoco"};

struct BenchOptions {
  std::optional<std::vector<std::string>> against{};
  std::vector<std::string> scenes{};
  std::vector<int> threads{1};
  int repeat{3};
  std::uint64_t seed{1};
  std::optional<std::uint64_t> steps{};
  double limit{60.0};  ///< of an adapter's stepping [s]
  bool noQuality{false};
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

 private:
  fs::path path_;
};

fs::path toolPath() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw UsageError{
        fmt::format("cannot tell where msd itself is: /proc/self/exe: {}", error.message())};
  }
  return path;
}

/// Where adapters of other engines are: beside the tool in a build, below libexec when installed.
std::array<fs::path, 2> adapterFolders() {
  const fs::path folder = toolPath().parent_path();
  return {folder, folder.parent_path() / "libexec" / "msd"};
}

std::optional<fs::path> findAdapter(const std::string& peer) {
  for (const fs::path& folder : adapterFolders()) {
    const fs::path candidate = folder / ("msd-peer-" + peer);
    if (fs::exists(candidate)) return candidate;
  }
  return std::nullopt;
}

/// The other engines of a run, and those that are left out because nobody asked for them by name.
struct Peers {
  std::vector<std::string> present{};
  std::vector<std::string> absent{};
};

/// Throws UsageError for an engine that was asked for and is not there.
Peers findPeers(const std::optional<std::vector<std::string>>& asked) {
  Peers peers;
  for (const std::string& peer : asked.value_or(kPeers))
    (findAdapter(peer) ? peers.present : peers.absent).push_back(peer);
  if (asked && !peers.absent.empty()) {
    const std::string& peer = peers.absent.front();
    const auto [beside, below] = adapterFolders();
    throw UsageError{
        fmt::format("--against {0}: the adapter msd-peer-{0} is missing (looked in {1} and {2}); "
                    "install the package msd-sim-peers, or build msd-sim with lib{0}-dev installed",
                    peer, beside.string(), below.string())};
  }
  return peers;
}

bool isFile(const std::string& scene) {
  return scene.ends_with(".json") || scene.find('/') != std::string::npos;
}

/// A scene by name (made) or by path (taken as it is).
fs::path placeScene(const std::string& wanted, const BenchOptions& options,
                    const ScratchFolder& scratch) {
  if (isFile(wanted)) return wanted;
  const fs::path path = scratch / (wanted + ".json");
  OutputFile file{path};
  file.write(msd_scene::writeScene(makeBenchScene(wanted, options.seed)));
  file.commit();
  return path;
}

std::string settingsText(const Json& settings) {
  if (settings.is_string()) return settings.get<std::string>();
  return fmt::format("{}, default settings, sleeping off, large pages where the system has them",
                     settings.value("method", "fast"));
}

/// One engine on one scene: which program to start, and what came of it.
struct Contestant {
  EngineResult result{};
  std::vector<std::string> command{};
  fs::path poses{};
};

class SceneBench {
 public:
  SceneBench(const BenchOptions& options, const std::vector<std::string>& peers,
             const std::string& wanted, const ScratchFolder& scratch)
      : options_{options},
        path_{placeScene(wanted, options, scratch)},
        loaded_{msd_scene::loadSceneFile(path_)} {
    result_.name = loaded_.document.name.empty() ? path_.stem().string() : loaded_.document.name;
    result_.bodies = loaded_.document.bodies.size();
    result_.joints = loaded_.document.joints.size();
    result_.steps = options.steps.value_or(loaded_.document.steps);
    for (const int threads : options.threads) addOurs(threads, scratch);
    for (const std::string& peer : peers) addPeer(peer, scratch);
  }

  /// Engines take turns, so that a disturbance does not fall on one of them alone.
  SceneResult run() {
    for (int round = 0; round < options_.repeat && !InterruptGuard::isRequested(); ++round) {
      for (Contestant& c : contestants_) {
        if (!c.command.empty()) runOnce(c, round == 0);
      }
    }
    if (!options_.noQuality) measure();
    for (Contestant& c : contestants_) result_.engines.push_back(std::move(c.result));
    return std::move(result_);
  }

 private:
  void addOurs(int threads, const ScratchFolder& scratch) {
    Contestant c;
    c.result.engine = "msd";
    c.result.threads = threads;
    c.poses = scratch / fmt::format("{}-msd-{}.bin", result_.name, threads);
    c.command = {toolPath().string(), "run",       path_.string(),         "--json",
                 "--no-sleep",        "--threads", std::to_string(threads)};
    if (options_.steps)
      c.command.insert(c.command.end(), {"--steps", std::to_string(*options_.steps)});
    contestants_.push_back(std::move(c));
  }

  void addPeer(const std::string& peer, const ScratchFolder& scratch) {
    Contestant c;
    c.result.engine = peer;
    c.poses = scratch / fmt::format("{}-{}.bin", result_.name, peer);
    c.command = {findAdapter(peer).value().string(), path_.string(), "--limit",
                 fmt::format("{}", options_.limit)};
    if (options_.steps)
      c.command.insert(c.command.end(), {"--steps", std::to_string(*options_.steps)});
    contestants_.push_back(std::move(c));
  }

  void runOnce(Contestant& c, bool first) {
    if (InterruptGuard::isRequested()) return;
    std::vector<std::string> command = c.command;
    if (first && !options_.noQuality) command.insert(command.end(), {"--poses", c.poses.string()});
    if (::isatty(STDERR_FILENO) != 0)
      drawText(fmt::format("\r\033[K{} on {} ...", shownText(c.result.label(), false), shownText(result_.name, false)));
    const ProcessOutcome outcome = runProcess(command);
    if (::isatty(STDERR_FILENO) != 0) drawText("\r\033[K");
    const Json line = Json::parse(outcome.out, nullptr, false);
    if (outcome.exitCode != 0 || line.is_discarded()) {
      std::string reason = outcome.err.substr(0, outcome.err.find('\n'));
      if (reason.empty()) reason = fmt::format("ended with exit code {}", outcome.exitCode);
      c.result.failure = (outcome.exitCode == kNotServed ? "not served: " : "failed: ") + reason;
      c.result.milliseconds.clear();
      c.command.clear();
      return;
    }
    c.result.version = line.at("version");
    c.result.precision = line.at("precision");
    c.result.settings = settingsText(line.at("settings"));
    c.result.status = line.at("status");
    c.result.steps = line.at("steps");
    c.result.contacts = line.at("contacts");
    c.result.milliseconds.push_back(line.at("last_half").at("mean_ms"));
    c.result.memory = std::max(c.result.memory, line.at("peak_rss_mb").get<double>());
  }

  void measure() {
    // Every second frame of the second half; every fifth where a frame has many pairs.
    const std::size_t every = result_.bodies > 1500 ? 5 : 2;
    for (Contestant& c : contestants_) {
      if (c.result.ran()) c.result.quality = measureQuality(loaded_, c.poses, every);
      std::error_code ignored;
      fs::remove(c.poses, ignored);
    }
  }

  const BenchOptions& options_;
  fs::path path_;
  msd_scene::LoadedScene loaded_;
  SceneResult result_{};
  std::vector<Contestant> contestants_{};
};

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
  for (const BenchScene& scene : benchScenes()) {
    tell("{:<16} {}{}\n", scene.name, scene.summary,
               scene.standard ? "" : " (only when named)");
  }
  return kOk;
}

std::vector<std::string> chosenScenes(const BenchOptions& options) {
  if (!options.scenes.empty()) return options.scenes;
  std::vector<std::string> names;
  for (const BenchScene& scene : benchScenes()) {
    if (scene.standard) names.emplace_back(scene.name);
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
    const fs::path path = folder / (name + ".json");
    OutputFile file{path};
    writeWhole(file, msd_scene::writeScene(makeBenchScene(name, options.seed)));
    tell("wrote {}\n", path.string());
  }
  return kOk;
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
                     .repeat = options.repeat,
                     .seed = options.seed};
  const bool asText = !options.json && !options.csv;
  if (asText) {
    tell("{}, {}; {}, last half of each\n", result.machine.processor,
               plural(static_cast<std::size_t>(result.machine.cores), "core", "cores"),
               options.repeat == 1 ? std::string{"one run"}
                                   : fmt::format("median of {} runs", options.repeat));
    if (!peers.absent.empty()) {
      tell("left out: {} (their adapters are in the package msd-sim-peers)\n",
                 fmt::join(peers.absent, ", "));
    }
  }
  for (const std::string& name : scenes) {
    SceneBench scene{options, peers.present, name, scratch};
    result.scenes.push_back(scene.run());
    if (asText) tell("\n{}", benchText(result.scenes.back()));
    std::fflush(stdout);
    if (InterruptGuard::isRequested()) return InterruptGuard::exitCode();
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
                  "other engines: bullet, ode, mujoco, or none (default: those that are there)")
      ->delimiter(',')
      ->check(oneOf({"bullet", "ode", "mujoco", "none"}))
      ->type_name("NAME,...");
  parser
      .add_option("--scenes", o.scenes,
                  "scenes by name (--list) or path, instead of the standard nine")
      ->delimiter(',')
      ->type_name("NAME,...");
  parser
      .add_option("--threads", o.threads,
                  "thread counts to measure; the others are compared with the first (default 1)")
      ->delimiter(',')
      ->check(wholeNumber(1, 1024))
      ->type_name("N,...");
  parser
      .add_option("--repeat", o.repeat, "runs of each, taking turns; the median counts (default 3)")
      ->check(wholeNumber(1, 1000))
      ->type_name("N");
  parser.add_option("--seed", o.seed, "of the scenes (default 1)")
      ->check(wholeNumber(0, 1'000'000'000))
      ->type_name("N");
  parser.add_option("--steps", o.steps, "number of steps, instead of the scene's")
      ->check(wholeNumber(1, 1'000'000'000))
      ->type_name("N");
  parser
      .add_option("--limit", o.limit,
                  "stop another engine after this much stepping [s] (default 60)")
      ->check(number(0.1, 1e6, "[s]"))
      ->type_name("S");
  parser.add_flag("--no-quality", o.noQuality, "times only");
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
