#include "msd-sim/src/DataTypes/WorkTeam.hpp"

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

// Looks at a counter before a waiting thread offers its core to others: on a machine with more threads
// than cores the one that is waited for may need it.
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

constexpr std::uint64_t pack(std::uint32_t loop, std::uint32_t block) {
  return (static_cast<std::uint64_t>(loop) << 32) | block;
}

}  // namespace

WorkTeam::WorkTeam(int threads) {
  for (int i = 1; i < threads; ++i) {
    helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
  }
}

WorkTeam::~WorkTeam() {
  for (std::jthread& helper : helpers_) helper.request_stop();
  session_.fetch_add(2);
  session_.notify_all();
}

void WorkTeam::begin() {
  if (helpers_.empty()) return;
  awake_ = true;
  session_.fetch_add(1, std::memory_order_release);
  session_.notify_all();
}

void WorkTeam::end() {
  if (helpers_.empty()) return;
  awake_ = false;
  session_.fetch_add(1, std::memory_order_release);
}

void WorkTeam::share(std::size_t blocks, Call call, const void* context) {
  const std::uint32_t loop = loop_.load(std::memory_order_relaxed) + 1;
  // First a ticket without blocks: whoever still holds the old one can no longer claim with it.
  ticket_.store(pack(loop, 0xFFFFFFFFu), std::memory_order_seq_cst);
  call_.store(call, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  blocks_.store(static_cast<std::uint32_t>(blocks), std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  ticket_.store(pack(loop, 0), std::memory_order_release);
  loop_.store(loop, std::memory_order_release);
  workOn(loop);
  Waiting waiting;
  while (done_.load(std::memory_order_acquire) < blocks) waiting.once();
}

// Claims blocks of one loop until none is left. The fields of the loop cannot change while a block
// that was claimed is unfinished, because share() waits for it.
void WorkTeam::workOn(std::uint32_t loop) {
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  for (;;) {
    const auto block = static_cast<std::uint32_t>(ticket);
    if (static_cast<std::uint32_t>(ticket >> 32) != loop ||
        block >= blocks_.load(std::memory_order_relaxed)) {
      return;
    }
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    const Call call = call_.load(std::memory_order_relaxed);
    call(context_.load(std::memory_order_relaxed), block);
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
      workOn(loop);
      lastLoop = loop;
      waiting = {};
    } else {
      waiting.once();
      seen = session_.load(std::memory_order_acquire);
    }
  }
}

}  // namespace msd_sim
