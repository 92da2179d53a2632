#include "msd-record/src/RecordingFile.hpp"

#include <cstring>

#include "msd-record/src/FileLock.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Schema.hpp"

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
        status{db.prepare("UPDATE about SET value = ?1 WHERE key = 'status'")} {}

  RowFeed states, contacts, reactions;
  Statement step, frame, event, snapshot, status;
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

void RecordingFile::finish(std::string_view status) {
  if (!database_->isInTransaction()) database_->execute("BEGIN IMMEDIATE");
  statements_->status.bind(1, status).run();
  database_->execute("COMMIT");
}

void RecordingFile::abandon() {
  if (!database_->isInTransaction()) return;
  try {
    database_->execute("ROLLBACK");
  } catch (const SqliteError&) {
    // SQLite has rolled back by itself: that is what was wanted.
  }
}

void RecordingFile::close() {
  if (!database_) return;
  abandon();
  statements_.reset();
  try {
    database_->execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  } catch (const SqliteError&) {
    // No space, or someone is reading: the file and its -wal stay valid together.
  }
  database_.reset();
  lock_.reset();
}

void RecordingFile::writeReport(const CapturedStep& captured) {
  const StepReport& r = captured.report;
  const msd_sim::EnergyLedger& e = r.energy;
  Statement& s = statements_->step;
  int i = 0;
  const auto integer = [&](std::uint64_t value) { s.bind(++i, static_cast<std::int64_t>(value)); };
  const auto real = [&](double value) { s.bind(++i, value); };
  integer(r.step);
  real(r.time);
  real(r.dt);
  s.bind(++i, msd_sim::statusName(r.status));
  for (const std::uint32_t count : {r.bodies, r.awakeBodies, r.pairs, r.manifolds, r.contacts,
                                    r.islands, r.colours, r.substeps, r.iterations}) {
    integer(count);
  }
  for (const double value :
       {r.residual, r.deepestPenetration, r.jointError, r.certificate.naturalMap,
        r.certificate.complementarity, r.certificate.coneViolation, r.certificate.normalViolation,
        e.kinetic, e.potential, e.change, e.externalWork, e.jointWork, e.normalWork, e.frictionWork,
        e.positionWork, e.dampingWork, e.integratorError, e.scale}) {
    real(value);
  }
  s.bind(++i, std::string_view{r.hash.toString()});
  real(captured.wall);
  for (const double seconds : r.stageSeconds) real(seconds);
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
