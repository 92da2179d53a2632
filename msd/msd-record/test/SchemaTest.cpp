// The columns of a recording hold what their names say, whatever schema the file has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/StepColumns.hpp"
#include "msd-record/src/Verify.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A report in which every number is another.
msd_sim::StepReport distinctReport() {
  msd_sim::StepReport report;
  double next = 1.0;
  for (const StepColumn& column : stepColumns()) {
    if (column.real != nullptr) column.real(report) = next;
    if (column.count != nullptr) column.count(report) = static_cast<std::uint32_t>(next);
    if (column.largeCount != nullptr)
      column.largeCount(report) = (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(next);
    next += 1.0;
  }
  return report;
}

TEST(StepColumns, holdTheTimeOfTheStageTheyAreNamedAfter) {
  msd_sim::StepReport report = distinctReport();
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    const std::string name =
        "wall_" + std::string{msd_sim::stageName(static_cast<msd_sim::Stage>(i))};
    const auto column = std::ranges::find(stepColumns(), std::string_view{name},
                                          [](const StepColumn& c) { return c.column.name; });
    ASSERT_NE(column, stepColumns().end()) << name;
    EXPECT_EQ(&column->real(report), &report.stageSeconds[i]) << name;
    EXPECT_TRUE(column->isTime);
  }
}

TEST(StepColumns, areOnePlaceEachAndHoldTheWholeCertificateAndLedger) {
  msd_sim::StepReport report;
  std::set<const void*> places;
  std::size_t numbers = 0;
  for (const StepColumn& column : stepColumns()) {
    if (column.real != nullptr) places.insert(&column.real(report));
    if (column.count != nullptr) places.insert(&column.count(report));
    if (column.largeCount != nullptr) places.insert(&column.largeCount(report));
    numbers +=
        column.real != nullptr || column.count != nullptr || column.largeCount != nullptr ? 1 : 0;
  }
  EXPECT_EQ(places.size(), numbers);
  const auto* certificate = reinterpret_cast<const double*>(&report.certificate);
  for (std::size_t i = 0; i < sizeof report.certificate / sizeof(double); ++i) {
    EXPECT_TRUE(places.contains(certificate + i)) << "entry " << i << " of the certificate";
  }
  const auto* ledger = reinterpret_cast<const double*>(&report.energy);
  for (std::size_t i = 0; i < sizeof report.energy / sizeof(double); ++i) {
    EXPECT_TRUE(places.contains(ledger + i)) << "entry " << i << " of the ledger";
  }
}

/// What is written under a name is read back under it, by SQL and by the reader.
TEST(StepColumns, areWrittenAndReadBack) {
  const TemporaryFolder folder;
  SceneRun run{kYard};
  Recorder recorder{folder / "a.db", run.loaded.document, run.scene, eager(1)};
  recorder.begin(run.scene.world);
  static_cast<void>(run.scene.advance());
  msd_sim::StepReport report = distinctReport();
  report.step = 1;
  report.blame(msd_sim::StepFault::kTornJoint);
  report.blame(msd_sim::StepFault::kNotConverged);
  ASSERT_TRUE(recorder.step(run.scene.world, report, 0.5));
  ASSERT_TRUE(recorder.finish(run.scene.world, "degraded"));
  Reader reader{folder / "a.db"};
  RecordedStep read = *reader.step(1);
  EXPECT_EQ(read.report.status, msd_sim::StepStatus::kDegraded);
  EXPECT_EQ(read.report.faults, report.faults);
  EXPECT_EQ(read.wall, 0.5);
  for (const StepColumn& column : stepColumns()) {
    Statement ask = reader.database().prepare("SELECT " + std::string{column.column.name} +
                                              " FROM steps WHERE step = 1");
    ASSERT_TRUE(ask.step());
    if (column.real != nullptr) {
      EXPECT_EQ(ask.real(0), column.real(report)) << column.column.name;
      EXPECT_EQ(column.real(read.report), column.real(report)) << column.column.name;
    }
    if (column.count != nullptr) {
      EXPECT_EQ(ask.integer(0), column.count(report)) << column.column.name;
      EXPECT_EQ(column.count(read.report), column.count(report)) << column.column.name;
    }
    if (column.largeCount != nullptr) {
      EXPECT_EQ(ask.integer(0), static_cast<std::int64_t>(column.largeCount(report)))
          << column.column.name;
      EXPECT_EQ(column.largeCount(read.report), column.largeCount(report)) << column.column.name;
    }
  }
}

/// A recording of schema 1, made by msd 0.1.0: 20 steps of the yard.
fs::path oldRecording() {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  if (source == nullptr) throw std::runtime_error{"MSD_SOURCE_DIR is not set: run through ctest"};
  return fs::path{source} / "msd/msd-record/test/recordings/schema-1.db";
}

TEST(OldRecording, opensAndHoldsWhatItHeld) {
  const TemporaryFolder folder;
  fs::copy_file(oldRecording(), folder / "old.db");
  Reader reader{folder / "old.db"};
  EXPECT_EQ(reader.schema(), 1);
  EXPECT_EQ(reader.fact("version"), "0.1.0");
  EXPECT_EQ(reader.lastStep(), 20u);
  EXPECT_EQ(reader.frameCount(), 21);
  const RecordedStep last = *reader.step(20);
  EXPECT_EQ(last.report.status, msd_sim::StepStatus::kOk);
  EXPECT_TRUE(last.report.faults.isEmpty());
  EXPECT_EQ(last.report.tornJoints, 0u);
  EXPECT_TRUE(std::isnan(last.report.certificate.velocityError));
  // Its columns of these two stages stand under each other's name.
  Statement ask =
      reader.database().prepare("SELECT wall_rows, wall_islands FROM steps WHERE step = 20");
  ASSERT_TRUE(ask.step());
  const auto seconds = [&](msd_sim::Stage s) {
    return last.report.stageSeconds[static_cast<std::size_t>(s)];
  };
  EXPECT_EQ(seconds(msd_sim::Stage::kIslands), ask.real(0));
  EXPECT_EQ(seconds(msd_sim::Stage::kRows), ask.real(1));
  // Free fall of the ball from 2 m for 0.2 s.
  EXPECT_NEAR(reader.frame(20).states[1].position().z(), 2.0 - 0.5 * 9.81 * 0.04, 0.02);
  EXPECT_GT(reader.scene().document.bodies.size(), 3u);
}

/// The upgrade of a file that goes on: columns are added, and those that changed their meaning are
/// put right.
TEST(OldRecording, becomesOneOfTodayWhereItGoesOn) {
  const TemporaryFolder folder;
  fs::copy_file(oldRecording(), folder / "old.db");
  msd_sim::StepReport before = Reader{folder / "old.db"}.step(20)->report;
  SceneRun run{kYard};
  run.advance(20);  // the bits of another engine do not matter here
  {
    const auto recorder = Recorder::resume(folder / "old.db", run.scene, eager(25));
    ASSERT_TRUE(run.advance(*recorder, 5));
    ASSERT_TRUE(recorder->finish(run.scene.world, "ok"));
  }
  Reader reader{folder / "old.db"};
  EXPECT_EQ(reader.schema(), kSchemaVersion);
  EXPECT_EQ(reader.lastStep(), 25u);
  EXPECT_EQ(reader.fact("end"), "completed");
  msd_sim::StepReport after = reader.step(20)->report;
  for (const StepColumn& column : stepColumns()) {
    if (column.real == nullptr) continue;
    const double a = column.real(before), b = column.real(after);
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << column.column.name;
  }
  EXPECT_EQ(after.status, before.status);
}

/// Comments of a schema are for people: rewording one changes nothing.
TEST(Schema, mayBeReworded) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 5);
  Database{(folder / "a.db").string(), OpenMode::kWrite}.execute(
      "PRAGMA writable_schema = ON;"
      "UPDATE sqlite_schema SET sql = replace(sql, 'simulated', 'made up') WHERE name = 'steps'");
  EXPECT_EQ(Reader{folder / "a.db"}.lastStep(), 5u);
}

TEST(Schema, ofAForgedFileIsRefused) {
  const TemporaryFolder folder;
  record(folder / "whole.db", kYard, 5);
  const std::vector<std::pair<std::string, std::string>> forgeries{
      {"ALTER TABLE events RENAME TO e; CREATE VIEW events AS SELECT * FROM e",
       "table events is not that of a recording: it has no rows of its own"},
      {"DROP TABLE joints", "table joints is not that of a recording: it is missing"},
      {"ALTER TABLE steps DROP COLUMN residual", "column residual is missing"},
      {"ALTER TABLE about RENAME TO a; CREATE TABLE about (key, value AS (key), unit)",
       "column value is computed"},
      {"DROP TABLE frames; CREATE TABLE frames (frame TEXT, step, time, first_state, states, "
       "first_contact, contacts, first_resting, resting, first_reaction, reactions, checksum)",
       "column frame is not its key"},
      {"PRAGMA user_version = 99", "schema 99"},
      {"PRAGMA user_version = 0", "schema 0"}};
  for (const auto& [sql, message] : forgeries) {
    fs::copy_file(folder / "whole.db", folder / "b.db", fs::copy_options::overwrite_existing);
    Database{(folder / "b.db").string(), OpenMode::kWrite}.execute(sql);
    try {
      Reader reader{folder / "b.db"};
      FAIL() << sql;
    } catch (const RecordError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace msd_record::test
