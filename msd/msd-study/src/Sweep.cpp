#include "msd-study/src/Sweep.hpp"

#include <thread>

namespace msd_study {

namespace {

using Clock = std::chrono::steady_clock;

/// Rows are committed at most this often, so that a flood of short cases is written in batches.
constexpr std::chrono::milliseconds kCommitInterval{5};
/// How long to wait for a result before the hooks are asked again.
constexpr std::chrono::milliseconds kPatience{100};

/// The cases that are still to be given out, in order.
class Queue {
 public:
  explicit Queue(std::vector<bool> done) : done_{std::move(done)} { skip(); }
  [[nodiscard]] bool isEmpty() const { return next_ == done_.size(); }
  std::uint64_t pop() {
    const std::uint64_t index = next_++;
    skip();
    return index;
  }

 private:
  void skip() {
    while (next_ < done_.size() && done_[next_]) ++next_;
  }
  std::vector<bool> done_;
  std::uint64_t next_{0};
};

void count(SweepProgress& progress, const CaseResult& result) {
  ++progress.done;
  progress.notOk += result.status == CaseStatus::kOk ? 0 : 1;
  progress.successes += result.success ? 1 : 0;
  progress.stepSeconds += result.stepSeconds;
}

}  // namespace

SweepProgress sweep(const Study& study, WorkerPool& pool, ResultsFile& file,
                    const SweepHooks& hooks) {
  const Clock::time_point start = Clock::now();
  std::vector<bool> done = file.done();
  SweepProgress progress{.cases = study.cases().size()};
  for (const bool isDone : done) progress.before += isDone ? 1 : 0;
  hooks.onProgress(progress);
  Queue queue{std::move(done)};
  bool isStopping = false;
  std::uint64_t underWay = 0;
  Clock::time_point committed = start;
  while (underWay > 0 || (!queue.isEmpty() && !isStopping)) {
    if (!isStopping && hooks.isStopWanted()) {
      isStopping = true;
      underWay = pool.recall();
      continue;
    }
    for (std::size_t room = pool.room(); room > 0 && !queue.isEmpty() && !isStopping; --room) {
      const std::uint64_t index = queue.pop();
      pool.give({.index = index, .values = study.cases().values(index)});
      ++underWay;
    }
    const std::vector<CaseResult> results = pool.take(kPatience);
    file.write(results);
    for (const CaseResult& result : results) count(progress, result);
    underWay -= results.size();
    progress.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    hooks.onProgress(progress);
    if (!results.empty() && !isStopping) std::this_thread::sleep_until(committed + kCommitInterval);
    committed = Clock::now();
  }
  progress.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return progress;
}

}  // namespace msd_study
