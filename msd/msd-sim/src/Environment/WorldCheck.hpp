#pragma once

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Are places, velocities and loads of all moving bodies numbers?
[[nodiscard]] bool isFinite(const Simulation& sim);

/// Between two stages, in builds with assertions: do the arrays fit each other and the contacts hang together?
/// Says what is wrong on stderr.
[[nodiscard]] bool checkStage(const Simulation& sim, Stage stage);

}  // namespace msd_sim
