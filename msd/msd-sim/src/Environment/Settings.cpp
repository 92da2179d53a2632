#include "msd-sim/src/Environment/Settings.hpp"

#include <limits>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

void Settings::validate() const {
  constexpr double kLargest = std::numeric_limits<double>::max();
  requireFinite(gravity, "gravity", "m/s²");
  requireRange(substeps, "substeps", "", 0, 64);
  requireRange(iterations, "iterations", "", 1, 1000);
  requireRange(exactTolerance, "exactTolerance", "", 1e-15, 1e-2);
  requireRange(exactIterations, "exactIterations", "", 1, 1e9);
  requireRange(restitutionThreshold, "restitutionThreshold", "m/s", 0.0, kLargest);
  requireRange(positionCorrection, "positionCorrection", "", 0.0, 1.0);
  requireRange(baumgarte, "baumgarte", "", 0.0, 1.0);
  requirePositive(correctionSpeed, "correctionSpeed", "1/s");
  requireRange(sleepSpeed, "sleepSpeed", "m/s", 0.0, kLargest);
  requireRange(sleepTime, "sleepTime", "s", 0.0, kLargest);
  requireRange(threads, "threads", "", 0, 1024);
}

}  // namespace msd_sim
