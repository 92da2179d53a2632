#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace msd_sim {

/// A team of threads that share loops. The calling thread always takes part, so that a loop ends
/// even when no other thread gets time. Each thread has its own range of a loop's blocks, the same in every
/// loop of as many blocks, and so meets their data in its cache; who is through with its own waits a moment, and then
/// takes what others have not begun. Ranges and what has been done of a loop have cache lines of their own, thread by
/// thread: in a short loop that all share evenly no line is written by two.
///
/// What a block computes must not depend on who computes it, and blocks of one loop must write to
/// different places: the results are then the same for every number of threads.
///
/// A block that throws ends its loop: runs that have not begun are left out, and once the others are
/// through, the first exception is thrown again on the calling thread. The team works on as before.
/// A loop within a block, and one of a thread that has no session, is that thread's alone.
class WorkTeam {
 public:
  /// `threads` counts the calling thread; 1 makes no thread at all. Where the system gives fewer, the
  /// team has fewer: threads() says how many.
  explicit WorkTeam(int threads = 1);
  ~WorkTeam();
  WorkTeam(const WorkTeam&) = delete;
  WorkTeam& operator=(const WorkTeam&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  /// From now on notes who works how long in the loops that are shared, or no longer does.
  void watch(bool wanted) { watched_ = wanted; }
  [[nodiscard]] bool isWatched() const { return watched_; }
  /// What was noted, between two loops: how many there were, how long they took, how long each thread worked [s].
  [[nodiscard]] std::uint64_t sharedLoops() const { return loops_; }
  [[nodiscard]] double sharedSeconds() const { return seconds_; }
  [[nodiscard]] double busySeconds(std::size_t thread) const {
    return tallies_[thread].busy.load(std::memory_order_relaxed);
  }

  /// While one lives, helpers are awake and spin for the thread that made it; outside they sleep. One that is
  /// not `wanted`, or made while another lives, does nothing: loops are then the caller's alone.
  class Session {
   public:
    explicit Session(WorkTeam& team, bool wanted = true)
        : team_{wanted && team.begin() ? &team : nullptr} {}
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
    if (helpers_.empty() || blocks < 2 || !isMine() || sharing_) {
      for (std::size_t i = 0; i < blocks; ++i) work(i);
      return;
    }
    const auto call = [](const void* context, std::size_t block) {
      (*static_cast<const Work*>(context))(block);
    };
    watched_ ? shareWatched(blocks, call, &work) : share(blocks, call, &work);
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
  static constexpr std::size_t kLine = 64;  ///< bytes that travel between cores together

  /// An address that no two threads share.
  [[nodiscard]] static const void* self() {
    thread_local const char mark{};
    return &mark;
  }
  [[nodiscard]] bool isMine() const { return owner_.load(std::memory_order_relaxed) == self(); }
  /// False where another session has the team.
  bool begin();
  void end();

  /// Blocks of a loop that a thread begins with: how many were claimed, below the number of the loop.
  struct alignas(kLine) Range {
    std::atomic<std::uint64_t> claimed{0};
  };
  /// How many blocks of a loop a thread has done, below the number of the loop; and how long it has worked on loops
  /// while the team was watched [s].
  struct alignas(kLine) Tally {
    std::atomic<std::uint64_t> done{0};
    std::atomic<double> busy{0.0};
  };

  void share(std::size_t blocks, Call call, const void* context);
  void shareWatched(std::size_t blocks, Call call, const void* context);
  void help(const std::stop_token& stop, std::size_t self);
  /// Does what is left of a loop, beginning with the range of thread `self`.
  void workOn(std::uint64_t job, std::size_t self);
  /// Have all blocks of a loop been done?
  [[nodiscard]] bool isDone(std::uint64_t job) const;
  /// Waits for a moment; true when the loop is over by then, as far as thread `self` can tell.
  [[nodiscard]] bool isOverSoon(std::uint64_t job, std::size_t self) const;
  /// Does on thread `self` what nobody has claimed of one range; returns the number of blocks.
  std::uint64_t workOnRange(std::uint64_t job, std::size_t range, std::size_t self);
  /// Calls some blocks, unless a block of the loop has thrown.
  void callRun(std::uint64_t first, std::uint64_t last) noexcept;
  /// The same on thread `self`, timed where the team is watched.
  void callTimed(std::uint64_t first, std::uint64_t last, std::size_t self) noexcept;

  /// The loop that is being shared: its number, and below it how many blocks it has. What follows is written before
  /// it, and read by those alone who have claimed a block of it, since the loop cannot end before they are through.
  alignas(kLine) std::atomic<std::uint64_t> job_{0};
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> context_{nullptr};
  alignas(kLine) std::atomic<std::uint32_t> session_{0};   ///< odd while the team is awake
  std::atomic<const void*> owner_{nullptr};  ///< thread with the session, if any
  bool sharing_{false};                      ///< a loop is running; the owner's alone
  std::vector<Range> ranges_;                ///< one per thread, the caller's first
  std::vector<Tally> tallies_;               ///< the same
  bool watched_{false};                      ///< changes between loops alone
  std::uint64_t loops_{0};
  double seconds_{0.0};
  std::atomic<bool> thrown_{false};          ///< a block of the running loop has thrown
  std::exception_ptr error_;                 ///< what it threw; written by who set `thrown_`
  std::vector<std::jthread> helpers_;
};

}  // namespace msd_sim
