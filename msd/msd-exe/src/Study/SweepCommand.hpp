#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "msd-study/src/Study.hpp"
#include "msd-study/src/WorkerPool.hpp"

namespace CLI {
class App;
}

namespace msd_exe {

struct SweepOptions {
  std::string study{};
  std::string out{};
  std::string csv{};
  std::string npz{};
  std::size_t threads{0};                    ///< 0: all cores
  std::optional<std::size_t> processes{};  ///< 0: all cores
  bool resume{false};
  bool force{false};
  bool durable{false};
  bool dryRun{false};
  bool expect{false};
  bool json{false};
  bool quiet{false};
};

/// Those who will run the cases, and their name: "4 threads".
struct SweepEngine {
  std::unique_ptr<msd_study::WorkerPool> pool{};
  std::string name{};
};
using MakeEngine = std::function<SweepEngine(const msd_study::Study&)>;

/// The options of `msd sweep` and `msd-mpi sweep` alike; `ownEngines` adds those that choose threads or
/// processes.
void addSweepOptions(CLI::App& parser, SweepOptions& options, bool ownEngines);

/// The whole command, on workers that are made when the study has been read and its file is open.
/// Returns the exit code.
[[nodiscard]] int runSweep(const SweepOptions& options, const msd_study::Study& study,
                           const MakeEngine& makeEngine);

/// The engine that `msd sweep`'s options ask for.
[[nodiscard]] SweepEngine makeLocalEngine(const SweepOptions& options,
                                          const msd_study::Study& study);

}  // namespace msd_exe
