#pragma once

#include <algorithm>

#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"

namespace msd_sim {

/// (G-8): the change of a velocity in a sweep of a substep of length h that counts as settled, the
/// local residual's 1: a share of what gravity adds in half a substep, or of the contact's size in
/// a substep, whichever is more [m/s].
struct SettledSpeed {
  double kick;     ///< of any size [m/s]
  double perSize;  ///< [1/s]

  /// h [s], gravity [m/s²].
  SettledSpeed(double h, double gravity)
      : kick{std::max(kTuning.settledKick * (0.5 * h * gravity), kLeast)},
        perSize{kTuning.settledShare / h} {}
  [[nodiscard]] double of(double size) const { return std::max(kick, perSize * size); }

  /// Keeps quotients finite without gravity [m/s].
  static constexpr double kLeast = 1e-100;
};

}  // namespace msd_sim
