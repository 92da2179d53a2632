// What recording costs, and how fast a frame is found: msd_record_bench SCENE [STEPS] [REPEATS]
// [EVERY]
//
// Runs the scene alternately without and with a recorder, in this process, and compares the medians
// of the whole runs; then seeks random frames in the last file.
#include <fmt/format.h>
#include <time.h>

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

/// Time the processor worked [s], of this thread or of the whole program: what a busy machine does
/// not change.
double processorSeconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double total{0.0};   ///< from the first step to the closed file [s]
  double thread{0.0};  ///< processor time of the simulation's thread [s]
  double others{0.0};  ///< processor time of the other threads [s]
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
  const double thread = processorSeconds(CLOCK_THREAD_CPUTIME_ID);
  const double process = processorSeconds(CLOCK_PROCESS_CPUTIME_ID);
  Cost cost;
  if (recorder) recorder->begin(scene.world);
  for (int i = 0; i < steps; ++i) {
    const Clock::time_point stepStart = Clock::now();
    const msd_sim::StepReport report = scene.advance();
    const double wall = secondsSince(stepStart);
    if (recorder) recorder->step(scene.world, report, wall);
  }
  const double before = secondsSince(start);
  if (recorder) recorder->finish(scene.world, "ok");
  cost.total = secondsSince(start);
  cost.thread = processorSeconds(CLOCK_THREAD_CPUTIME_ID) - thread;
  cost.others = processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - process - cost.thread;
  fmt::print("  {}: {:.3f} s; processor: simulation {:.3f} s, writer {:.3f} s",
             recorder ? "recorded" : "plain   ", cost.total, cost.thread, cost.others);
  if (recorder) {
    const msd_record::RecordProgress p = recorder->progress();
    fmt::print("; capture {:.3f}, waiting {:.3f}, closing {:.3f}", p.captureSeconds, p.waitSeconds,
               cost.total - before);
  }
  fmt::print("\n");
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
  std::vector<double> plain, recorded, plainThread, recordedThread, writer;
  for (int i = 0; i < repeats; ++i) {
    const Cost without = runOnce(loaded, steps, {}, every);
    const Cost with = runOnce(loaded, steps, path, every);
    plain.push_back(without.total);
    plainThread.push_back(without.thread);
    recorded.push_back(with.total);
    recordedThread.push_back(with.thread);
    writer.push_back(with.others);
  }
  const auto line = [&](std::string_view what, double a, double b) {
    fmt::print("{}: {:.3f} ms a step plain, {:.3f} ms recorded: {:+.1f} %\n", what, 1e3 * a / steps,
               1e3 * b / steps, 100.0 * (b / a - 1.0));
  };
  line("wall clock", median(plain), median(recorded));
  line("processor, simulation's thread", median(plainThread), median(recordedThread));
  fmt::print("processor, writer's thread: {:.3f} ms a step\n", 1e3 * median(writer) / steps);
  seek(path);
  fs::remove(path);
  return 0;
}
