#pragma once

#include <functional>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// Moves bodies out of penetration without giving them velocity: a split impulse on
/// pseudo-velocities,
///
///   J M⁻¹ Jᵀ λ = share·max(depth − slop, 0),  λ >= 0,   Δx = M⁻¹Jᵀλ,
///
/// solved by projected Gauss–Seidel and applied to the positions alone.
class PositionCorrector {
 public:
  struct Config {
    double share{0.2};  ///< of the penetration removed per call [-], 0 to 1
    double slop{1e-4};  ///< penetration that is left alone [m], >= 0
    int iterations{20};
  };

  PositionCorrector();
  explicit PositionCorrector(const Config& config);

  /// Changes positions and orientations of `states` (one per body); velocities stay. Static bodies
  /// have inverse mass 0 and do not move. Returns the largest displacement of a contact point [m].
  double correctPositions(const std::vector<Constraint*>& constraints,
                          const std::vector<std::reference_wrapper<InertialState>>& states,
                          const std::vector<double>& inverseMasses,
                          const std::vector<Eigen::Matrix3d>& inverseInertias) const;

 private:
  Config config_;
};

}  // namespace msd_sim
