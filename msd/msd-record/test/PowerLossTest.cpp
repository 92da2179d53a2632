// The power goes: with --durable, every step that was told to be committed is there afterwards, and
// the run goes on bit for bit; without, the file is whole all the same.
#include <gtest/gtest.h>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Recorder.hpp"
#include "msd-record/test/PowerLossVfs.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 8;
constexpr std::uint64_t kSeeds = 6;

RecordOptions onThisDisk(const PowerLossVfs& power, bool durable) {
  RecordOptions options = eager(kSteps);
  options.vfs = power.name();
  options.durable = durable;
  return options;
}

/// Records until the power goes; returns the last step that was told to be committed.
std::uint64_t recordUntilLost(const fs::path& path, const PowerLossVfs& power, bool durable) {
  SceneRun run{kYard};
  try {
    Recorder recorder{path, run.loaded.document, run.scene, onThisDisk(power, durable)};
    recorder.begin(run.scene.world);
    run.advance(recorder, kSteps);
    static_cast<void>(recorder.finish(run.scene.world, "ok"));
    return recorder.progress().committedStep;
  } catch (const RecordError&) {
    return 0;  // it could not even begin
  }
}

/// The same, where the run is stopped halfway, closed and gone on with before the power goes.
std::uint64_t resumeUntilLost(const fs::path& path, const PowerLossVfs& power, bool durable) {
  SceneRun run{kYard};
  std::uint64_t committed = 0;
  try {
    for (const bool isFirst : {true, false}) {
      const RecordOptions options = onThisDisk(power, durable);
      const std::unique_ptr<Recorder> recorder =
          isFirst ? std::make_unique<Recorder>(path, run.loaded.document, run.scene, options)
                  : Recorder::resume(path, run.scene, options);
      if (isFirst) recorder->begin(run.scene.world);
      run.advance(*recorder, kSteps / 2);
      static_cast<void>(recorder->finish(run.scene.world, "ok"));
      committed = recorder->progress().committedStep;
      if (recorder->progress().failed) break;
    }
  } catch (const RecordError&) {
    // The second part could not begin: what the first committed counts.
  }
  return committed;
}

/// What the disk holds is a whole recording with these steps at least, or none where none were
/// promised. Returns the steps it has.
std::uint64_t requireWhole(const fs::path& path, std::uint64_t committed) {
  if (committed == 0) {
    try {
      if (!fs::exists(path) || !Reader{path}.snapshot()) return 0;
    } catch (const RecordError& error) {
      // The power went while it was made. A file that was made is whole.
      EXPECT_EQ(std::string{error.what()}.find("malformed"), std::string::npos) << error.what();
      return 0;
    }
  }
  Reader reader{path};
  Statement check = reader.database().prepare("PRAGMA integrity_check");
  EXPECT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
  const std::uint64_t last = reader.lastStep();
  EXPECT_GE(last, committed);
  for (std::int64_t i = 0; i < reader.frameCount(); ++i) static_cast<void>(reader.frame(i));
  const auto snapshot = reader.snapshot();
  EXPECT_EQ(snapshot ? snapshot->step : 0u, last);
  return last;
}

using Run = std::uint64_t(const fs::path&, const PowerLossVfs&, bool durable);

/// Loses the power at every call that changes the disk, and after the last one.
void loseEverywhere(Run& run, bool durable) {
  PowerLossVfs power;
  const std::string expected = hashAfter(kYard, kSteps);
  int losses = 0;
  for (int n = 1;; n += n > 60 ? 4 : 1) {
    const TemporaryFolder folder;
    power.loseAt(n);
    const std::uint64_t committed = run(folder / "a.db", power, durable);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const TemporaryFolder after;
      power.writeDisk(after.path(), seed);
      const fs::path path = after / "a.db";
      try {
        const std::uint64_t there = requireWhole(path, durable ? committed : 0);
        if (there > 0) {
          EXPECT_EQ(resumeUntil(path, kSteps), expected);
        }
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      if (testing::Test::HasFailure()) FAIL() << "at call " << n << ", seed " << seed;
    }
    if (!power.isLost()) break;
    ++losses;
  }
  EXPECT_GT(losses, 40);
}

TEST(PowerLoss, losesNothingThatWasCommittedDurably) {
  loseEverywhere(recordUntilLost, true);
}

TEST(PowerLoss, leavesAWholeFileWithoutThat) {
  loseEverywhere(recordUntilLost, false);
}

TEST(PowerLoss, losesNothingOfARunThatWasGoneOnWith) {
  loseEverywhere(resumeUntilLost, true);
}

TEST(PowerLoss, leavesAWholeFileOfARunThatWasGoneOnWith) {
  loseEverywhere(resumeUntilLost, false);
}

}  // namespace
}  // namespace msd_record::test
