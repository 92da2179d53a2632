// The energy of a mechanism in exact mode (docs/theory/exact-contact.md, section 10).
#include <algorithm>

#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"

namespace msd_sim {

namespace {

// Energy that discretisation may have given a mechanism, relative to the largest kinetic energy that
// it has had: while it hangs and swings (E-15), ...
constexpr double kSwingGain = 5e-4;
// ... and where it touches something, flies, or is braked, above and below its mean (E-16).
constexpr double kTouchedGain = 5e-5;

}  // namespace

bool ExactIslandSolve::guardMechanism() {
  Islands& islands = sim_.islands;
  const IslandHold hold = islands.hold[island_];
  if (hold == IslandHold::kDriven) return false;
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
  const bool swings = !braked && hold == IslandHold::kStatic;
  const double excess = gain - (swings ? kSwingGain : kTouchedGain) * peak;
  if (braked) gain = std::max(gain, -kTouchedGain * peak);
  if (!(excess > 0.0)) return false;
  gain -= excess;
  calmMotion(sim_, island_, excess, kinetic);
  return true;
}

}  // namespace msd_sim
