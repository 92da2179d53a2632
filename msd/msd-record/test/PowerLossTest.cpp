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

/// Records until the power goes; returns the last step that was told to be committed.
std::uint64_t recordUntilLost(const fs::path& path, const PowerLossVfs& power, bool durable) {
  SceneRun run{kYard};
  RecordOptions options = eager(kSteps);
  options.vfs = power.name();
  options.durable = durable;
  try {
    Recorder recorder{path, run.loaded.document, run.scene, options};
    recorder.begin(run.scene.world);
    run.advance(recorder, kSteps);
    static_cast<void>(recorder.finish(run.scene.world, "ok"));
    return recorder.progress().committedStep;
  } catch (const RecordError&) {
    return 0;  // it could not even begin
  }
}

/// What the disk holds is a whole recording with these steps at least, or none where none were
/// promised. Returns the steps it has.
std::uint64_t requireWhole(const fs::path& path, std::uint64_t committed) {
  if (!fs::exists(path) || committed == 0) {
    EXPECT_EQ(committed, 0u) << "the file is gone";
    try {
      return fs::exists(path) ? Reader{path}.lastStep() : 0;
    } catch (const RecordError&) {
      return 0;  // the power went while it was made
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

void loseEverywhere(bool durable) {
  PowerLossVfs power;
  const std::string expected = hashAfter(kYard, kSteps);
  int losses = 0;
  for (int n = 1;; n += n > 40 ? 5 : 1) {
    const TemporaryFolder folder;
    power.loseAt(n);
    const std::uint64_t committed = recordUntilLost(folder / "a.db", power, durable);
    if (!power.isLost()) break;
    ++losses;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}}) {
      const TemporaryFolder after;
      power.writeDisk(after.path(), seed);
      const fs::path path = after / "a.db";
      const std::uint64_t there = requireWhole(path, durable ? committed : 0);
      if (there > 0) {
        EXPECT_EQ(resumeUntil(path, kSteps), expected);
      }
      if (testing::Test::HasFailure()) FAIL() << "at call " << n << ", seed " << seed;
    }
  }
  EXPECT_GT(losses, 30);
}

TEST(PowerLoss, losesNothingThatWasCommittedDurably) {
  loseEverywhere(true);
}

TEST(PowerLoss, leavesAWholeFileWithoutThat) {
  loseEverywhere(false);
}

}  // namespace
}  // namespace msd_record::test
