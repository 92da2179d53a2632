#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <stdexcept>

#include "msd-study/src/Messages.hpp"
#include "msd-study/src/WorkerPool.hpp"

namespace msd_study {

namespace {

using Clock = std::chrono::steady_clock;

/// A process has work for this long before it, so that it need not wait for the next case [s]; but no
/// more cases than this.
constexpr double kAheadSeconds = 0.02;
constexpr double kMostAhead = 256.0;
/// Beyond its limit a case gets this much again, and a second, to stop by itself.
constexpr double kGrace = 1.0;

/// What a worker process does until its parent hangs up.
[[noreturn]] void work(int socket, const MakeCaseFunction& make, pid_t parent) {
  // A worker does not outlive its parent, and leaves Ctrl-C to it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  try {
    const CaseFunction run = make();
    MessageReader reader{socket};
    for (;;) {
      while (const auto message = reader.next()) {
        if (!sendMessage(socket, toBytes(run(orderFromBytes(*message))))) ::_exit(0);
      }
      if (!reader.read()) ::_exit(0);
    }
  } catch (...) {
    ::_exit(1);  // out of memory: the parent sees a worker that is gone
  }
}

std::string describeEnd(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("the process that ran it was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("the process that ran it ended with code {}", WEXITSTATUS(status));
}

class ProcessWorkers final : public WorkerPool {
 public:
  ProcessWorkers(std::size_t count, MakeCaseFunction make, double caseSeconds)
      : make_{std::move(make)}, case_seconds_{caseSeconds}, workers_(count) {
    for (Worker& worker : workers_) start(worker);
  }

  ~ProcessWorkers() override {
    for (Worker& worker : workers_) {
      // What is still under way is not wanted any more.
      if (!worker.orders.empty()) ::kill(worker.process, SIGKILL);
      ::close(worker.socket);
      int status = 0;
      while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }

  [[nodiscard]] std::size_t workers() const override { return workers_.size(); }

  [[nodiscard]] std::size_t room() const override {
    std::size_t free = 0;
    for (const Worker& worker : workers_) {
      free += ahead_ - std::min(ahead_, worker.orders.size());
    }
    return free - std::min(free, again_.size());
  }

  void give(CaseOrder order) override {
    Worker& idlest = *std::ranges::min_element(
        workers_, {}, [](const Worker& worker) { return worker.orders.size(); });
    if (idlest.orders.empty()) idlest.since = Clock::now();
    idlest.orders.push_back(std::move(order));
    // Where the process is gone, take() finds out and has the order.
    (void)sendMessage(idlest.socket, toBytes(idlest.orders.back()));
  }

  std::vector<CaseResult> take(std::chrono::milliseconds patience) override {
    while (!again_.empty() && room() > 0) {
      CaseOrder order = std::move(again_.front());
      again_.pop_front();
      give(std::move(order));
    }
    std::vector<pollfd> watched;
    for (const Worker& worker : workers_) watched.push_back({worker.socket, POLLIN, 0});
    if (::poll(watched.data(), watched.size(), static_cast<int>(patience.count())) < 0 &&
        errno != EINTR) {
      throw std::runtime_error{fmt::format("cannot wait for workers: {}", std::strerror(errno))};
    }
    std::vector<CaseResult> results;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (watched[i].revents != 0) listen(workers_[i], results);
      endIfLate(workers_[i]);
    }
    return results;
  }

  std::size_t recall() override {
    std::size_t underWay = 0;
    for (const Worker& worker : workers_) underWay += worker.orders.size();
    again_.clear();
    return underWay;
  }

 private:
  struct Worker {
    pid_t process{-1};
    int socket{-1};
    MessageReader reader{-1};
    std::deque<CaseOrder> orders{};  ///< given and not answered; the first is being run
    Clock::time_point since{};       ///< when the first was begun
    bool isLate{false};              ///< ended for its time
  };

  void start(Worker& worker) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::runtime_error{
          fmt::format("cannot connect to a new process: {}", std::strerror(errno))};
    }
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
      // Another worker's socket, held open here, would hide from it that the parent is gone; so would
      // the results file's lock.
      for (int descriptor = 3; descriptor < kDescriptors; ++descriptor) {
        if (descriptor != ends[1]) ::close(descriptor);
      }
      work(ends[1], make_, parent);
    }
    ::close(ends[1]);
    if (process < 0) {
      ::close(ends[0]);
      throw std::runtime_error{fmt::format("cannot start a process: {}", std::strerror(errno))};
    }
    worker = Worker{.process = process, .socket = ends[0], .reader = MessageReader{ends[0]}};
  }

  void listen(Worker& worker, std::vector<CaseResult>& results) {
    const bool isOpen = worker.reader.read();
    while (const auto message = worker.reader.next()) {
      results.push_back(resultFromBytes(*message));
      look(results.back().totalSeconds);
      worker.orders.pop_front();
      worker.since = Clock::now();
    }
    if (!isOpen) replace(worker, results);
  }

  /// Learns from a case how many are worth sending ahead.
  void look(double seconds) {
    constexpr double kShare = 0.1;  // of the newest case in the mean
    mean_seconds_ = mean_seconds_ < 0.0 ? seconds : mean_seconds_ + kShare * (seconds - mean_seconds_);
    const double ahead = kAheadSeconds / std::max(mean_seconds_, 1e-9);
    ahead_ = 2 + static_cast<std::size_t>(std::min(ahead, kMostAhead));
  }

  /// The process is gone: what it was running is tried once more; what it had before it was not begun.
  void replace(Worker& worker, std::vector<CaseResult>& results) {
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(worker.socket);
    std::deque<CaseOrder> orders = std::move(worker.orders);
    const bool isLate = worker.isLate;
    start(worker);
    if (orders.empty()) {
      if (++idle_deaths_ > workers_.size() * 2) {
        throw std::runtime_error{"workers end before they have begun: " + describeEnd(status)};
      }
      return;
    }
    const std::uint64_t culprit = orders.front().index;
    if (isLate) {
      results.push_back({.index = culprit,
                         .status = CaseStatus::kTimeLimit,
                         .reason = fmt::format("more than {} s", case_seconds_)});
      orders.pop_front();
    } else if (!crashed_.insert(culprit).second) {
      results.push_back(
          {.index = culprit, .status = CaseStatus::kCrashed, .reason = describeEnd(status)});
      orders.pop_front();
    }
    for (CaseOrder& order : orders) again_.push_back(std::move(order));
  }

  void endIfLate(Worker& worker) {
    if (case_seconds_ <= 0.0 || worker.orders.empty() || worker.isLate) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - worker.since).count();
    if (seconds < 2.0 * case_seconds_ + kGrace) return;
    worker.isLate = true;
    ::kill(worker.process, SIGKILL);
  }

  static constexpr int kDescriptors = 1024;

  MakeCaseFunction make_;
  double case_seconds_;
  std::vector<Worker> workers_;
  std::deque<CaseOrder> again_;     ///< taken from processes that ended
  std::set<std::uint64_t> crashed_;  ///< cases that took a process down
  std::size_t idle_deaths_{0};
  std::size_t ahead_{2};       ///< cases a worker may have at once
  double mean_seconds_{-1.0};  ///< of a case; negative: none has come yet
};

}  // namespace

std::unique_ptr<WorkerPool> makeProcessWorkers(std::size_t count, const MakeCaseFunction& make,
                                               double caseSeconds) {
  return std::make_unique<ProcessWorkers>(count, make, caseSeconds);
}

}  // namespace msd_study
