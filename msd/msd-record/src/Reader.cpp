#include "msd-record/src/Reader.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>

#include "msd-record/src/OpenRecording.hpp"
#include "msd-record/src/ReadRows.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Schema.hpp"

namespace msd_record {

namespace {

/// Rows are read into memory only as many as a frame can have.
constexpr std::int64_t kMostRows = 100'000'000;
constexpr std::int64_t kFirstReserve = 65'536;

std::string valueText(const Statement& statement, int column) {
  sqlite3_stmt* raw = statement.raw();
  const unsigned char* text = sqlite3_column_text(raw, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(raw, column))};
}

}  // namespace

void Reader::damaged(const std::string& what) const {
  throw RecordError{fmt::format("{}: the recording is damaged: {}", path_.string(), what)};
}

/// Runs `work`; what SQLite cannot do means that the file is damaged.
template <class Work>
auto Reader::guarded(Work&& work) {
  try {
    return work();
  } catch (const SqliteError& error) {
    damaged(error.what());
  }
}

Reader::Reader(const std::filesystem::path& path)
    : path_{path}, database_{openRecording(path, OpenMode::kRead)} {
  guarded([&] { version_ = schemaVersion(database_); });
}

std::string Reader::select(std::string_view name, std::string_view condition) const {
  return fmt::format("SELECT {} FROM {} {}", selectList(table(name), version_), name, condition);
}

std::vector<Fact> Reader::facts(std::string_view table) {
  return guarded([&] {
    std::vector<Fact> result;
    Statement select = database_.prepare(this->select(table, ""));
    while (select.step()) {
      result.push_back(
          {.name = select.text(0), .value = valueText(select, 1), .unit = select.text(2)});
    }
    return result;
  });
}

std::vector<Fact> Reader::about() {
  return facts("about");
}

std::vector<Fact> Reader::settings() {
  return facts("settings");
}

std::string Reader::fact(std::string_view key) {
  return guarded([&] {
    Statement select = database_.prepare("SELECT value FROM about WHERE key = ?1");
    select.bind(1, key);
    return select.step() ? valueText(select, 0) : std::string{};
  });
}

std::uint64_t Reader::wholeFact(std::string_view key) {
  return guarded([&]() -> std::uint64_t {
    Statement select = database_.prepare("SELECT value FROM about WHERE key = ?1");
    select.bind(1, key);
    if (!select.step()) damaged(fmt::format("it does not say {}", key));
    const std::int64_t value = select.integer(0);
    if (value < 0) damaged(fmt::format("{} is {}", key, value));
    return static_cast<std::uint64_t>(value);
  });
}

std::string Reader::sceneText() {
  return guarded([&] {
    Statement select = database_.prepare("SELECT json FROM scene");
    if (!select.step()) damaged("it holds no scene");
    return select.text(0);
  });
}

msd_scene::LoadedScene Reader::scene() {
  const std::string text = sceneText();
  return msd_scene::loadScene(std::as_bytes(std::span{text.data(), text.size()}),
                              path_.string() + " (scene)", msd_scene::noMeshes());
}

std::vector<RecordedBody> Reader::bodies() {
  return guarded([&] {
    std::vector<RecordedBody> result;
    Statement select = database_.prepare(
        "SELECT body, name, kind, shape, place, mass, x, y, z, qw, qx, qy, qz FROM bodies "
        "ORDER BY body");
    while (select.step()) {
      if (select.integer(0) != static_cast<std::int64_t>(result.size())) {
        damaged("its bodies are not numbered from 0 on");
      }
      RecordedBody body{.name = select.text(1),
                        .kind = select.text(2),
                        .shape = select.integer(3),
                        .mass = select.real(5)};
      if (!select.isNull(4)) body.place = select.integer(4);
      body.startPose.position = {select.real(6), select.real(7), select.real(8)};
      body.startPose.orientation = {select.real(9), select.real(10), select.real(11),
                                    select.real(12)};
      result.push_back(std::move(body));
    }
    return result;
  });
}

std::int64_t Reader::frameCount() {
  return guarded([&] {
    Statement select = database_.prepare("SELECT coalesce(max(frame) + 1, 0) FROM frames");
    return select.step() ? select.integer(0) : 0;
  });
}

FrameEntry Reader::readEntry(const Statement& s) const {
  FrameEntry entry{.frame = s.integer(0),
                   .step = static_cast<std::uint64_t>(s.integer(1)),
                   .time = readTime(s, 2),
                   .firstState = s.integer(3),
                   .states = s.integer(4),
                   .firstContact = s.integer(5),
                   .contacts = s.integer(6),
                   .firstResting = s.integer(7),
                   .resting = s.integer(8),
                   .firstReaction = s.integer(9),
                   .reactions = s.integer(10),
                   .checksum = s.integer(11)};
  for (const std::int64_t value :
       {entry.firstState, entry.firstContact, entry.firstResting, entry.firstReaction}) {
    if (value < 0 || value > std::numeric_limits<std::int64_t>::max() - kMostRows) {
      damaged(fmt::format("frame {} starts at row {}", entry.frame, value));
    }
  }
  for (const std::int64_t count : {entry.states, entry.contacts, entry.resting, entry.reactions}) {
    if (count < 0 || count > kMostRows) {
      damaged(fmt::format("frame {} has {} rows", entry.frame, count));
    }
  }
  return entry;
}

template <class Row>
void Reader::readRows(std::string_view table, std::int64_t first, std::int64_t count,
                      std::vector<Row>& rows) {
  const std::size_t before = rows.size();
  rows.reserve(before + static_cast<std::size_t>(std::min(count, kFirstReserve)));
  Statement select =
      database_.prepare(this->select(table, "WHERE id >= ?1 AND id < ?2 ORDER BY id"));
  select.bind(1, first).bind(2, first + count);
  while (select.step()) rows.push_back(readRow<Row>(select, 1));
  if (static_cast<std::int64_t>(rows.size() - before) != count) {
    damaged(fmt::format("{} has {} of the {} rows from {} on", table, rows.size() - before, count,
                        first));
  }
}

Frame Reader::frame(std::int64_t number) {
  return guarded([&] {
    Statement select = database_.prepare(this->select("frames", "WHERE frame = ?1"));
    select.bind(1, number);
    if (!select.step()) {
      throw RecordError{fmt::format("{}: there is no frame {}; frames run from 0 to {}",
                                    path_.string(), number, frameCount() - 1)};
    }
    Frame frame{.entry = readEntry(select)};
    const FrameEntry& entry = frame.entry;
    readRows("body_state_data", entry.firstState, entry.states, frame.states);
    readRows("contact_data", entry.firstContact, entry.contacts, frame.contacts);
    readRows("contact_data", entry.firstResting, entry.resting, frame.contacts);
    readRows("joint_reaction_data", entry.firstReaction, entry.reactions, frame.reactions);
    const std::span<const ContactRow> contacts{frame.contacts};
    const auto active = static_cast<std::size_t>(entry.contacts);
    if (checksum(frame.states, contacts.first(active), contacts.subspan(active), frame.reactions) !=
        entry.checksum) {
      damaged(fmt::format("frame {} does not match its checksum", number));
    }
    return frame;
  });
}

std::vector<FrameEntry> Reader::frameEntries() {
  return guarded([&] {
    std::vector<FrameEntry> entries;
    Statement select = database_.prepare(this->select("frames", "ORDER BY frame"));
    while (select.step()) entries.push_back(readEntry(select));
    return entries;
  });
}

std::int64_t Reader::frameAt(double time) {
  // Frames are in order of time: halve the interval, a seek each.
  return guarded([&]() -> std::int64_t {
    Statement select = database_.prepare("SELECT time FROM frames WHERE frame = ?1");
    std::int64_t low = 0;
    std::int64_t high = frameCount();
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      select.bind(1, middle);
      if (!select.step()) damaged(fmt::format("frame {} is missing", middle));
      (readTime(select, 0) <= time ? low : high) = middle;
      select.reset();
    }
    return low;
  });
}

std::vector<TrajectoryPoint> Reader::trajectory(std::string_view name) {
  const std::vector<RecordedBody> all = bodies();
  const auto found = std::ranges::find(all, name, &RecordedBody::name);
  if (found == all.end()) {
    throw RecordError{fmt::format("{}: there is no body \"{}\"", path_.string(), name)};
  }
  if (!found->place) {
    throw RecordError{fmt::format("{}: body \"{}\" is static", path_.string(), name)};
  }
  return guarded([&] {
    std::vector<TrajectoryPoint> points;
    // A frame's states lie in the order of `place`: one seek a frame.
    Statement select = database_.prepare(fmt::format(
        "SELECT {}, f.time FROM frames f CROSS JOIN ({}) d ON d.id = f.first_state + ?1 "
        "WHERE ?1 < f.states ORDER BY f.frame",
        columnList(table("body_state_data")), this->select("body_state_data", "")));
    select.bind(1, *found->place);
    while (select.step()) {
      points.push_back({.time = readTime(select, 17), .state = readRow<BodyState>(select, 1)});
    }
    return points;
  });
}

std::uint64_t Reader::lastStep() {
  return guarded([&]() -> std::uint64_t {
    Statement select = database_.prepare("SELECT coalesce(max(step), 0) FROM steps");
    return select.step() ? static_cast<std::uint64_t>(select.integer(0)) : 0;
  });
}

void Reader::forEachStep(std::uint64_t first, const StepVisitor& visit) {
  guarded([&] {
    Statement select = database_.prepare(this->select("steps", "WHERE step >= ?1 ORDER BY step"));
    select.bind(1, static_cast<std::int64_t>(first));
    while (select.step() && visit(readStep(select))) {
    }
  });
}

std::optional<RecordedStep> Reader::step(std::uint64_t number) {
  return guarded([&]() -> std::optional<RecordedStep> {
    Statement select = database_.prepare(this->select("steps", "WHERE step = ?1"));
    select.bind(1, static_cast<std::int64_t>(number));
    if (!select.step()) return std::nullopt;
    return readStep(select);
  });
}

std::vector<RecordedEvent> Reader::events(std::uint64_t firstStep, std::uint64_t lastStep) {
  return guarded([&] {
    std::vector<RecordedEvent> result;
    Statement select =
        database_.prepare(this->select("events", "WHERE step >= ?1 AND step <= ?2 ORDER BY id"));
    select.bind(1, static_cast<std::int64_t>(firstStep));
    select.bind(2, static_cast<std::int64_t>(std::min<std::uint64_t>(
                       lastStep, std::numeric_limits<std::int64_t>::max())));
    while (select.step()) result.push_back(readEvent(select));
    return result;
  });
}

EventCursor Reader::allEvents() {
  return guarded([&] {
    return EventCursor{*this, database_.prepare(this->select("events", "ORDER BY id"))};
  });
}

bool EventCursor::next(RecordedEvent& event) {
  return reader_->guarded([&] {
    is_done_ = is_done_ || !select_.step();
    if (!is_done_) event = readEvent(select_);
    return !is_done_;
  });
}

std::optional<Reader::Snapshot> Reader::snapshot() {
  return guarded([&]() -> std::optional<Snapshot> {
    Statement select = database_.prepare("SELECT step, data, checksum FROM snapshot");
    if (!select.step()) return std::nullopt;
    const std::span<const std::byte> data = select.bytes(1);
    if (checksum(data) != select.integer(2)) damaged("the snapshot does not match its checksum");
    return Snapshot{.step = static_cast<std::uint64_t>(select.integer(0)),
                    .data = {data.begin(), data.end()}};
  });
}

}  // namespace msd_record
