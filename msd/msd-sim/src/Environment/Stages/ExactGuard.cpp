// The energy of a mechanism in exact mode (docs/theory/exact-contact.md, section 10).
#include <algorithm>

#include "msd-sim/src/Environment/ExactTuning.hpp"
#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"

namespace msd_sim {

namespace {

}  // namespace

bool ExactIslandSolve::guardMechanism() {
  Islands& islands = sim_.islands;
  const IslandSupport support = islands.support[island_];
  if (support == IslandSupport::kDriven) return false;
  double surplus = 0.0, kinetic = 0.0;
  for (const std::uint32_t i : bodies_) {
    surplus += sim_.solver.turn[i].surplus;
    kinetic += sim_.solver.turn[i].kinetic;
  }
  const double braking = jointDissipation();
  const bool braked = !points_.empty() || braking < 0.0;
  double& gain = islands.gain[island_];
  double& peak = islands.peak[island_];
  peak = std::max(peak, kinetic);
  gain += surplus - data_.dissipated - braking;
  const bool swings = !braked && support == IslandSupport::kStatic;
  const double excess = gain - (swings ? kExactTuning.swingGain : kExactTuning.touchedGain) * peak;
  if (braked) gain = std::max(gain, -kExactTuning.touchedGain * peak);
  if (!(excess > 0.0)) return false;
  gain -= excess;
  calmMotion(sim_, island_, excess, kinetic);
  return true;
}

}  // namespace msd_sim
