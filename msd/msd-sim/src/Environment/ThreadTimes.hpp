#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "msd-sim/src/Diagnostics/StepReport.hpp"

namespace msd_sim {

class WorldModel;

/// Who worked how long in a step, stage by stage. What a stage takes beyond `shared` one thread
/// does alone; what a thread is not busy of `shared` it waits for others.
struct ThreadTimes {
  using Stages = std::array<double, kStageCount>;
  Stages shared{};                                 ///< time of the loops that threads share [s]
  std::array<std::uint64_t, kStageCount> loops{};  ///< how many there were
  std::vector<Stages> busy;                        ///< per thread, the caller's first [s]
};

/// Steps of a world note from now on who works how long, or no longer do. It costs two looks at the
/// clock for every part of a loop that a thread takes.
void watchThreads(WorldModel& world, bool wanted);
/// Of the last step; empty where it was not watched.
[[nodiscard]] const ThreadTimes& threadTimes(const WorldModel& world);

}  // namespace msd_sim
