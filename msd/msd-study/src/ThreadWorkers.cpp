#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "msd-study/src/WorkerPool.hpp"

namespace msd_study {

namespace {

/// Cases that wait per thread: enough that the shortest never leave a thread without work while
/// results are being written.
constexpr std::size_t kAhead = 256;

class ThreadWorkers final : public WorkerPool {
 public:
  ThreadWorkers(std::size_t count, const MakeCaseFunction& make) : count_{count} {
    threads_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, make] { work(make); });
    }
  }

  ~ThreadWorkers() override {
    {
      const std::lock_guard lock{mutex_};
      waiting_.clear();
      ended_ = true;
    }
    given_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] std::size_t workers() const override { return count_; }

  [[nodiscard]] std::size_t room() const override {
    const std::lock_guard lock{mutex_};
    const std::size_t most = count_ * kAhead;
    return most - std::min(most, waiting_.size());
  }

  void give(CaseOrder order) override {
    {
      const std::lock_guard lock{mutex_};
      waiting_.push_back(std::move(order));
    }
    given_.notify_one();
  }

  std::vector<CaseResult> take(std::chrono::milliseconds patience) override {
    std::unique_lock lock{mutex_};
    done_.wait_for(lock, patience, [this] { return !results_.empty(); });
    return std::move(results_);
  }

  std::size_t recall() override {
    const std::lock_guard lock{mutex_};
    waiting_.clear();
    return running_ + results_.size();
  }

 private:
  void work(const MakeCaseFunction& make) {
    const CaseFunction run = make();
    std::unique_lock lock{mutex_};
    for (;;) {
      given_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (ended_) return;
      const CaseOrder order = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      lock.unlock();
      CaseResult result = run(order);
      lock.lock();
      --running_;
      results_.push_back(std::move(result));
      // The first result wakes the one who takes; those that follow wait for it.
      if (results_.size() == 1) done_.notify_one();
    }
  }

  std::size_t count_;
  mutable std::mutex mutex_;
  std::condition_variable given_;
  std::condition_variable done_;
  std::deque<CaseOrder> waiting_;
  std::vector<CaseResult> results_;
  std::size_t running_{0};
  bool ended_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<WorkerPool> makeThreadWorkers(std::size_t count, const MakeCaseFunction& make) {
  return std::make_unique<ThreadWorkers>(count, make);
}

}  // namespace msd_study
