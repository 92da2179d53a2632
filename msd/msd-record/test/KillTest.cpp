// kill -9 at a random moment: what was committed is there, whole, and the run goes on bit for bit.
//
// MSD_CRASH_TRIALS sets the number of trials; the target record_crash_trials runs 200.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Recorder.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

namespace fs = std::filesystem;

constexpr int kDefaultTrials = 6;
/// The run is killed within this time [s] after its start, or after its first commit.
constexpr double kLatestKill = 0.3;
constexpr int kPatienceMilliseconds = 30'000;

int trials() {
  const char* wish = std::getenv("MSD_CRASH_TRIALS");
  return wish != nullptr ? std::max(1, std::atoi(wish)) : kDefaultTrials;
}

/// Records without end and tells, through the pipe, each step that it was told is committed.
[[noreturn]] void recordForever(const fs::path& path, const std::string& json, int pipe,
                                double commitSeconds) {
  SceneRun run{json};
  RecordOptions options = eager(1'000'000);
  options.commitSeconds = commitSeconds;
  Recorder recorder{path, run.loaded.document, run.scene, options};
  recorder.begin(run.scene.world);
  std::uint64_t told = 0;
  while (run.advance(recorder, 1)) {
    const std::uint64_t committed = recorder.progress().committedStep;
    if (committed == told) continue;
    told = committed;
    if (::write(pipe, &told, sizeof told) != sizeof told) break;
  }
  ::_exit(1);
}

struct Killed {
  std::uint64_t told{0};  ///< the last step the process was told is committed
};

Killed killWhileRecording(const fs::path& path, const std::string& json, double seconds,
                          double commitSeconds, bool afterFirstCommit) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error{"no pipe"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    recordForever(path, json, ends[1], commitSeconds);
  }
  ::close(ends[1]);
  pollfd first{.fd = ends[0], .events = POLLIN, .revents = 0};
  if (afterFirstCommit) ::poll(&first, 1, kPatienceMilliseconds);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the recorder ended by itself";
  Killed result;
  for (std::uint64_t step = 0; ::read(ends[0], &step, sizeof step) == sizeof step;) {
    result.told = step;
  }
  ::close(ends[0]);
  return result;
}

TEST(KillNine, losesNothingThatWasCommittedAndResumesBitForBit) {
  const std::string json = pileScene(24);
  std::mt19937_64 random{20240517};
  std::uniform_real_distribution<double> moment{0.0, kLatestKill};
  std::vector<std::string> hashes;  // of the run that nobody killed, step by step
  SceneRun reference{json};
  const auto hashAt = [&](std::uint64_t step) {
    while (hashes.size() < step) {
      reference.advance(1);
      hashes.push_back(reference.scene.world.stateHash().toString());
    }
    return hashes[step - 1];
  };
  int withSteps = 0;
  for (int trial = 0; trial < trials(); ++trial) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a.db";
    // The odd trials commit at every step, the even ones seldom.
    const Killed killed =
        killWhileRecording(path, json, moment(random), trial % 2 == 0 ? 0.05 : 0.0, trial % 4 != 3);
    std::uint64_t last = 0;
    try {
      Reader reader{path};
      Statement check = reader.database().prepare("PRAGMA integrity_check");
      ASSERT_TRUE(check.step());
      EXPECT_EQ(check.text(0), "ok");
      last = reader.lastStep();
      EXPECT_GE(last, killed.told) << "a committed step is lost";
      std::uint64_t count = 0;
      reader.forEachStep(1, [&](const RecordedStep& step) {
        EXPECT_EQ(step.report.step, ++count);
        return true;
      });
      EXPECT_EQ(count, last);
      std::int64_t frames = reader.frameCount();
      EXPECT_EQ(frames, count > 0 || frames > 0 ? static_cast<std::int64_t>(count) + 1 : 0);
      for (std::int64_t i = 0; i < frames; ++i) static_cast<void>(reader.frame(i));
      if (last > 0) {
        EXPECT_EQ(reader.step(last)->report.hash.toString(), hashAt(last));
      }
    } catch (const RecordError& error) {
      // Only a run that never got as far as its first commit may leave nothing to read.
      EXPECT_EQ(killed.told, 0u) << error.what();
      EXPECT_THAT(error.what(), testing::AnyOf(testing::HasSubstr("no file of this name"),
                                               testing::HasSubstr("the recording is empty")));
      continue;
    }
    withSteps += last > 0 ? 1 : 0;
    EXPECT_EQ(resumeUntil(path, last + 20), hashAt(last + 20));
    if (HasFailure()) FAIL() << "in trial " << trial;
  }
  EXPECT_GT(withSteps, 0) << "no trial lived long enough to commit a step";
}

}  // namespace
}  // namespace msd_record::test
