#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// Moves bodies out of penetration without giving them velocity: a split impulse on
/// pseudo-velocities,
///
///   J M⁻¹ Jᵀ λ = share·max(depth − slop, 0),  λ >= 0,   Δx = M⁻¹Jᵀλ,
///
/// solved by projected Gauss–Seidel and applied to the positions alone. Joints are closed the same way
/// by Newton's method, J M⁻¹ Jᵀ λ = C* − C, a few times over.
class PositionCorrector {
 public:
  struct Config {
    double share{0.2};  ///< of the penetration removed per call [-], 0 to 1
    double slop{1e-4};  ///< penetration that is left alone [m], >= 0
    int iterations{20};
    double largest{std::numeric_limits<double>::infinity()};  ///< most that a call removes [m]
  };

  PositionCorrector();
  explicit PositionCorrector(const Config& config);

  /// Changes positions and orientations of `states` (one per body); velocities stay. Static bodies
  /// have inverse mass 0 and do not move. After a step of dt that began where the contacts were found,
  /// what its velocities have opened by themselves is not pushed again; 0: the bodies stand where they
  /// were found. Returns the largest displacement of a contact point [m].
  double correctPositions(const std::vector<Constraint*>& constraints,
                          const std::vector<std::reference_wrapper<InertialState>>& states,
                          const std::vector<double>& inverseMasses,
                          const std::vector<Eigen::Matrix3d>& inverseInertias,
                          double dt = 0.0) const;

  /// A constraint that is no contact, and the C it shall have: at least that, if it is one-sided.
  struct Target {
    const Constraint* constraint{nullptr};
    Eigen::VectorXd value{};
  };
  /// Moves bodies until every target is met, or it can be met no better. `time` is the constraints'.
  /// Returns the largest miss that is left.
  double closeJoints(const std::vector<Target>& targets,
                     const std::vector<std::reference_wrapper<InertialState>>& states,
                     const std::vector<double>& inverseMasses,
                     const std::vector<Eigen::Matrix3d>& inverseInertias, double time) const;

 private:
  Config config_;
};

}  // namespace msd_sim
