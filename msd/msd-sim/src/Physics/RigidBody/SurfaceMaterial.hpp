#pragma once

#include <limits>

#include "msd-sim/src/Physics/RigidBody/Restitution.hpp"

namespace msd_sim {

/// Rubber on rubber is 2; beyond this a coefficient of friction is a mistake [-].
inline constexpr double kLargestFriction = 1e3;

/// What happens where two surfaces meet. A pair takes the geometric mean of each coefficient, unless
/// Settings::combine says otherwise.
struct SurfaceMaterial {
  double friction{0.5};             ///< Coulomb coefficient, 0 to 1000 [-]
  double restitution{kDefaultRestitution};  ///< Newton coefficient, 0 to 1 [-]
  double rollingResistance{0.0};    ///< lever arm of the rolling torque, >= 0 [m]
  double torsionalResistance{0.0};  ///< lever arm of the torque about the normal, >= 0 [m]
  /// Along the normal (docs/theory/surfaces.md), > 0; infinite: rigid [N/m]. Pairs are springs in a row.
  double stiffness{std::numeric_limits<double>::infinity()};
  double damping{0.0};  ///< of a surface that is not rigid, >= 0 [N·s/m]
};

}  // namespace msd_sim
