// Makes the file of a recording, or opens one to go on with it.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <tuple>

#include "msd-record/src/FileLock.hpp"
#include "msd-record/src/OpenRecording.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/RecordingFile.hpp"
#include "msd-record/src/Schema.hpp"
#include "msd-record/src/WriteBeginning.hpp"

namespace msd_record {

namespace {

namespace fs = std::filesystem;
using msd_scene::SceneDocument;
using msd_scene::SceneWorld;
using msd_sim::WorldModel;

constexpr std::uint64_t kBodiesPerStep = 1000;

/// The log is folded into the file every 64 MiB.
constexpr int kCheckpointPages = (64 << 20) / kPageBytes;

std::vector<fs::path> filesOf(const fs::path& path) {
  std::vector<fs::path> files{path};
  for (const char* suffix : {"-wal", "-shm", "-journal"}) files.push_back(path.string() + suffix);
  return files;
}

/// What stands in the way is refused, or removed where the user said so.
void makeRoom(const fs::path& path, bool force) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  const std::string name = path.string();
  if (fs::is_directory(fs::status(path, error))) {
    throw RecordError{fmt::format("cannot write {}: it is a directory", name)};
  }
  const bool exists = fs::exists(status);
  if (!exists && !force && fs::exists(name + "-wal", error)) {
    throw RecordError{
        fmt::format("cannot write {}: {}-wal is left of a recording whose main file is gone; "
                    "--force removes it",
                    name, name)};
  }
  if (exists && !force) {
    throw RecordError{fmt::format("cannot write {}: it exists; --force replaces it", name)};
  }
  if (exists && fs::is_regular_file(fs::status(path, error)) && fs::file_size(path, error) > 0) {
    try {
      const Database probe = openRecording(path, OpenMode::kRead);
    } catch (const RecordError&) {
      throw RecordError{fmt::format(
          "cannot write {}: it exists and is no recording that --force may replace", name)};
    }
    const FileLock lock{path, FileLock::Mode::kExisting};
  } else if (exists && !fs::is_regular_file(status)) {
    throw RecordError{fmt::format("cannot write {}: it is no regular file", name)};
  }
  for (const fs::path& file : filesOf(path)) {
    if (fs::remove(file, error); error) {
      throw RecordError{fmt::format("cannot write {}: {}", file.string(), error.message())};
    }
  }
}

/// Until the log takes over, changes go through a journal that is deleted after each. Were the
/// power to go before the disk knows of that, the journal would come back and undo what the log has
/// written since: EXTRA waits for it.
void setUp(Database& database) {
  database.execute(fmt::format(
      "PRAGMA synchronous = EXTRA; PRAGMA secure_delete = OFF; PRAGMA cache_size = -65536;"
      "PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {}",
      kCheckpointPages, 64 << 20));
}

void switchToLog(Database& database, const fs::path& path, bool durable) {
  Statement mode = database.prepare("PRAGMA journal_mode = WAL");
  if (!mode.step() || mode.text(0) != "wal") {
    throw RecordError{
        fmt::format("cannot write {}: its file system does not support SQLite's write-ahead log",
                    path.string())};
  }
  database.execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

}  // namespace

std::uint64_t framesEvery(const WorldModel& world) {
  std::uint64_t moving = 0;
  for (const msd_sim::BodyId body : world.bodies()) moving += world.isEnvironment(body) ? 0 : 1;
  return std::max<std::uint64_t>(1, (moving + kBodiesPerStep - 1) / kBodiesPerStep);
}

std::unique_ptr<RecordingFile> RecordingFile::create(const fs::path& path,
                                                     const SceneDocument& document,
                                                     const SceneWorld& scene,
                                                     const RecordOptions& options) {
  makeRoom(path, options.force);
  auto lock = std::make_unique<FileLock>(path, FileLock::Mode::kNew);
  try {
    Database database{fs::absolute(path).string(), OpenMode::kWrite, options.vfs};
    setUp(database);
    writeBeginning(database, document, scene, options);
    switchToLog(database, path, options.durable);
    return std::unique_ptr<RecordingFile>{
        new RecordingFile{path, std::move(lock), std::move(database), scene}};
  } catch (const std::exception& reason) {
    std::error_code ignored;
    for (const fs::path& file : filesOf(path)) fs::remove(file, ignored);
    const bool isOurs = dynamic_cast<const RecordError*>(&reason) != nullptr;
    if (isOurs || dynamic_cast<const std::bad_alloc*>(&reason) != nullptr) throw;
    throw RecordError{fmt::format("cannot write {}: {}", path.string(), reason.what())};
  }
}

std::unique_ptr<RecordingFile> RecordingFile::append(const fs::path& path, const SceneWorld& scene,
                                                     const RecordOptions& options) {
  auto lock = std::make_unique<FileLock>(path, FileLock::Mode::kExisting);
  try {
    Database database = openRecording(path, OpenMode::kWrite, options.vfs);
    setUp(database);
    switchToLog(database, path, options.durable);
    upgrade(database);
    Statement update = database.prepare("UPDATE about SET value = ?2 WHERE key = ?1");
    update.bind(1, std::string_view{"status"}).bind(2, std::string_view{"recording"}).run();
    update.bind(1, std::string_view{"end"}).bind(2, std::string_view{}).run();
    update.bind(1, std::string_view{"steps_asked"});
    update.bind(2, static_cast<std::int64_t>(options.stepsAsked)).run();
    return std::unique_ptr<RecordingFile>{
        new RecordingFile{path, std::move(lock), std::move(database), scene}};
  } catch (const SqliteError& reason) {
    throw RecordError{fmt::format("cannot write {}: {}", path.string(), reason.what())};
  }
}

}  // namespace msd_record
