// The same rows from every engine, after a stop, after a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "msd-record/src/RecordError.hpp"
#include "msd-study/src/Sweep.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_study::test {

namespace {

using ::testing::HasSubstr;

SweepProgress runWith(const Study& study, WorkerPool& pool, const std::filesystem::path& path,
                      bool resume = false, const SweepHooks& hooks = {}) {
  const auto file = resume ? ResultsFile::resume(path, study, {}) : ResultsFile::create(path, study, {});
  const SweepProgress progress = sweep(study, pool, *file, hooks);
  file->finish(progress.isComplete() ? "complete" : "stopped");
  return progress;
}

TEST(Sweep, threadsAndProcessesOfAnyNumberWriteTheSameRows) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  for (const std::size_t count : {1u, 3u}) {
    const auto processes = makeProcessWorkers(count, study->runners());
    const auto path = folder / ("processes" + std::to_string(count));
    EXPECT_EQ(runWith(*study, *processes, path).done, 12u);
  }
  for (const std::size_t count : {1u, 2u}) {
    const auto threads = makeThreadWorkers(count, study->runners());
    const SweepProgress progress = runWith(*study, *threads, folder / ("threads" + std::to_string(count)));
    EXPECT_EQ(progress.done, 12u);
    EXPECT_EQ(progress.notOk, 0u);
  }
  const auto rows = rowsOf(folder / "threads1");
  ASSERT_EQ(rows.size(), 24u);
  EXPECT_EQ(rowsOf(folder / "threads2"), rows);
  EXPECT_EQ(rowsOf(folder / "processes1"), rows);
  EXPECT_EQ(rowsOf(folder / "processes3"), rows);
}

TEST(Sweep, whatWasStoppedGoesOnWhereItWas) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  const auto whole = makeThreadWorkers(1, study->runners());
  (void)runWith(*study, *whole, folder / "whole");
  // A worker that waits for the first row to be written, so that the stop comes in the middle.
  std::atomic<bool> isStopped{false};
  const auto slow = makeThreadWorkers(1, [&]() -> CaseFunction {
    return [&, run = study->runners()()](const CaseOrder& order) {
      while (order.index == 3 && !isStopped) std::this_thread::yield();
      return run(order);
    };
  });
  SweepHooks hooks;
  std::uint64_t done = 0;
  hooks.onProgress = [&](const SweepProgress& progress) { done = progress.done; };
  hooks.isStopWanted = [&] { return done >= 3 && (isStopped = true); };
  const SweepProgress stopped = runWith(*study, *slow, folder / "part", false, hooks);
  EXPECT_FALSE(stopped.isComplete());
  EXPECT_EQ(stopped.done, 4u) << "the case under way is finished, no other is begun";
  const SweepProgress resumed = runWith(*study, *whole, folder / "part", true);
  EXPECT_EQ(resumed.before, 4u);
  EXPECT_EQ(resumed.done, 8u);
  EXPECT_EQ(rowsOf(folder / "part"), rowsOf(folder / "whole"));
}

/// Runs the study, but case 5 takes its process down: always, or the first time only.
MakeCaseFunction crashingRunners(const Study& study, const std::filesystem::path& onlyOnce) {
  return [&study, onlyOnce]() -> CaseFunction {
    return [onlyOnce, run = study.runners()()](const CaseOrder& order) {
      if (order.index == 5 && (onlyOnce.empty() || !std::filesystem::exists(onlyOnce))) {
        if (!onlyOnce.empty()) std::ofstream{onlyOnce} << "seen";
        ::raise(SIGKILL);
      }
      return run(order);
    };
  };
}

TEST(Sweep, aCaseThatCrashesIsARowAndTheOthersGoOn) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  const auto pool = makeProcessWorkers(2, crashingRunners(*study, {}));
  const SweepProgress progress = runWith(*study, *pool, folder / "crash");
  EXPECT_EQ(progress.done, 12u);
  EXPECT_EQ(progress.notOk, 1u);
  const auto rows = rowsOf(folder / "crash");
  EXPECT_THAT(rows[12 + 5], HasSubstr("results 5 crashed the process that ran it was ended by signal 9"));
}

TEST(Sweep, aWorkerThatIsKilledCostsNothing) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  const auto whole = makeThreadWorkers(1, study->runners());
  (void)runWith(*study, *whole, folder / "whole");
  const auto pool = makeProcessWorkers(2, crashingRunners(*study, folder / "flag"));
  EXPECT_EQ(runWith(*study, *pool, folder / "killed").notOk, 0u);
  EXPECT_EQ(rowsOf(folder / "killed"), rowsOf(folder / "whole"));
}

TEST(Sweep, aProcessThatHangsIsEndedAndItsCaseIsARow) {
  const auto study = smallStudy();
  const TemporaryFolder folder;
  const MakeCaseFunction make = [&]() -> CaseFunction {
    return [run = study->runners()()](const CaseOrder& order) {
      while (order.index == 2) ::pause();
      return run(order);
    };
  };
  const auto pool = makeProcessWorkers(2, make, 0.1);
  EXPECT_EQ(runWith(*study, *pool, folder / "late").done, 12u);
  EXPECT_THAT(rowsOf(folder / "late")[12 + 2], HasSubstr("results 2 time limit more than 0.1 s"));
}

}  // namespace

}  // namespace msd_study::test
