#include "msd-sim/src/DataTypes/WorkTeam.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace msd_sim {

namespace {

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

// Runs that a thread claims in a loop if all are equally fast: few, since a claim takes a cache
// line from the others, and enough to even out what is not equal.
constexpr std::size_t kRunsEach = 8;

// A ticket: number of the loop, runs claimed from the front, runs claimed from the back.
constexpr std::uint64_t kFrontClaim = 1u << 16;
constexpr std::uint64_t kBackClaim = 1;
constexpr std::uint64_t kNoRuns = 0xFFFFu * kFrontClaim;
constexpr std::uint32_t loopOf(std::uint64_t ticket) {
  return static_cast<std::uint32_t>(ticket >> 32);
}
constexpr std::uint64_t frontOf(std::uint64_t ticket) {
  return (ticket >> 16) & 0xFFFFu;
}
constexpr std::uint64_t backOf(std::uint64_t ticket) {
  return ticket & 0xFFFFu;
}

}  // namespace

WorkTeam::WorkTeam(int threads) {
  helpers_.reserve(static_cast<std::size_t>(std::max(threads - 1, 0)));
  try {
    for (int i = 1; i < threads; ++i) {
      helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
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
  const std::uint32_t loop = loop_.load(std::memory_order_relaxed) + 1;
  const auto shares = static_cast<std::size_t>(threads()) * kRunsEach;
  const std::size_t run = (blocks + shares - 1) / shares;
  const std::size_t runs = (blocks + run - 1) / run;
  const std::uint64_t number = static_cast<std::uint64_t>(loop) << 32;
  sharing_ = true;
  // First a ticket without runs: whoever still holds the old one can no longer claim with it.
  ticket_.store(number | kNoRuns, std::memory_order_seq_cst);
  call_.store(call, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  blocks_.store(blocks, std::memory_order_relaxed);
  run_.store(run, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  ticket_.store(number, std::memory_order_release);
  loop_.store(loop, std::memory_order_release);
  workOn(loop, End::kFront);
  Waiting waiting;
  while (done_.load(std::memory_order_acquire) < runs) waiting.once();
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

// Claims runs of one loop until none is left. The fields of the loop cannot change while a run that
// was claimed is unfinished, because share() waits for it; what was read of them before the claim
// is that of the claim's loop, because the claim fails where the ticket has changed.
void WorkTeam::workOn(std::uint32_t loop, End end) {
  const std::uint64_t claim = end == End::kFront ? kFrontClaim : kBackClaim;
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  for (;;) {
    const std::uint64_t blocks = blocks_.load(std::memory_order_relaxed);
    const std::uint64_t run = run_.load(std::memory_order_relaxed);
    const std::uint64_t runs = (blocks + run - 1) / run;
    if (loopOf(ticket) != loop || frontOf(ticket) + backOf(ticket) >= runs) return;
    if (!ticket_.compare_exchange_weak(ticket, ticket + claim, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    const std::uint64_t taken = end == End::kFront ? frontOf(ticket) : runs - 1 - backOf(ticket);
    const std::uint64_t first = taken * run;
    callRun(first, std::min(first + run, blocks));
    done_.fetch_add(1, std::memory_order_acq_rel);
    ticket = ticket_.load(std::memory_order_acquire);
  }
}

void WorkTeam::help(std::stop_token stop) {
  std::uint32_t seen = session_.load(std::memory_order_acquire);
  std::uint32_t lastLoop = 0;
  Waiting waiting;
  while (!stop.stop_requested()) {
    if ((seen & 1u) == 0) {  // asleep
      session_.wait(seen, std::memory_order_acquire);
      seen = session_.load(std::memory_order_acquire);
      continue;
    }
    const std::uint32_t loop = loop_.load(std::memory_order_acquire);
    if (loop != lastLoop) {
      workOn(loop, End::kBack);
      lastLoop = loop;
      waiting = {};
    } else {
      waiting.once();
      seen = session_.load(std::memory_order_acquire);
    }
  }
}

}  // namespace msd_sim
