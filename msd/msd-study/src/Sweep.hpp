#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "msd-study/src/ResultsFile.hpp"
#include "msd-study/src/Study.hpp"
#include "msd-study/src/WorkerPool.hpp"

namespace msd_study {

/// How far a sweep is. A case counts as done when its row is in the file.
struct SweepProgress {
  std::uint64_t cases{0};     ///< of the study
  std::uint64_t before{0};    ///< that were done when the sweep began
  std::uint64_t done{0};      ///< by this sweep
  std::uint64_t notOk{0};     ///< of these, those whose status is not "ok"
  std::uint64_t successes{0};
  double seconds{0.0};      ///< since the sweep began
  double stepSeconds{0.0};  ///< of all workers together, in steps

  [[nodiscard]] std::uint64_t left() const { return cases - before - done; }
  [[nodiscard]] bool isComplete() const { return left() == 0; }
};

struct SweepHooks {
  /// Asked often: whether to finish the cases under way and stop.
  std::function<bool()> isStopWanted{[] { return false; }};
  /// Told after every commit, and several times a second while nothing comes.
  std::function<void(const SweepProgress&)> onProgress{[](const SweepProgress&) {}};
};

/// Runs the cases of a study whose rows are missing: gives them to the workers in order, and writes what
/// comes back, each row once. Throws msd_record::RecordError when the file can no longer be written.
[[nodiscard]] SweepProgress sweep(const Study& study, WorkerPool& pool, ResultsFile& file,
                                  const SweepHooks& hooks);

}  // namespace msd_study
