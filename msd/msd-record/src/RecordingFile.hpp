#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msd-record/src/CapturedStep.hpp"
#include "msd-record/src/RowFeed.hpp"
#include "msd-record/src/Sqlite.hpp"
#include "msd-scene/src/BuildScene.hpp"

namespace msd_record {

class FileLock;

struct RecordOptions {
  /// Steps between two frames; 0 chooses by the number of bodies (see framesEvery). Reports,
  /// events and hashes are recorded of every step.
  std::uint64_t every{0};
  bool force{false};    ///< replace a recording that exists
  bool durable{false};  ///< survive power loss too: wait for the disk at every commit
  std::uint64_t stepsAsked{0};
  std::string version{};                          ///< of the engine, "0.1.0"
  std::string build{};                            ///< "msd 0.1.0 (g++ 12.2.0, Release)"
  std::size_t queueBytes{std::size_t{64} << 20};  ///< captured and not yet written, at most
  double commitSeconds{0.25};  ///< between two commits, at least [s]; 0: every step
  std::string vfs{};           ///< SQLite's layer below; empty: the usual one
};

/// Steps between two frames by default: one for every thousand bodies that can move, so that the
/// writer keeps up with the simulation.
[[nodiscard]] std::uint64_t framesEvery(const msd_sim::WorldModel& world);

/// An open recording as the writing thread sees it: one transaction after the other. Every
/// transaction ends with a snapshot, so that what is committed can always be resumed.
class RecordingFile {
 public:
  /// Makes the file and writes what does not change. Throws RecordError, leaving nothing behind.
  static std::unique_ptr<RecordingFile> create(const std::filesystem::path& path,
                                               const msd_scene::SceneDocument& document,
                                               const msd_scene::SceneWorld& scene,
                                               const RecordOptions& options);
  /// Opens a recording to go on with it. Throws RecordError.
  static std::unique_ptr<RecordingFile> append(const std::filesystem::path& path,
                                               const msd_scene::SceneWorld& scene,
                                               const RecordOptions& options);

  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  /// Adds a step to the open transaction and ends it where the step says so. Throws SqliteError.
  void write(const CapturedStep& captured);
  /// Adds the last words and ends the transaction: how good the run was, and how it ended.
  void finish(std::string_view status, std::string_view end);
  /// Forgets the open transaction; what was committed stays.
  void abandon() noexcept;
  /// Moves everything into the one file; failing that leaves it valid with its -wal beside it.
  void close() noexcept;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t frames() const { return static_cast<std::uint64_t>(next_frame_); }

 private:
  struct Statements;
  RecordingFile(std::filesystem::path path, std::unique_ptr<FileLock> lock, Database database,
                const msd_scene::SceneWorld& scene);

  void writeReport(const CapturedStep& captured);
  void writeEvents(const CapturedStep& captured);
  void writeFrame(const CapturedStep& captured);
  void writeSnapshot(const CapturedStep& captured);

  /// Rows of the frame before, which an unchanged frame refers to instead of repeating them.
  template <class Row>
  struct Stored {
    std::vector<Row> rows{};
    std::int64_t first{0};
  };
  template <class Row>
  std::int64_t store(Stored<Row>& stored, std::vector<Row>& rows, RowFeed& feed);

  std::filesystem::path path_;
  std::unique_ptr<FileLock> lock_;
  std::optional<Database> database_;
  std::unique_ptr<Statements> statements_;
  BodyNumbers numbers_;
  std::int64_t next_frame_{0};
  Stored<BodyState> states_{};
  Stored<ContactRow> contacts_{};
  Stored<ContactRow> resting_{};
  Stored<ReactionRow> reactions_{};
  std::vector<BodyState> new_states_;
  ContactRows new_contacts_;
  std::vector<ReactionRow> new_reactions_;
};

}  // namespace msd_record
