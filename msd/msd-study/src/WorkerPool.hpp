#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "msd-study/src/CaseResult.hpp"

namespace msd_study {

/// Those who run cases: threads, processes, or ranks of a cluster. One thread gives and takes.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  [[nodiscard]] virtual std::size_t workers() const = 0;
  /// How many cases may be given now, so that no worker runs dry.
  [[nodiscard]] virtual std::size_t room() const = 0;
  virtual void give(CaseOrder order) = 0;
  /// What has come in, in any order; waits for something for at most `patience`. Throws
  /// std::runtime_error when the workers are gone for good.
  [[nodiscard]] virtual std::vector<CaseResult> take(std::chrono::milliseconds patience) = 0;
  /// Takes back what no worker has begun; returns how many cases are still under way.
  virtual std::size_t recall() = 0;
};

/// `count` threads of this process.
[[nodiscard]] std::unique_ptr<WorkerPool> makeThreadWorkers(std::size_t count,
                                                            const MakeCaseFunction& make);

/// `count` processes, copies of this one, which must have no other threads. A case that takes its
/// process down is tried once more, in a new one, and then is a result of status kCrashed; so is
/// nothing else. A process that spends more than `caseSeconds` on a case (0: no limit), with room for
/// the worker to notice it itself, is ended, and the case is of status kTimeLimit.
[[nodiscard]] std::unique_ptr<WorkerPool> makeProcessWorkers(std::size_t count,
                                                             const MakeCaseFunction& make,
                                                             double caseSeconds = 0.0);

}  // namespace msd_study
