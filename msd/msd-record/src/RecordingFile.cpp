#include "msd-record/src/RecordingFile.hpp"

#include <cstring>

#include "msd-record/src/FileLock.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Schema.hpp"
#include "msd-record/src/StepColumns.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"

namespace msd_record {

using msd_sim::StepReport;

struct RecordingFile::Statements {
  explicit Statements(Database& db)
      : states{db, "body_state_data", emitBodyState},
        contacts{db, "contact_data", emitContact},
        reactions{db, "joint_reaction_data", emitReaction},
        step{db.prepare(insertStatement(table("steps")))},
        frame{db.prepare(insertStatement(table("frames")))},
        event{db.prepare(insertStatement(table("events")))},
        snapshot{db.prepare("INSERT OR REPLACE INTO snapshot VALUES (1, ?1, ?2, ?3)")},
        fact{db.prepare("UPDATE about SET value = ?2 WHERE key = ?1")} {}

  RowFeed states, contacts, reactions;
  Statement step, frame, event, snapshot, fact;
};

RecordingFile::RecordingFile(std::filesystem::path path, std::unique_ptr<FileLock> lock,
                             Database database, const msd_scene::SceneWorld& scene)
    : path_{std::move(path)},
      lock_{std::move(lock)},
      database_{std::move(database)},
      numbers_{scene.world} {
  statements_ = std::make_unique<Statements>(*database_);
  Statement last = database_->prepare("SELECT coalesce(max(frame) + 1, 0) FROM frames");
  if (last.step()) next_frame_ = last.integer(0);
}

RecordingFile::~RecordingFile() {
  close();
}

void RecordingFile::write(const CapturedStep& captured) {
  if (!database_->isInTransaction()) database_->execute("BEGIN IMMEDIATE");
  if (captured.hasReport) {
    writeReport(captured);
    writeEvents(captured);
  }
  if (captured.hasFrame) writeFrame(captured);
  if (captured.commits) {
    writeSnapshot(captured);
    database_->execute("COMMIT");
  }
}

void RecordingFile::finish(std::string_view status, std::string_view end) {
  if (!database_->isInTransaction()) database_->execute("BEGIN IMMEDIATE");
  statements_->fact.bind(1, std::string_view{"status"}).bind(2, status).run();
  statements_->fact.bind(1, std::string_view{"end"}).bind(2, end).run();
  database_->execute("COMMIT");
}

void RecordingFile::abandon() noexcept {
  try {
    if (database_->isInTransaction()) database_->execute("ROLLBACK");
  } catch (...) {
    // SQLite has rolled back by itself, or will when the file is closed.
  }
}

void RecordingFile::close() noexcept {
  if (!database_) return;
  abandon();
  statements_.reset();
  try {
    database_->execute(
        "PRAGMA synchronous = EXTRA; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = "
        "DELETE");
  } catch (...) {
    // No space, or someone is reading: the file and its -wal stay valid together.
  }
  database_.reset();
  lock_.reset();
}

void RecordingFile::writeReport(const CapturedStep& captured) {
  StepReport r = captured.report;
  Statement& s = statements_->step;
  int i = 0;
  for (const StepColumn& column : stepColumns()) {
    ++i;
    switch (column.value) {
      case StepValue::kStep:
        s.bind(i, static_cast<std::int64_t>(r.step));
        break;
      case StepValue::kReal:
        s.bind(i, column.real(r));
        break;
      case StepValue::kCount:
        s.bind(i, std::int64_t{column.count(r)});
        break;
      case StepValue::kLargeCount:
        s.bind(i, static_cast<std::int64_t>(column.largeCount(r)));
        break;
      case StepValue::kStatus:
        s.bind(i, msd_sim::statusName(r.status));
        break;
      case StepValue::kFaults:
        s.bind(i, std::string_view{msd_sim::faultText(r.faults)});
        break;
      case StepValue::kHash:
        s.bind(i, std::string_view{r.hash.toString()});
        break;
      case StepValue::kWall:
        s.bind(i, captured.wall);
        break;
    }
  }
  s.run();
}

void RecordingFile::writeEvents(const CapturedStep& captured) {
  static constexpr std::string_view kKinds[] = {"begin", "end", "hit"};
  Statement& s = statements_->event;
  for (const msd_sim::ContactEvent& event : captured.events) {
    const bool isHit = event.kind == msd_sim::ContactEventKind::kHit;
    s.bindNull(1).bind(2, static_cast<std::int64_t>(captured.report.step));
    s.bind(3, kKinds[static_cast<std::size_t>(event.kind)]);
    s.bind(4, std::int64_t{numbers_(event.bodyA)}).bind(5, std::int64_t{numbers_(event.bodyB)});
    for (int k = 0; k < 3; ++k) s.bind(6 + k, event.point[k]).bind(9 + k, event.normal[k]);
    isHit ? s.bind(12, event.approachSpeed) : s.bindNull(12);
    s.run();
  }
}

template <class Row>
std::int64_t RecordingFile::store(Stored<Row>& stored, std::vector<Row>& rows, RowFeed& feed) {
  const bool isSame = rows.size() == stored.rows.size() &&
                      (rows.empty() || std::memcmp(rows.data(), stored.rows.data(),
                                                   rows.size() * sizeof(Row)) == 0);
  if (isSame) return stored.first;
  stored.first = feed.insert(rows.data(), rows.size());
  std::swap(stored.rows, rows);
  return stored.first;
}

void RecordingFile::writeFrame(const CapturedStep& captured) {
  new_states_ = captured.states;
  new_reactions_ = captured.reactions;
  new_contacts_.assign(captured.contacts, captured.states, numbers_);
  const auto count = [](const auto& rows) { return static_cast<std::int64_t>(rows.size()); };
  Statement& s = statements_->frame;
  s.bind(1, next_frame_).bind(2, static_cast<std::int64_t>(captured.step)).bind(3, captured.time);
  s.bind(5, count(new_states_)).bind(7, count(new_contacts_.active));
  s.bind(9, count(new_contacts_.resting)).bind(11, count(new_reactions_));
  s.bind(12, checksum(new_states_, new_contacts_.active, new_contacts_.resting, new_reactions_));
  s.bind(4, store(states_, new_states_, statements_->states));
  s.bind(6, store(contacts_, new_contacts_.active, statements_->contacts));
  s.bind(8, store(resting_, new_contacts_.resting, statements_->contacts));
  s.bind(10, store(reactions_, new_reactions_, statements_->reactions));
  s.run();
  ++next_frame_;
}

void RecordingFile::writeSnapshot(const CapturedStep& captured) {
  const std::uint64_t step = captured.hasReport ? captured.report.step : captured.step;
  Statement& s = statements_->snapshot;
  s.bind(1, static_cast<std::int64_t>(step));
  s.bind(2, std::span<const std::byte>{captured.snapshot});
  s.bind(3, checksum(captured.snapshot));
  s.run();
}

}  // namespace msd_record
