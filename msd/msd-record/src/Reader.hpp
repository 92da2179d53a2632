#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msd-record/src/Rows.hpp"
#include "msd-record/src/Sqlite.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"

namespace msd_record {

/// A named value of the tables `about` and `settings`, as text.
struct Fact {
  std::string name{};
  std::string value{};
  std::string unit{};
};

struct RecordedBody {
  std::string name{};
  std::string kind{};                   ///< "moving", "kinematic" or "static"
  std::int64_t shape{0};                ///< place in the scene's list
  std::optional<std::int64_t> place{};  ///< row among a frame's states; none for static
  double mass{0.0};                     ///< [kg]; NaN for static
  msd_sim::Pose startPose{};
};

/// What one step reported.
struct RecordedStep {
  msd_sim::StepReport report{};
  double wall{0.0};  ///< wall-clock time [s]
};

class Reader;

struct RecordedEvent {
  std::uint64_t step{0};
  std::string kind{};  ///< "begin", "end" or "hit"
  std::int64_t bodyA{0};
  std::int64_t bodyB{0};
  Vector3D point{0.0, 0.0, 0.0};   ///< [m]
  Vector3D normal{0.0, 0.0, 0.0};  ///< from A to B
  double approachSpeed{0.0};       ///< hit: [m/s]; else NaN
};

/// All events of a recording, one after the other. The reader must outlive it.
class EventCursor {
 public:
  /// False at the end. Throws RecordError.
  bool next(RecordedEvent& event);

 private:
  friend class Reader;
  EventCursor(Reader& reader, Statement select) : reader_{&reader}, select_{std::move(select)} {}
  Reader* reader_;
  Statement select_;
  bool is_done_{false};
};

/// Where a frame's rows lie.
struct FrameEntry {
  std::int64_t frame{0};
  std::uint64_t step{0};
  double time{0.0};  ///< [s]
  std::int64_t firstState{0}, states{0};
  std::int64_t firstContact{0}, contacts{0};  ///< with a body that is awake
  std::int64_t firstResting{0}, resting{0};   ///< between bodies that sleep
  std::int64_t firstReaction{0}, reactions{0};
  std::int64_t checksum{0};
};

/// One recorded state, whole.
struct Frame {
  FrameEntry entry{};
  std::vector<BodyState> states{};     ///< bodies that can move, in the scene's order
  std::vector<ContactRow> contacts{};  ///< entry.contacts with a body awake, then the resting ones
  std::vector<ReactionRow> reactions{};
};

/// One body's state in one frame.
struct TrajectoryPoint {
  double time{0.0};  ///< [s]
  BodyState state{};
};

/// Reads a recording. Opens it read-only, also while it is being written; every call sees what was
/// committed by then. Takes the file for hostile: everything read is checked, and what does not fit
/// throws RecordError.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // --- what was simulated ---
  [[nodiscard]] std::vector<Fact> about();
  [[nodiscard]] std::vector<Fact> settings();
  /// The value of one fact of `about`; empty where there is none.
  [[nodiscard]] std::string fact(std::string_view key);
  [[nodiscard]] std::uint64_t wholeFact(std::string_view key);
  [[nodiscard]] std::string sceneText();
  /// The scene, read and validated. Throws SceneError where the text is no scene.
  [[nodiscard]] msd_scene::LoadedScene scene();
  [[nodiscard]] std::vector<RecordedBody> bodies();

  // --- frames ---
  [[nodiscard]] std::int64_t frameCount();
  /// Seeks, whatever the size of the file. Throws RecordError where there is no such frame or its
  /// rows do not match its checksum.
  [[nodiscard]] Frame frame(std::int64_t number);
  [[nodiscard]] std::vector<FrameEntry> frameEntries();
  /// The last frame at or before a time [s]; the first one where all are later.
  [[nodiscard]] std::int64_t frameAt(double time);
  /// One body through all frames. Throws RecordError for a body that is static or not there.
  [[nodiscard]] std::vector<TrajectoryPoint> trajectory(std::string_view body);

  // --- steps ---
  [[nodiscard]] std::uint64_t lastStep();  ///< 0 where there is none
  using StepVisitor = std::function<bool(const RecordedStep&)>;
  /// Calls `visit` for the steps from `first` on, in order, without holding them in memory, until
  /// it returns false.
  void forEachStep(std::uint64_t first, const StepVisitor& visit);
  [[nodiscard]] std::optional<RecordedStep> step(std::uint64_t number);
  [[nodiscard]] std::vector<RecordedEvent> events(std::uint64_t firstStep, std::uint64_t lastStep);

  /// In the order in which they were written.
  [[nodiscard]] EventCursor allEvents();

  // --- going on ---
  struct Snapshot {
    std::uint64_t step{0};
    std::vector<std::byte> data{};
  };
  /// None where the run ended before its first commit.
  [[nodiscard]] std::optional<Snapshot> snapshot();

  /// Number of the file's schema; what older ones lack or name otherwise is read as today's.
  [[nodiscard]] std::int32_t schema() const { return version_; }
  /// "SELECT columns FROM table condition": all columns of a table, in today's order and meaning.
  [[nodiscard]] std::string select(std::string_view table, std::string_view condition) const;
  /// For questions of one's own.
  [[nodiscard]] Database& database() { return database_; }

 private:
  friend class EventCursor;
  template <class Work>
  auto guarded(Work&& work);
  [[nodiscard]] std::vector<Fact> facts(std::string_view table);
  [[nodiscard]] FrameEntry readEntry(const Statement& statement) const;
  template <class Row>
  void readRows(std::string_view table, std::int64_t first, std::int64_t count,
                std::vector<Row>& rows);
  [[noreturn]] void damaged(const std::string& what) const;

  std::filesystem::path path_;
  Database database_;
  std::int32_t version_{0};
};

}  // namespace msd_record
