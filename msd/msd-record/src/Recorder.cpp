#include "msd-record/src/Recorder.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "msd-record/src/RecordError.hpp"

namespace msd_record {

namespace {

/// Snapshots may take this share of the time, and commits are never farther apart than this.
constexpr double kSnapshotShare = 0.01;
constexpr double kLongestCommit = 2.0;  // [s]

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

RecordOptions completed(RecordOptions options, const msd_sim::WorldModel& world) {
  if (options.every == 0) options.every = framesEvery(world);
  return options;
}

std::string reasonText(const SqliteError& error) {
  return (error.code() & 0xFF) == SQLITE_FULL ? "the disk is full" : error.what();
}

constexpr const char* kNoMemory = "out of memory";

}  // namespace

Recorder::Recorder(const std::filesystem::path& path, const msd_scene::SceneDocument& document,
                   const msd_scene::SceneWorld& scene, const RecordOptions& options)
    : Recorder{RecordingFile::create(path, document, scene, completed(options, scene.world)),
               scene.world, completed(options, scene.world)} {}

std::unique_ptr<Recorder> Recorder::resume(const std::filesystem::path& path,
                                           const msd_scene::SceneWorld& scene,
                                           const RecordOptions& options) {
  const RecordOptions complete = completed(options, scene.world);
  return std::unique_ptr<Recorder>{
      new Recorder{RecordingFile::append(path, scene, complete), scene.world, complete}};
}

Recorder::Recorder(std::unique_ptr<RecordingFile> file, const msd_sim::WorldModel& world,
                   const RecordOptions& options)
    : path_{file->path()},
      options_{options},
      capture_{world},
      last_frame_step_{world.stepCount()},
      has_frame_{file->frames() > 0},
      file_{std::move(file)} {
  progress_.committedStep = world.stepCount();
  progress_.frames = file_->frames();
  try {
    writer_ = std::thread{[this] { runWriter(); }};
  } catch (const std::system_error& error) {
    throw RecordError{fmt::format("cannot record into {}: no thread to write it: {}",
                                  path_.string(), error.what())};
  }
}

Recorder::~Recorder() {
  stopWriter();
}

/// What the simulation's thread finds no memory for ends the recording, not the simulation.
template <class Work>
bool Recorder::guarded(Work&& work) {
  if (isFailed()) return false;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    fail(kNoMemory);
    return false;
  }
}

bool Recorder::begin(const msd_sim::WorldModel& world) {
  return guarded([&] { return captureBeginning(world); });
}

bool Recorder::step(const msd_sim::WorldModel& world, const msd_sim::StepReport& report,
                    double wall) {
  return guarded([&] { return captureStep(world, report, wall); });
}

bool Recorder::captureBeginning(const msd_sim::WorldModel& world) {
  const Clock::time_point start = Clock::now();
  std::unique_ptr<CapturedStep> captured = takeBuffer();
  capture_.frame(world, *captured);
  has_frame_ = true;
  last_frame_step_ = world.stepCount();
  snapshot(world, *captured);
  capture_seconds_ += secondsSince(start);
  return submit(std::move(captured));
}

bool Recorder::captureStep(const msd_sim::WorldModel& world, const msd_sim::StepReport& report,
                           double wall) {
  if (!capture_.isSameWorld(world)) {
    fail("bodies or joints were added or removed");
    return false;
  }
  std::unique_ptr<CapturedStep> captured = takeBuffer();
  const Clock::time_point start = Clock::now();
  capture_.report(world, report, wall, *captured);
  if (world.stepCount() % options_.every == 0) {
    capture_.frame(world, *captured);
    last_frame_step_ = world.stepCount();
  }
  const double pause = commitPause();
  if (secondsSince(last_commit_) >= pause) snapshot(world, *captured);
  capture_seconds_ += secondsSince(start);
  return submit(std::move(captured));
}

double Recorder::commitPause() const {
  if (options_.commitSeconds == 0.0) return 0.0;
  return std::clamp(snapshot_seconds_ / kSnapshotShare, options_.commitSeconds,
                    std::max(options_.commitSeconds, kLongestCommit));
}

bool Recorder::finish(const msd_sim::WorldModel& world, std::string_view status,
                      std::string_view end) {
  if (is_finished_) return !isFailed();
  is_finished_ = true;
  static_cast<void>(guarded([&] {
    std::unique_ptr<CapturedStep> captured = takeBuffer();
    captured->step = world.stepCount();
    if (!has_frame_ || last_frame_step_ != world.stepCount()) capture_.frame(world, *captured);
    snapshot(world, *captured);
    return submit(std::move(captured));
  }));
  stopWriter();
  write([&] {
    if (!isFailed()) file_->finish(status, end);
  });
  file_->close();
  return !isFailed();
}

void Recorder::snapshot(const msd_sim::WorldModel& world, CapturedStep& captured) {
  const Clock::time_point start = Clock::now();
  captured.snapshot = world.snapshot();
  captured.commits = true;
  snapshot_seconds_ = secondsSince(start);
  last_commit_ = Clock::now();
}

std::unique_ptr<CapturedStep> Recorder::takeBuffer() {
  const std::lock_guard guard{mutex_};
  if (free_.empty()) return std::make_unique<CapturedStep>();
  std::unique_ptr<CapturedStep> buffer = std::move(free_.back());
  free_.pop_back();
  buffer->clear();
  return buffer;
}

bool Recorder::submit(std::unique_ptr<CapturedStep> captured) {
  const std::size_t bytes = captured->bytes();
  const Clock::time_point start = Clock::now();
  std::unique_lock lock{mutex_};
  // One step is always let in, however large it is.
  changed_.wait(lock, [&] {
    return progress_.failed || queue_.empty() || queued_bytes_ + bytes <= options_.queueBytes;
  });
  progress_.waitSeconds += secondsSince(start);
  if (progress_.failed) return false;
  progress_.frames += captured->hasFrame ? 1 : 0;
  queued_bytes_ += bytes;
  queue_.push_back(std::move(captured));
  changed_.notify_all();
  return true;
}

bool Recorder::isFailed() const {
  const std::lock_guard guard{mutex_};
  return progress_.failed;
}

RecordProgress Recorder::progress() const {
  const std::lock_guard guard{mutex_};
  RecordProgress progress = progress_;
  progress.captureSeconds = capture_seconds_;
  return progress;
}

void Recorder::fail(const char* reason) noexcept {
  const std::lock_guard guard{mutex_};
  if (progress_.failed) return;
  progress_.failed = true;
  try {
    progress_.error = fmt::format("recording into {} ended: {}; steps up to {} are in the file",
                                  path_.string(), reason, progress_.committedStep);
  } catch (...) {
    progress_.error = kNoMemory;  // short enough to need none
  }
  changed_.notify_all();
}

/// Runs `work` on the file; what goes wrong ends the recording, and what was committed stays.
template <class Work>
void Recorder::write(Work&& work) noexcept {
  try {
    try {
      work();
    } catch (const SqliteError& error) {
      file_->abandon();
      fail(reasonText(error).c_str());
    } catch (const std::bad_alloc&) {
      file_->abandon();
      fail(kNoMemory);
    } catch (const std::exception& error) {
      file_->abandon();
      fail(error.what());
    }
  } catch (...) {
    fail(kNoMemory);  // no room for the reason
  }
}

void Recorder::stopWriter() {
  {
    const std::lock_guard guard{mutex_};
    stopping_ = true;
    changed_.notify_all();
  }
  if (writer_.joinable()) writer_.join();
}

void Recorder::writeNext(CapturedStep& captured) {
  file_->write(captured);
  if (!captured.commits) return;
  const std::lock_guard guard{mutex_};
  progress_.committedStep = captured.hasReport ? captured.report.step : captured.step;
}

void Recorder::runWriter() {
  std::unique_lock lock{mutex_};
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::unique_ptr<CapturedStep> next = std::move(queue_.front());
    queue_.erase(queue_.begin());
    lock.unlock();
    const std::size_t bytes = next->bytes();
    if (!isFailed()) write([&] { writeNext(*next); });
    lock.lock();
    queued_bytes_ -= bytes;
    try {
      free_.push_back(std::move(next));
    } catch (const std::bad_alloc&) {
      // A buffer less to use again.
    }
    changed_.notify_all();
  }
}

}  // namespace msd_record
