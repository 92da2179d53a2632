// One executable per engine: reads a scene, steps it, takes the time, writes poses and one JSON
// line.
//
//   msd-peer-NAME SCENE [--steps N] [--poses OUT.bin] [--poses-every N] [--limit SECONDS]
//                   [--threads N]
//
// Exit codes: 0, 2 for wrong input, 3 when the engine cannot run the scene.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/adapters/Peer.hpp"
#include "msd-sim/src/DataTypes/PeakMemory.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using msd_bench::FrameState;
using msd_bench::Peer;
using msd_bench::PeerScene;

constexpr int kNotServed = 3;

struct Options {
  std::string scene{};
  std::optional<std::uint64_t> steps{};
  std::string poses{};
  std::uint64_t posesEvery{10};
  int threads{1};
  double limit{0.0};  ///< of wall-clock time for stepping [s]; 0: none
};

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The poses file of `msd run`: see docs/command-line.md.
class Poses {
 public:
  Poses(const std::string& path, std::size_t bodies) : bodies_{bodies} {
    if (path.empty()) return;
    file_.open(path, std::ios::binary);
    if (!file_) throw std::runtime_error{fmt::format("cannot write {}", path)};
    writeHeader();
  }
  void add(const Peer& peer, double time) {
    if (!file_.is_open()) return;
    frame_.assign(1, time);
    for (std::size_t i = 0; i < bodies_; ++i) {
      const FrameState s = peer.state(i);
      const auto& q = s.pose.orientation;
      for (int k = 0; k < 3; ++k) frame_.push_back(s.pose.position[k]);
      frame_.insert(frame_.end(), {q.w(), q.x(), q.y(), q.z()});
      for (int k = 0; k < 3; ++k) frame_.push_back(s.velocity[k]);
      for (int k = 0; k < 3; ++k) frame_.push_back(s.angularVelocity[k]);
    }
    file_.write(reinterpret_cast<const char*>(frame_.data()),
                static_cast<std::streamsize>(frame_.size() * sizeof(double)));
    ++frames_;
  }
  void close() {
    if (!file_.is_open()) return;
    file_.seekp(0);
    writeHeader();
    file_.close();
    if (!file_) throw std::runtime_error{"cannot write the poses"};
  }

 private:
  void writeHeader() {
    const std::int32_t header[2]{static_cast<std::int32_t>(bodies_), frames_};
    file_.write(reinterpret_cast<const char*>(header), sizeof header);
  }
  std::size_t bodies_;
  std::int32_t frames_{0};
  std::ofstream file_{};
  std::vector<double> frame_{};
};

Json timesJson(std::vector<double> milliseconds) {
  if (milliseconds.empty()) return {{"mean_ms", 0.0}, {"median_ms", 0.0}, {"p99_ms", 0.0}};
  double sum = 0.0;
  for (const double t : milliseconds) sum += t;
  std::ranges::sort(milliseconds);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(milliseconds.size() - 1);
    return milliseconds[static_cast<std::size_t>(place + 0.5)];
  };
  return {{"mean_ms", sum / static_cast<double>(milliseconds.size())},
          {"median_ms", at(0.5)},
          {"p99_ms", at(0.99)}};
}

int run(const Options& options) {
  const Clock::time_point start = Clock::now();
  const PeerScene scene = msd_bench::loadPeerScene(options.scene);
  const msd_bench::PeerInfo info = msd_bench::peerInfo();
  if (options.threads > 1 && !info.threaded)
    throw msd_bench::NotServed{"the adapter uses one thread only"};
  const std::unique_ptr<Peer> peer = msd_bench::makePeer(scene, options.threads);
  const double buildMs = millisecondsSince(start);
  const auto& document = scene.loaded.document;
  const std::uint64_t steps = options.steps.value_or(document.steps);
  Poses poses{options.poses, scene.bodies.size()};
  poses.add(*peer, 0.0);
  std::vector<double> times;
  times.reserve(steps);
  double total = 0.0;
  bool stopped = false;
  for (std::uint64_t i = 1; i <= steps && !stopped; ++i) {
    const Clock::time_point stepStart = Clock::now();
    peer->step(document.dt);
    times.push_back(millisecondsSince(stepStart));
    total += times.back();
    stopped = i < steps && options.limit > 0.0 && total > 1e3 * options.limit;
    if (i % options.posesEvery == 0 || i == steps || stopped) {
      poses.add(*peer, static_cast<double>(i) * document.dt);
    }
  }
  poses.close();
  const auto half = static_cast<std::ptrdiff_t>(times.size() / 2);
  Json line{{"engine", info.name},
                  {"version", info.version},
                  {"precision", info.precision},
                  {"scene", document.name},
                  {"bodies", scene.bodies.size()},
                  {"joints", scene.joints.size()},
                  {"threads", options.threads},
                  {"settings", info.settings},
                  {"steps", times.size()},
                  {"build_ms", buildMs},
                  {"total_ms", total},
                  {"all", timesJson(times)},
                  {"last_half", timesJson({times.begin() + half, times.end()})},
                  {"peak_rss_mb", msd_sim::peakMemory()},
                  {"status", stopped ? "stopped at the time limit" : "ok"}};
  if (const auto contacts = peer->contacts()) line["contacts"] = *contacts;
  fmt::print("{}\n", line.dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const msd_bench::PeerInfo info = msd_bench::peerInfo();
  CLI::App parser{fmt::format("Runs a scene of msd-sim on {} {}", info.name, info.version)};
  parser.add_option("SCENE", options.scene, "scene file (JSON)")->required();
  parser.add_option("--steps", options.steps, "number of steps, instead of the scene's");
  parser.add_option("--poses", options.poses, "write the bodies' poses to a binary file");
  parser.add_option("--poses-every", options.posesEvery, "steps between two poses")
      ->check(CLI::PositiveNumber);
  parser.add_option("--limit", options.limit, "stop after this many seconds of stepping; 0: never");
  parser.add_option("--threads", options.threads, "threads, where the engine can use them")
      ->check(CLI::Range(1, 1024));
  CLI11_PARSE(parser, argc, argv);
  try {
    return run(options);
  } catch (const msd_bench::NotServed& reason) {
    fmt::print(stderr, "{}\n", reason.what());
    return kNotServed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", info.name, error.what());
    return 2;
  }
}
