#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "msd-record/src/CapturedStep.hpp"
#include "msd-record/src/RecordingFile.hpp"

namespace msd_record {

/// What recording has come to so far.
struct RecordProgress {
  std::uint64_t committedStep{0};  ///< the last step that no crash of the program can take away
  std::uint64_t frames{0};         ///< captured
  double captureSeconds{0.0};      ///< spent on the simulation's thread: copying, snapshots [s]
  double waitSeconds{0.0};         ///< spent there waiting for the writer [s]
  bool failed{false};
  std::string error{};  ///< file, reason, last committed step
};

/// Records a simulation into a file while it runs:
///
///   Recorder recorder{"out.db", document, scene, {.stepsAsked = 600}};
///   recorder.begin(scene.world);
///   for (...) recorder.step(scene.world, scene.advance(), seconds);
///   recorder.finish(scene.world, "ok");
///
/// The calls copy; a thread of its own writes, in transactions of a few hundred milliseconds. Each
/// ends with a snapshot of its last step, so that a killed run goes on from there, bit for bit. No
/// more than RecordOptions::queueBytes wait to be written: then the simulation waits.
///
/// When writing fails (a full disk), recording is over and the simulation may go on: step() says so
/// by returning false, progress() says why, and the file keeps every committed step.
class Recorder {
 public:
  /// Makes a new file. Throws RecordError, leaving nothing behind.
  Recorder(const std::filesystem::path& path, const msd_scene::SceneDocument& document,
           const msd_scene::SceneWorld& scene, const RecordOptions& options);
  /// Goes on with a file; the world stands at its last committed step. Throws RecordError.
  static std::unique_ptr<Recorder> resume(const std::filesystem::path& path,
                                          const msd_scene::SceneWorld& scene,
                                          const RecordOptions& options);
  /// Without finish(), what was not committed is dropped.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The state before the first step; not after resume().
  bool begin(const msd_sim::WorldModel& world);
  /// After every step that advanced the world. `wall`: its wall-clock time [s].
  bool step(const msd_sim::WorldModel& world, const msd_sim::StepReport& report, double wall);
  /// Adds the last state where it is not yet there, and writes everything out. `status` tells how
  /// good the run was ("ok", "degraded", "failed"), `end` how it ended ("completed", "interrupted",
  /// ...).
  bool finish(const msd_sim::WorldModel& world, std::string_view status,
              std::string_view end = "completed");

  /// Call it, as the others, from the simulation's thread.
  [[nodiscard]] RecordProgress progress() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t every() const { return options_.every; }

 private:
  using Clock = std::chrono::steady_clock;
  Recorder(std::unique_ptr<RecordingFile> file, const msd_sim::WorldModel& world,
           const RecordOptions& options);

  [[nodiscard]] std::unique_ptr<CapturedStep> takeBuffer();
  bool submit(std::unique_ptr<CapturedStep> captured);
  [[nodiscard]] double commitPause() const;  ///< [s]
  void snapshot(const msd_sim::WorldModel& world, CapturedStep& captured);
  [[nodiscard]] bool isFailed() const;
  bool captureBeginning(const msd_sim::WorldModel& world);
  bool captureStep(const msd_sim::WorldModel& world, const msd_sim::StepReport& report,
                   double wall);
  template <class Work>
  bool guarded(Work&& work);
  template <class Work>
  void write(Work&& work) noexcept;
  void fail(const char* reason) noexcept;
  void runWriter();
  void writeNext(CapturedStep& captured);
  void stopWriter();

  std::filesystem::path path_;
  RecordOptions options_;
  Capture capture_;
  Clock::time_point last_commit_{Clock::now()};
  double capture_seconds_{0.0};   ///< [s]
  double snapshot_seconds_{0.0};  ///< what the last snapshot cost [s]
  std::uint64_t last_frame_step_;
  bool has_frame_{false};
  bool is_finished_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<CapturedStep>> queue_;  ///< oldest first
  std::vector<std::unique_ptr<CapturedStep>> free_;
  std::size_t queued_bytes_{0};
  bool stopping_{false};
  RecordProgress progress_;
  std::unique_ptr<RecordingFile> file_;  ///< the writer's own while it runs
  std::thread writer_;
};

}  // namespace msd_record
