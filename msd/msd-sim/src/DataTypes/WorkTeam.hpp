#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace msd_sim {

/// A team of threads that share loops. The calling thread always takes part, so that a loop ends
/// even when no other thread gets time. Runs of blocks are claimed, by the caller from the front and by
/// the others from the back: a thread so meets the same blocks in loop after loop, and their data in its
/// cache. A loop's end costs no more than a look at a counter.
///
/// What a block computes must not depend on who computes it, and blocks of one loop must write to
/// different places: the results are then the same for every number of threads.
class WorkTeam {
 public:
  /// `threads` counts the calling thread; 1 makes no thread at all.
  explicit WorkTeam(int threads = 1);
  ~WorkTeam();
  WorkTeam(const WorkTeam&) = delete;
  WorkTeam& operator=(const WorkTeam&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  /// While one lives, helpers are awake and spin; outside they sleep. One that is not `wanted` does nothing:
  /// loops are then the caller's alone.
  class Session {
   public:
    explicit Session(WorkTeam& team, bool wanted = true) : team_{wanted ? &team : nullptr} {
      if (team_ != nullptr) team_->begin();
    }
    ~Session() {
      if (team_ != nullptr) team_->end();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

   private:
    WorkTeam* team_;
  };

  /// Calls work(block) for every block in [0, blocks), on any thread, in any order.
  template <class Work>
  void forBlocks(std::size_t blocks, const Work& work) {
    if (helpers_.empty() || blocks < 2 || !awake_) {
      for (std::size_t i = 0; i < blocks; ++i) work(i);
      return;
    }
    const auto call = [](const void* context, std::size_t block) {
      (*static_cast<const Work*>(context))(block);
    };
    share(blocks, call, &work);
  }

  /// Cuts [0, count) into runs of `grain` and calls work(first, last) for each. The cuts do not
  /// depend on the number of threads.
  template <class Work>
  void forRange(std::size_t count, std::size_t grain, const Work& work) {
    forBlocks((count + grain - 1) / grain, [&](std::size_t block) {
      const std::size_t first = block * grain;
      work(first, first + grain < count ? first + grain : count);
    });
  }

 private:
  using Call = void (*)(const void*, std::size_t);

  void begin();
  void end();

  enum class End : std::uint8_t { kFront, kBack };

  /// One loop that is being shared. `ticket` holds the loop's number in its upper half, so that a late
  /// helper can never claim a run of a later loop by mistake, and in its lower half how many runs were
  /// claimed from the front and from the back.
  void share(std::size_t blocks, Call call, const void* context);
  void help(std::stop_token stop);
  void workOn(std::uint32_t loop, End end);

  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint32_t> loop_{0};
  std::atomic<std::uint32_t> session_{0};  ///< odd while the team is awake
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> context_{nullptr};
  std::atomic<std::uint64_t> blocks_{0};
  std::atomic<std::uint64_t> run_{1};  ///< blocks that are claimed at once
  bool awake_{false};
  std::vector<std::jthread> helpers_;
};

}  // namespace msd_sim
