#include "msd-mpi/src/MpiWorkers.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "msd-study/src/CaseResult.hpp"

namespace msd_mpi {

namespace {

using Clock = std::chrono::steady_clock;
using msd_study::CaseOrder;
using msd_study::CaseResult;

constexpr int kOrder = 1;
constexpr int kResult = 2;
constexpr int kEnd = 3;
constexpr int kInterrupted = 130;

/// A rank has work for this long before it [s], but no more cases than this.
constexpr double kAheadSeconds = 0.05;
constexpr double kMostAhead = 256.0;
/// MPI waits by spinning; sleeping between looks leaves the core to those who compute.
constexpr std::chrono::microseconds kNap{100};

int rankCount() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

void sendBytes(const std::vector<std::byte>& bytes, int rank, int tag) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

/// A message that has come, and who sent it.
struct Letter {
  int rank{0};
  int tag{0};
  std::vector<std::byte> bytes{};
};

std::optional<Letter> receive() {
  int isThere = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &isThere, &status);
  if (isThere == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Letter letter{status.MPI_SOURCE, status.MPI_TAG, std::vector<std::byte>(static_cast<std::size_t>(size))};
  MPI_Recv(letter.bytes.data(), size, MPI_BYTE, letter.rank, letter.tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return letter;
}

void shareText(std::string& text) {
  unsigned long long size = text.size();
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  text.resize(size);
  constexpr unsigned long long kPiece = 1ull << 30;  // counts of MPI are ints
  for (unsigned long long at = 0; at < size; at += kPiece) {
    MPI_Bcast(text.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_CHAR, 0,
              MPI_COMM_WORLD);
  }
}

class MpiWorkers final : public msd_study::WorkerPool {
 public:
  explicit MpiWorkers(const msd_study::MakeCaseFunction& make)
      : own_{msd_study::makeThreadWorkers(1, make)},
        under_way_(static_cast<std::size_t>(rankCount()), 0) {}

  ~MpiWorkers() override {
    if (is_recalled_) MPI_Abort(MPI_COMM_WORLD, kInterrupted);
    for (std::size_t rank = 1; rank < under_way_.size(); ++rank) {
      sendBytes({}, static_cast<int>(rank), kEnd);
    }
  }

  [[nodiscard]] std::size_t workers() const override { return under_way_.size(); }

  [[nodiscard]] std::size_t room() const override {
    std::size_t free = 0;
    for (const std::size_t count : under_way_) free += ahead_ - std::min(ahead_, count);
    return free;
  }

  void give(CaseOrder order) override {
    const auto idlest = std::ranges::min_element(under_way_);
    ++*idlest;
    const auto rank = static_cast<int>(idlest - under_way_.begin());
    if (rank == 0) {
      own_->give(std::move(order));
    } else {
      sendBytes(toBytes(order), rank, kOrder);
    }
  }

  std::vector<CaseResult> take(std::chrono::milliseconds patience) override {
    const Clock::time_point end = Clock::now() + patience;
    std::vector<CaseResult> results;
    for (;;) {
      for (CaseResult& result : own_->take(std::chrono::milliseconds{0})) {
        note(0, result);
        results.push_back(std::move(result));
      }
      while (const auto letter = receive()) {
        results.push_back(msd_study::resultFromBytes(letter->bytes));
        note(static_cast<std::size_t>(letter->rank), results.back());
      }
      if (!results.empty() || Clock::now() >= end) return results;
      std::this_thread::sleep_for(kNap);
    }
  }

  /// The job is being ended from outside: there is no time to wait for anyone.
  std::size_t recall() override {
    is_recalled_ = true;
    return 0;
  }

 private:
  void note(std::size_t rank, const CaseResult& result) {
    --under_way_[rank];
    constexpr double kShare = 0.1;  // of the newest case in the mean
    mean_seconds_ = mean_seconds_ < 0.0
                        ? result.totalSeconds
                        : mean_seconds_ + kShare * (result.totalSeconds - mean_seconds_);
    const double ahead = kAheadSeconds / std::max(mean_seconds_, 1e-9);
    ahead_ = 2 + static_cast<std::size_t>(std::min(ahead, kMostAhead));
  }

  std::unique_ptr<msd_study::WorkerPool> own_;
  std::vector<std::size_t> under_way_;  ///< cases by rank
  std::size_t ahead_{2};                ///< cases a rank may have at once
  double mean_seconds_{-1.0};           ///< of a case; negative: none has come yet
  bool is_recalled_{false};
};

}  // namespace

std::optional<msd_study::StudyTexts> shareTexts(const std::optional<msd_study::StudyTexts>& texts) {
  int isThere = texts.has_value() ? 1 : 0;
  MPI_Bcast(&isThere, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (isThere == 0) return std::nullopt;
  msd_study::StudyTexts shared = texts.value_or(msd_study::StudyTexts{});
  for (std::string* text : {&shared.source, &shared.study, &shared.scene, &shared.table}) {
    shareText(*text);
  }
  return shared;
}

std::unique_ptr<msd_study::WorkerPool> makeMpiWorkers(const msd_study::MakeCaseFunction& make) {
  return std::make_unique<MpiWorkers>(make);
}

void serve(const msd_study::MakeCaseFunction& make) {
  const msd_study::CaseFunction run = make();
  for (;;) {
    const auto letter = receive();
    if (!letter) {
      std::this_thread::sleep_for(kNap);
      continue;
    }
    if (letter->tag == kEnd) return;
    sendBytes(toBytes(run(msd_study::orderFromBytes(letter->bytes))), 0, kResult);
  }
}

}  // namespace msd_mpi
