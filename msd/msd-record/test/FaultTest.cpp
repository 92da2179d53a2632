// What goes wrong leaves a file that is whole, and says what went wrong.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "msd-record/src/OpenRecording.hpp"
#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Recorder.hpp"
#include "msd-record/test/FailingVfs.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kSteps = 12;

std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const RecordError& error) {
    return error.what();
  }
  return "no error";
}

std::string readingMessage(const fs::path& path) {
  return messageOf([&] { const Reader reader{path}; });
}

/// Every committed step and frame is there, whole and right.
void expectWhole(const fs::path& path, std::uint64_t committed) {
  Reader reader{path};
  Statement check = reader.database().prepare("PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
  EXPECT_GE(reader.lastStep(), committed);
  std::uint64_t count = 0;
  reader.forEachStep(1, [&](const RecordedStep& step) {
    EXPECT_EQ(step.report.step, ++count);
    return true;
  });
  for (std::int64_t i = 0; i < reader.frameCount(); ++i) {
    EXPECT_NO_THROW(static_cast<void>(reader.frame(i)));
  }
  const auto snapshot = reader.snapshot();
  EXPECT_EQ(snapshot ? snapshot->step : 0u, count);
}

struct Disk {
  FailingVfs::Fault fault;
  bool persistent;
};

class FaultyDisk : public testing::TestWithParam<Disk> {};

/// The n-th write or sync fails, for every n there is.
TEST_P(FaultyDisk, leavesAFileThatIsWholeAndCanBeResumed) {
  FailingVfs disk;
  const std::string expected = hashAfter(kYard, kSteps);
  int failures = 0;
  for (int n = 1;; ++n) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a.db";
    SceneRun run{kYard};
    RecordOptions options = eager(kSteps);
    options.vfs = disk.name();
    options.durable = true;  // sync at every commit
    disk.failAt(n, GetParam().fault, GetParam().persistent);
    bool isMade = false;
    std::uint64_t committed = 0;
    bool isGood = false;
    try {
      Recorder recorder{path, run.loaded.document, run.scene, options};
      isMade = true;
      isGood = recorder.begin(run.scene.world) && run.advance(recorder, kSteps);
      isGood = recorder.finish(run.scene.world, "ok") && isGood;
      committed = recorder.progress().committedStep;
      if (!isGood) {
        EXPECT_THAT(recorder.progress().error, HasSubstr("steps up to"));
        EXPECT_THAT(recorder.progress().error, HasSubstr(path.string()));
      }
    } catch (const RecordError& error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot write"));
    }
    const bool isOver = disk.calls() < n;
    disk.neverFail();
    if (isMade) {
      expectWhole(path, committed);
      EXPECT_EQ(resumeUntil(path, kSteps), expected);
    } else {
      EXPECT_FALSE(fs::exists(path)) << "left behind a file it could not make";
    }
    if (HasFailure()) FAIL() << "at call " << n;
    if (!isGood) ++failures;
    if (isOver) break;
    if (n > 60) n += 6;  // after the beginning, calls repeat
  }
  EXPECT_GT(failures, 5);  // measured 7 at least
}

INSTANTIATE_TEST_SUITE_P(Recorder, FaultyDisk,
                         testing::Values(Disk{FailingVfs::Fault::kFull, true},
                                         Disk{FailingVfs::Fault::kFull, false},
                                         Disk{FailingVfs::Fault::kShortWrite, true},
                                         Disk{FailingVfs::Fault::kShortWrite, false},
                                         Disk{FailingVfs::Fault::kWriteError, true},
                                         Disk{FailingVfs::Fault::kWriteError, false},
                                         Disk{FailingVfs::Fault::kSyncError, true},
                                         Disk{FailingVfs::Fault::kSyncError, false}));

/// A log that cannot be cut is left behind; the recording is whole all the same.
TEST(Recorder, survivesADiskThatCannotCutFiles) {
  FailingVfs disk;
  const TemporaryFolder folder;
  SceneRun run{kYard};
  RecordOptions options = eager(kSteps);
  options.vfs = disk.name();
  disk.failAt(1, FailingVfs::Fault::kTruncateError, true);
  {
    Recorder recorder{folder / "a.db", run.loaded.document, run.scene, options};
    recorder.begin(run.scene.world);
    run.advance(recorder, kSteps);
    static_cast<void>(recorder.finish(run.scene.world, "ok"));
  }
  disk.neverFail();
  expectWhole(folder / "a.db", kSteps);
}

TEST(Recorder, namesTheDiskThatIsFull) {
  FailingVfs disk;
  const TemporaryFolder folder;
  SceneRun run{kYard};
  RecordOptions options = eager(50);
  options.vfs = disk.name();
  Recorder recorder{folder / "a.db", run.loaded.document, run.scene, options};
  disk.failAt(1, FailingVfs::Fault::kFull, true);
  recorder.begin(run.scene.world);
  for (int i = 0; i < 50; ++i) run.advance(recorder, 1);  // the simulation may go on
  EXPECT_EQ(run.scene.world.stepCount(), 50u);
  EXPECT_FALSE(recorder.finish(run.scene.world, "ok"));
  EXPECT_THAT(recorder.progress().error, HasSubstr("the disk is full"));
}

TEST(Recorder, neverOverwritesWithoutBeingTold) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 5);
  SceneRun run{kYard};
  const auto make = [&](const std::string& name, bool force) {
    RecordOptions options = eager(5);
    options.force = force;
    return messageOf(
        [&] { const Recorder recorder{folder / name, run.loaded.document, run.scene, options}; });
  };
  EXPECT_THAT(make("a.db", false), HasSubstr("it exists; --force replaces it"));
  EXPECT_EQ(Reader{folder / "a.db"}.lastStep(), 5u);
  EXPECT_EQ(make("a.db", true), "no error");

  std::ofstream{folder / "letter.txt"} << "dear reader";
  EXPECT_THAT(make("letter.txt", true), HasSubstr("no recording that --force may replace"));
  EXPECT_EQ(fs::file_size(folder / "letter.txt"), 11u);
  EXPECT_THAT(make("", true), HasSubstr("it is a directory"));
  EXPECT_THAT(make("no/such/folder.db", false), HasSubstr("No such file"));
  std::ofstream{folder / "gone.db-wal"} << "log";
  EXPECT_THAT(make("gone.db", false), HasSubstr("main file is gone"));
  fs::create_symlink("nowhere", folder / "link.db");
  EXPECT_THAT(make("link.db", false), HasSubstr("cannot write"));
}

TEST(Recorder, refusesASecondWriter) {
  const TemporaryFolder folder;
  SceneRun run{kYard};
  Recorder recorder{folder / "a.db", run.loaded.document, run.scene, eager(50)};
  recorder.begin(run.scene.world);
  EXPECT_THAT(messageOf([&] {
                const auto second = Recorder::resume(folder / "a.db", run.scene, eager(50));
              }),
              HasSubstr("another process is recording"));
  RecordOptions options = eager(50);
  options.force = true;
  while (recorder.progress().frames == 0) {
  }
  EXPECT_THAT(messageOf([&] {
                const Recorder second{folder / "a.db", run.loaded.document, run.scene, options};
              }),
              HasSubstr("another process is recording"));
  EXPECT_TRUE(run.advance(recorder, 5));
  EXPECT_TRUE(recorder.finish(run.scene.world, "ok"));
}

TEST(Recorder, saysThatAFolderIsReadOnly) {
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    // Permissions do not bind the superuser.
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
    SceneRun run{kYard};
    const std::string message = messageOf([&] {
      const Recorder recorder{folder / "a.db", run.loaded.document, run.scene, eager(5)};
    });
    ::_exit(message.find("Permission denied") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Recorder, endsWhenBodiesComeOrGo) {
  const TemporaryFolder folder;
  SceneRun run{kYard};
  Recorder recorder{folder / "a.db", run.loaded.document, run.scene, eager(50)};
  recorder.begin(run.scene.world);
  run.advance(recorder, 3);
  run.scene.world.spawn(
      msd_sim::InertialDescription{.shape = msd_sim::Sphere{0.1}, .position = {0, 0, 9}});
  EXPECT_FALSE(run.advance(recorder, 1));
  EXPECT_THAT(recorder.progress().error, HasSubstr("bodies or joints were added or removed"));
}

TEST(Reader, saysWhatAFileIsInsteadOfARecording) {
  const TemporaryFolder folder;
  EXPECT_THAT(readingMessage(folder / "none.db"), HasSubstr("found no file of this name"));
  EXPECT_THAT(readingMessage(folder.path()), HasSubstr("found a directory"));
  std::ofstream{folder / "empty.db"};
  EXPECT_THAT(readingMessage(folder / "empty.db"), HasSubstr("the recording is empty"));
  std::ofstream{folder / "text.db"} << "this is not a database at all";
  EXPECT_THAT(readingMessage(folder / "text.db"), HasSubstr("a file of another kind"));
  Database{(folder / "other.db").string(), OpenMode::kCreate}.execute("CREATE TABLE t(x)");
  EXPECT_THAT(readingMessage(folder / "other.db"), HasSubstr("SQLite file of another program"));
}

TEST(Reader, refusesNewerSchemasAndForeignTables) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 3);
  const auto changed = [&](const std::string& sql) {
    fs::copy_file(folder / "a.db", folder / "b.db", fs::copy_options::overwrite_existing);
    Database{(folder / "b.db").string(), OpenMode::kWrite}.execute(sql);
    return readingMessage(folder / "b.db");
  };
  EXPECT_THAT(changed("PRAGMA user_version = 5"),
              HasSubstr("schema 5, this msd reads schemas 1 to 4; it was written by a newer msd"));
  EXPECT_THAT(changed("DROP TABLE steps"),
              HasSubstr("table steps is not that of a recording: it is missing"));
  EXPECT_THAT(
      changed("DROP TABLE steps; CREATE VIEW steps AS WITH RECURSIVE c(x) AS (SELECT 1 UNION "
              "ALL SELECT x + 1 FROM c) SELECT x FROM c"),
      HasSubstr("table steps is not that of a recording: it has no rows of its own"));
  EXPECT_EQ(changed("ANALYZE"), "no error");
}

TEST(Reader, noticesFramesThatWereTamperedWith) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 3);
  Database{(folder / "a.db").string(), OpenMode::kWrite}.execute(
      "UPDATE body_state_data SET x = x + 1e-15 WHERE id = 5");
  Reader reader{folder / "a.db"};
  EXPECT_NO_THROW(static_cast<void>(reader.frame(0)));
  EXPECT_THAT(messageOf([&] { static_cast<void>(reader.frame(1)); }),
              HasSubstr("frame 1 does not match its checksum"));
  EXPECT_THAT(messageOf([&] { static_cast<void>(reader.frame(99)); }),
              HasSubstr("there is no frame 99; frames run from 0 to 3"));
}

TEST(Reader, opensAFinishedRecordingInAReadOnlyFolder) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 3);
  ::chmod((folder / "a.db").c_str(), 0444);
  ::chmod(folder.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
    ::_exit(readingMessage(folder / "a.db") == "no error" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace msd_record::test
