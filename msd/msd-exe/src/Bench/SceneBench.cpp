#include "msd-exe/src/Bench/SceneBench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "msd-exe/src/Bench/Subprocess.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// An adapter's exit code when its engine cannot run the scene.
constexpr int kNotServed = 3;
/// Steps between two frames of the poses that are measured, as the adapters write them.
constexpr const char* kPosesEvery = "10";

std::string settingsText(const Json& settings) {
  if (settings.is_string()) return settings.get<std::string>();
  return fmt::format("{}, default settings, sleeping off, large pages where the system has them",
                     settings.value("method", "fast"));
}

/// One engine on one scene: which program to start, and what came of it.
struct Contestant {
  EngineResult result{};
  std::vector<std::string> command{};  ///< empty: it is not started again
  fs::path poses{};
};

class SceneBench {
 public:
  SceneBench(const PlacedScene& scene, const MeasureOptions& options,
             const std::vector<PeerEngine>& peers, const fs::path& scratch)
      : options_{options}, path_{scene.path}, loaded_{msd_scene::loadSceneFile(scene.path)} {
    const msd_scene::SceneDocument& document = loaded_.document;
    result_.name = document.name.empty() ? path_.stem().string() : document.name;
    result_.seed = scene.seed;
    result_.bodies = document.bodies.size();
    result_.joints = document.joints.size();
    result_.steps = options.steps.value_or(document.steps);
    for (const int threads : options.threads) addOurs(threads, scratch);
    for (const PeerEngine& peer : peers) {
      for (const int threads : peer.threaded ? options.threads : std::vector<int>{1})
        addPeer(peer, threads, scratch);
    }
  }

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
  void add(std::string engine, int threads, std::vector<std::string> command,
           const fs::path& scratch) {
    Contestant c;
    c.poses = scratch / fmt::format("{}-{}-{}.bin", path_.stem().string(), engine, threads);
    c.result.engine = std::move(engine);
    c.result.threads = threads;
    c.command = std::move(command);
    c.command.insert(c.command.end(), {"--threads", std::to_string(threads)});
    if (options_.steps)
      c.command.insert(c.command.end(), {"--steps", std::to_string(*options_.steps)});
    contestants_.push_back(std::move(c));
  }

  void addOurs(int threads, const fs::path& scratch) {
    add("msd", threads, {toolPath().string(), "run", path_.string(), "--json", "--no-sleep"},
        scratch);
  }

  void addPeer(const PeerEngine& peer, int threads, const fs::path& scratch) {
    const std::optional<fs::path> adapter = findAdapter(peer.name);
    if (!adapter) throw std::logic_error{fmt::format("{} has no adapter", peer.name)};
    add(std::string{peer.name}, threads,
        {adapter->string(), path_.string(), "--limit", fmt::format("{}", options_.limit)}, scratch);
  }

  void runOnce(Contestant& c, bool first) {
    if (InterruptGuard::isRequested()) return;
    std::vector<std::string> command = c.command;
    if (first && !options_.noQuality) {
      command.insert(command.end(), {"--poses", c.poses.string(), "--poses-every", kPosesEvery});
    }
    const bool shown = ::isatty(STDERR_FILENO) != 0;
    if (shown) {
      drawText(fmt::format("\r\033[K{} on {} ...", shownText(c.result.label(), false),
                           shownText(result_.name, false)));
    }
    const ProcessOutcome outcome = runProcess(command);
    if (shown) drawText("\r\033[K");
    const Json line = Json::parse(outcome.out, nullptr, false);
    if (outcome.exitCode != 0 || line.is_discarded()) {
      std::string reason = outcome.err.substr(0, outcome.err.find('\n'));
      if (reason.empty()) reason = fmt::format("ended with exit code {}", outcome.exitCode);
      c.result.failure = (outcome.exitCode == kNotServed ? "not served: " : "failed: ") + reason;
      c.result.times = {};
      c.command.clear();
      return;
    }
    take(c, line);
  }

  static void take(Contestant& c, const Json& line) {
    EngineResult& r = c.result;
    r.version = line.at("version");
    r.precision = line.at("precision");
    r.settings = settingsText(line.at("settings"));
    r.status = line.at("status");
    r.steps = line.at("steps");
    if (line.contains("contacts")) r.contacts = line.at("contacts").get<std::size_t>();
    r.times.all.push_back(line.at("all").at("mean_ms"));
    r.times.slowest.push_back(line.at("all").at("p99_ms"));
    r.times.half.push_back(line.at("last_half").at("mean_ms"));
    r.memory = std::max(r.memory, line.at("peak_rss_mb").get<double>());
    // What did not come to its end within the limit would not do so the next time.
    if (r.status == "stopped at the time limit") c.command.clear();
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

  const MeasureOptions& options_;
  fs::path path_;
  msd_scene::LoadedScene loaded_;
  SceneResult result_{};
  std::vector<Contestant> contestants_{};
};

}  // namespace

SceneResult measureScene(const PlacedScene& scene, const MeasureOptions& options,
                         const std::vector<PeerEngine>& peers, const fs::path& scratch) {
  return SceneBench{scene, options, peers, scratch}.run();
}

}  // namespace msd_exe
