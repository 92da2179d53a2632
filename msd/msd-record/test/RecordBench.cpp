// What recording costs, and how fast a frame is found: msd_record_bench SCENE [STEPS] [REPEATS]
// [EVERY]
//
// Runs the scene alternately without and with a recorder, in this process, and compares the medians
// of the whole runs; then seeks random frames in the last file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/Recorder.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Cost {
  double total{0.0};     ///< from the first step to the closed file [s]
  double stepping{0.0};  ///< of this, inside the engine's steps [s]
};

Cost runOnce(const msd_scene::LoadedScene& loaded, int steps, const fs::path& path,
             std::uint64_t every) {
  msd_scene::SceneWorld scene = msd_scene::buildWorld(loaded, {.hashEveryStep = true});
  std::unique_ptr<msd_record::Recorder> recorder;
  if (!path.empty()) {
    recorder = std::make_unique<msd_record::Recorder>(
        path, loaded.document, scene, msd_record::RecordOptions{.every = every, .force = true});
  }
  const Clock::time_point start = Clock::now();
  Cost cost;
  if (recorder) recorder->begin(scene.world);
  for (int i = 0; i < steps; ++i) {
    const Clock::time_point stepStart = Clock::now();
    const msd_sim::StepReport report = scene.advance();
    const double wall = secondsSince(stepStart);
    cost.stepping += wall;
    if (recorder) recorder->step(scene.world, report, wall);
  }
  const double before = secondsSince(start);
  if (recorder) recorder->finish(scene.world, "ok");
  cost.total = secondsSince(start);
  if (recorder) {
    const msd_record::RecordProgress p = recorder->progress();
    fmt::print(
        "  recorded: {:.3f} s, of this steps {:.3f}, capture {:.3f}, waiting {:.3f}, closing "
        "{:.3f}\n",
        cost.total, cost.stepping, p.captureSeconds, p.waitSeconds, cost.total - before);
  } else {
    fmt::print("  plain:    {:.3f} s\n", cost.total);
  }
  return cost;
}

void seek(const fs::path& path) {
  const Clock::time_point start = Clock::now();
  msd_record::Reader reader{path};
  const std::int64_t frames = reader.frameCount();
  fmt::print("open: {:.2f} ms, {} frames, {:.1f} MB\n", 1e3 * secondsSince(start), frames,
             1e-6 * static_cast<double>(fs::file_size(path)));
  std::mt19937_64 random{1};
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) {
    const Clock::time_point one = Clock::now();
    static_cast<void>(
        reader.frame(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(frames))));
    times.push_back(1e3 * secondsSince(one));
  }
  fmt::print("a frame, anywhere: {:.2f} ms (median), {:.2f} ms (worst of 100)\n", median(times),
             std::ranges::max(times));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: msd_record_bench SCENE [STEPS] [REPEATS] [EVERY]\n");
    return 2;
  }
  const msd_scene::LoadedScene loaded = msd_scene::loadSceneFile(argv[1]);
  const int steps = argc > 2 ? std::atoi(argv[2]) : 300;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  const auto every = static_cast<std::uint64_t>(argc > 4 ? std::atoi(argv[4]) : 0);
  const fs::path path = fs::temp_directory_path() / "msd-record-bench.db";
  std::vector<double> plain, recorded;
  for (int i = 0; i < repeats; ++i) {
    plain.push_back(runOnce(loaded, steps, {}, every).total);
    recorded.push_back(runOnce(loaded, steps, path, every).total);
  }
  fmt::print("{} steps: {:.3f} ms a step plain, {:.3f} ms recorded: {:+.1f} %\n", steps,
             1e3 * median(plain) / steps, 1e3 * median(recorded) / steps,
             100.0 * (median(recorded) / median(plain) - 1.0));
  seek(path);
  fs::remove(path);
  return 0;
}
