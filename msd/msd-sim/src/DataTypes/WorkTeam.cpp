#include "msd-sim/src/DataTypes/WorkTeam.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace msd_sim {

namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Looks at a counter before a waiting thread offers its core to others: on a machine with more
// threads than cores the one that is waited for may need it.
constexpr int kPatience = 2000;

/// Waits a little, and more politely as time goes by.
class Waiting {
 public:
  void once() {
    if (++looks_ < kPatience) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  int looks_{0};
};

// Runs in which a thread claims its range: few, since each costs a claim, and enough to leave
// something to those who are through sooner.
constexpr std::uint64_t kRunsEach = 8;

// Looks at what others do before a thread that is through with its own takes from them: in a short
// loop they are soon through, and their lines are better left to them.
constexpr int kCourtesy = 16;

// Looks at the next session before a helper falls asleep: steps mostly follow each other at once,
// and waking a thread takes longer than many a step.
constexpr int kLinger = 4000;

// A job is the number of a loop and that of its blocks; a claim the number of a loop and what was
// claimed of a range.
constexpr std::uint64_t kBelow = 0xFFFFFFFFu;
// Every so many loops all ranges get the number of the last one, used up: numbers of loops come
// around, and a range that none has needed for long must not pass for one of a later loop.
constexpr std::uint64_t kRenewal = 1u << 20;
constexpr std::uint64_t loopOf(std::uint64_t word) {
  return word >> 32;
}

}  // namespace

WorkTeam::WorkTeam(int threads) {
  const auto wanted = static_cast<std::size_t>(std::max(threads, 1));
  ranges_ = std::vector<Range>(wanted);
  tallies_ = std::vector<Tally>(wanted);
  helpers_.reserve(wanted - 1);
  try {
    for (std::size_t i = 1; i < wanted; ++i) {
      helpers_.emplace_back([this, i](const std::stop_token& stop) { help(stop, i); });
    }
  } catch (const std::system_error&) {  // no more threads to be had
  } catch (const std::bad_alloc&) {     // nor memory for one
  }
}

WorkTeam::~WorkTeam() {
  for (std::jthread& helper : helpers_) helper.request_stop();
  session_.fetch_add(2);
  session_.notify_all();
}

bool WorkTeam::begin() {
  if (helpers_.empty()) return false;
  const void* nobody = nullptr;
  // What the last owner left must be seen here.
  if (!owner_.compare_exchange_strong(nobody, self(), std::memory_order_acquire)) return false;
  session_.fetch_add(1, std::memory_order_release);
  session_.notify_all();
  return true;
}

void WorkTeam::end() {
  session_.fetch_add(1, std::memory_order_release);
  owner_.store(nullptr, std::memory_order_release);
}

void WorkTeam::share(std::size_t blocks, Call call, const void* context) {
  const std::uint64_t loop = (loopOf(job_.load(std::memory_order_relaxed)) + 1) & kBelow;
  const std::uint64_t job = (loop << 32) | blocks;
  sharing_ = true;
  if (loop % kRenewal == 0) {
    const std::uint64_t before = (loop - 1) & kBelow;
    for (Range& range : ranges_)
      range.claimed.store((before << 32) | kBelow, std::memory_order_relaxed);
    for (Tally& tally : tallies_) tally.done.store(before << 32, std::memory_order_relaxed);
  }
  call_.store(call, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  job_.store(job, std::memory_order_release);
  workOn(job, 0);
  Waiting waiting;
  while (!isDone(job)) waiting.once();
  sharing_ = false;
  if (!thrown_.load(std::memory_order_relaxed)) return;
  thrown_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkTeam::callRun(std::uint64_t first, std::uint64_t last) noexcept {
  if (thrown_.load(std::memory_order_relaxed)) return;
  const Call call = call_.load(std::memory_order_relaxed);
  const void* context = context_.load(std::memory_order_relaxed);
  try {
    for (std::uint64_t block = first; block < last; ++block) call(context, block);
  } catch (...) {
    // The owner reads it after it has seen the run done.
    if (!thrown_.exchange(true)) error_ = std::current_exception();
  }
}

void WorkTeam::callTimed(std::uint64_t first, std::uint64_t last, std::size_t self) noexcept {
  const Clock::time_point start = Clock::now();
  callRun(first, last);
  std::atomic<double>& busy = tallies_[self].busy;
  busy.store(busy.load(std::memory_order_relaxed) + secondsSince(start), std::memory_order_relaxed);
}

void WorkTeam::shareWatched(std::size_t blocks, Call call, const void* context) {
  const Clock::time_point start = Clock::now();
  share(blocks, call, context);
  seconds_ += secondsSince(start);
  ++loops_;
}

// A range whose claims belong to an earlier loop has not been begun. A thread that comes late, when
// its loop is over, finds every range that had blocks used up or in the hands of a later loop, and
// so claims nothing: no loop ends before all of its blocks have been claimed.
std::uint64_t WorkTeam::workOnRange(std::uint64_t job, std::size_t range, std::size_t self) {
  const std::uint64_t blocks = job & kBelow, count = ranges_.size();
  const std::uint64_t first = blocks * range / count, last = blocks * (range + 1) / count;
  if (first == last) return 0;
  const std::uint64_t run = (last - first + kRunsEach - 1) / kRunsEach;
  std::atomic<std::uint64_t>& claimed = ranges_[range].claimed;
  std::uint64_t done = 0;
  std::uint64_t seen = claimed.load(std::memory_order_acquire);
  for (;;) {
    const std::uint64_t behind = (loopOf(job) - loopOf(seen)) & kBelow;
    if (behind > kBelow / 2) return done;  // a later loop has it
    const std::uint64_t from = first + (behind == 0 ? seen & kBelow : 0);
    if (from >= last) return done;
    const std::uint64_t to = std::min(from + run, last);
    const std::uint64_t claim = (loopOf(job) << 32) | (to - first);
    if (!claimed.compare_exchange_weak(seen, claim, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    watched_ ? callTimed(from, to, self) : callRun(from, to);
    done += to - from;
    seen = claim;
  }
}

bool WorkTeam::isDone(std::uint64_t job) const {
  std::uint64_t done = 0;
  for (const Tally& tally : tallies_) {
    const std::uint64_t seen = tally.done.load(std::memory_order_acquire);
    if (loopOf(seen) == loopOf(job)) done += seen & kBelow;
  }
  return done == (job & kBelow);
}

bool WorkTeam::isOverSoon(std::uint64_t job, std::size_t self) const {
  for (int i = 0; i < kCourtesy; ++i) {
    if (self == 0 ? isDone(job) : job_.load(std::memory_order_relaxed) != job) return true;
    pause();
  }
  return false;
}

void WorkTeam::workOn(std::uint64_t job, std::size_t self) {
  std::uint64_t done = 0;
  const auto work = [&](std::size_t range) {
    const std::uint64_t more = workOnRange(job, range, self);
    if (more == 0) return;
    done += more;
    tallies_[self].done.store((loopOf(job) << 32) | done, std::memory_order_release);
  };
  work(self);
  if (isOverSoon(job, self)) return;
  for (std::size_t i = 1; i < ranges_.size(); ++i) work((self + i) % ranges_.size());
}

void WorkTeam::help(const std::stop_token& stop, std::size_t self) {
  std::uint32_t seen = session_.load(std::memory_order_acquire);
  std::uint64_t lastJob = 0;
  Waiting waiting;
  while (!stop.stop_requested()) {
    if ((seen & 1u) == 0) {
      for (int i = 0; i < kLinger && seen == session_.load(std::memory_order_relaxed); ++i) pause();
      session_.wait(seen, std::memory_order_acquire);
      seen = session_.load(std::memory_order_acquire);
      continue;
    }
    const std::uint64_t job = job_.load(std::memory_order_acquire);
    if (job != lastJob) {
      workOn(job, self);
      lastJob = job;
      waiting = {};
    } else {
      waiting.once();
      seen = session_.load(std::memory_order_acquire);
    }
  }
}

}  // namespace msd_sim
