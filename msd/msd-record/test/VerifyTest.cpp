// A recording is proof of a run: simulating it again gives every bit, and a changed bit is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "msd-record/src/ReadRows.hpp"
#include "msd-record/src/Verify.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

using testing::HasSubstr;

class Verify : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "a.db"; }
  void change(const std::string& sql) const {
    Database{path().string(), OpenMode::kWrite}.execute(sql);
  }
  /// Moves one number of one row of a frame, and makes the frame's checksum fit again.
  void forge(std::int64_t frame, std::size_t row, std::size_t number, double by) const {
    Frame forged = Reader{path()}.frame(frame);
    forged.states.at(row).numbers.at(number) += by;
    const std::span<const ContactRow> contacts{forged.contacts};
    const auto active = static_cast<std::size_t>(forged.entry.contacts);
    const std::int64_t sum =
        checksum(forged.states, contacts.first(active), contacts.subspan(active), forged.reactions);
    Database database{path().string(), OpenMode::kWrite};
    const char* names[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                           "vx", "vy", "vz", "wx", "wy", "wz"};
    database
        .prepare(std::string{"UPDATE body_state_data SET "} + names[number] + " = ?1 WHERE id = ?2")
        .bind(1, forged.states[row].numbers[number])
        .bind(2, forged.entry.firstState + static_cast<std::int64_t>(row))
        .run();
    database.prepare("UPDATE frames SET checksum = ?1 WHERE frame = ?2")
        .bind(1, sum)
        .bind(2, frame)
        .run();
  }
  /// Makes a frame's checksum fit its rows, as a forger would.
  void mendChecksum(std::int64_t frame) const {
    change("UPDATE frames SET checksum = " + std::to_string(sumOf(frame)) +
           " WHERE frame = " + std::to_string(frame));
  }
  /// Of the rows as they are.
  [[nodiscard]] std::int64_t sumOf(std::int64_t frame) const {
    Reader reader{path()};
    const FrameEntry e = reader.frameEntries().at(static_cast<std::size_t>(frame));
    const auto states = rowsOf<BodyState>(reader, "body_state_data", e.firstState, e.states);
    const auto active = rowsOf<ContactRow>(reader, "contact_data", e.firstContact, e.contacts);
    const auto resting = rowsOf<ContactRow>(reader, "contact_data", e.firstResting, e.resting);
    const auto reactions =
        rowsOf<ReactionRow>(reader, "joint_reaction_data", e.firstReaction, e.reactions);
    return checksum(states, active, resting, reactions);
  }
  template <class Row>
  static std::vector<Row> rowsOf(Reader& reader, std::string_view table, std::int64_t first,
                                 std::int64_t count) {
    std::vector<Row> rows;
    Statement select = reader.database().prepare(
        reader.select(table, "WHERE id >= ?1 AND id < ?2 ORDER BY id"));
    select.bind(1, first).bind(2, first + count);
    while (select.step()) rows.push_back(readRow<Row>(select, 1));
    return rows;
  }
  [[nodiscard]] VerifyResult verifyIt(std::optional<int> threads = {}) const {
    Reader reader{path()};
    return verify(reader, {.threads = threads});
  }
  TemporaryFolder folder_;
};

TEST_F(Verify, findsTheSameBitsForAnyNumberOfThreads) {
  record(path(), kYard, 120, 5);
  for (const int threads : {1, 2, 3}) {
    const VerifyResult result = verifyIt(threads);
    EXPECT_FALSE(result.difference) << describe(*result.difference);
    EXPECT_EQ(result.steps, 120u);
    EXPECT_EQ(result.frames, 25u);
  }
}

TEST_F(Verify, findsAResumedRunToBeTheSameRun) {
  record(path(), kYard, 60, 5);
  resumeUntil(path(), 130);
  const VerifyResult result = verifyIt();
  EXPECT_FALSE(result.difference) << describe(*result.difference);
  EXPECT_EQ(result.steps, 130u);
}

TEST_F(Verify, namesTheBodyWhoseStateIsAnother) {
  record(path(), kYard, 60);
  forge(40, 1, 2, 1e-12);  // the ball's height
  const VerifyResult result = verifyIt();
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->step, 40u);
  EXPECT_EQ(result.difference->body, "ball");
  EXPECT_EQ(result.difference->bodyQuantity, "z [m]");
  EXPECT_THAT(describe(*result.difference),
              HasSubstr("step 40 differs: state; body \"ball\" there: z"));
}

TEST_F(Verify, namesTheStepWhoseHashOrEnergyIsAnother) {
  record(path(), kYard, 60);
  change("UPDATE steps SET friction_work = friction_work * (1 + 1e-15) - 1e-9 WHERE step = 17");
  VerifyResult result = verifyIt();
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->step, 17u);
  EXPECT_EQ(result.difference->quantity, "friction_work");
  change(
      "UPDATE steps SET hash = replace(hash, substr(hash, 1, 1), "
      "CASE substr(hash, 1, 1) WHEN 'a' THEN 'b' ELSE 'a' END) WHERE step = 12");
  result = verifyIt();
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->step, 12u);
  EXPECT_EQ(result.difference->quantity, "hash");
}

/// Whatever is changed or taken away is noticed, and named.
TEST_F(Verify, comparesEverythingARecordingHolds) {
  const std::vector<std::pair<std::string, std::string>> changes{
      {"DELETE FROM events", "events was 0"},
      {"DELETE FROM events WHERE id = (SELECT max(id) FROM events)", "events was"},
      {"UPDATE events SET body_a = body_b WHERE id = 1", "event body_a was"},
      {"UPDATE events SET kind = 'end' WHERE kind = 'begin'", "event kind was end, is begin"},
      {"UPDATE events SET px = px + 1e-12 WHERE id = 1", "event px [m] was"},
      {"INSERT INTO events SELECT NULL, 61, kind, body_a, body_b, px, py, pz, nx, ny, nz, "
       "approach_speed FROM events LIMIT 1",
       "events was one of step 61, is none"},
      {"UPDATE steps SET contacts = contacts + 1 WHERE step = 9", "step 9 differs: contacts was"},
      {"UPDATE steps SET guarded_islands = 7 WHERE step = 9", "guarded_islands was 7"},
      {"UPDATE steps SET status = 'degraded' WHERE step = 9", "status was degraded, is ok"},
      {"UPDATE steps SET faults = 'torn joint' WHERE step = 9", "faults was torn joint"},
      {"DELETE FROM steps WHERE step > 50; DELETE FROM events WHERE step > 50;"
       "DELETE FROM frames WHERE step > 50",
       "steps was 50, is 60 asked for"},
      {"DELETE FROM steps WHERE step = 20", "step was 21, is 20"},
      {"DELETE FROM frames WHERE frame = 60", "step 60 differs: frame was missing"},
      {"DELETE FROM frames WHERE frame = 7", "step 7 differs: frame was missing"},
      {"UPDATE frames SET time = time + 1e-9 WHERE frame = 7", "time of the frame [s] was"},
      {"DELETE FROM snapshot", "snapshot was missing"},
      {"UPDATE bodies SET mass = mass * 2 WHERE name = 'ball'", "bodies.mass of row 2 was"},
      {"UPDATE joints SET body_b = 1", "joints.body_b of row 0 was 1, is 3"},
      {"UPDATE shapes SET volume = 1 WHERE name = 'ball'", "shapes.volume of row 2 was"},
      {"UPDATE settings SET value = 9 WHERE name = 'iterations'", "settings \"iterations\" was 9"},
      {"DELETE FROM settings WHERE name = 'sleeping'", "settings \"sleeping\" was missing"},
      {"UPDATE about SET value = 0.02 WHERE key = 'dt'", "about \"dt\" was 0.02"}};
  record(folder_ / "whole.db", kYard, 60);
  for (const auto& [sql, message] : changes) {
    std::filesystem::copy_file(folder_ / "whole.db", path(),
                               std::filesystem::copy_options::overwrite_existing);
    change(sql);
    const VerifyResult result = verifyIt();
    ASSERT_TRUE(result.difference) << sql;
    EXPECT_THAT(describe(*result.difference), HasSubstr(message)) << sql;
  }
}

/// Whole numbers of rows are compared as well; the frame's checksum is made to fit.
TEST_F(Verify, comparesTheWholeNumbersOfRows) {
  record(folder_ / "whole.db", kYard, 60);
  const std::vector<std::pair<std::string, std::string>> changes{
      {"UPDATE body_state_data SET awake = 0 WHERE id = {state}", "awake was 0, is 1"},
      {"UPDATE contact_data SET feature = feature + 1 WHERE id = {contact}", "feature was"},
      {"UPDATE contact_data SET state = 3 - state WHERE id = {contact}", "state was"},
      {"UPDATE joint_reaction_data SET broken = 1 WHERE id = {reaction}", "broken was 1, is 0"}};
  for (auto [sql, message] : changes) {
    std::filesystem::copy_file(folder_ / "whole.db", path(),
                               std::filesystem::copy_options::overwrite_existing);
    const FrameEntry entry = Reader{path()}.frameEntries().at(40);
    for (const auto& [mark, id] :
         {std::pair{"{state}", entry.firstState}, std::pair{"{contact}", entry.firstContact},
          std::pair{"{reaction}", entry.firstReaction}}) {
      if (const auto at = sql.find(mark); at != std::string::npos) {
        sql.replace(at, std::string_view{mark}.size(), std::to_string(id));
      }
    }
    change(sql);
    for (std::int64_t frame = 0; frame <= 60; ++frame) mendChecksum(frame);
    const VerifyResult result = verifyIt();
    ASSERT_TRUE(result.difference) << sql;
    EXPECT_THAT(describe(*result.difference), HasSubstr(message)) << sql;
  }
}

/// A scene that is not the one that was recorded: the run differs at once, and the frames say
/// where.
TEST_F(Verify, namesStepAndBodyWhenTheRunItselfIsAnother) {
  record(path(), kYard, 60, 10);
  change(
      R"(UPDATE scene SET json = replace(json, '"linearVelocity": [1, 0.2, 0]', '"linearVelocity": [1, 0.3, 0]'))");
  change("UPDATE frames SET states = 0, contacts = 0, resting = 0, reactions = 0, checksum = " +
         std::to_string(checksum({}, {}, {}, {})) + " WHERE frame = 0");
  const VerifyResult result = verifyIt();
  ASSERT_TRUE(result.difference);
  EXPECT_LE(result.difference->step, 1u);
}

}  // namespace
}  // namespace msd_record::test
