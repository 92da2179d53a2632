// A recording is proof of a run: simulating it again gives every bit, and a changed bit is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "msd-record/src/Reader.hpp"
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
