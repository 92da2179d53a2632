#pragma once

#include "msd-sim/src/Physics/RigidBody/Restitution.hpp"

namespace msd_sim {

/// What happens where two surfaces meet. A pair takes the geometric mean of each coefficient, unless
/// Settings::combine says otherwise.
struct SurfaceMaterial {
  double friction{0.5};             ///< Coulomb coefficient, 0 to 1000 [-]
  double restitution{kDefaultRestitution};  ///< Newton coefficient, 0 to 1 [-]
  double rollingResistance{0.0};    ///< lever arm of the rolling torque, >= 0 [m]
  double torsionalResistance{0.0};  ///< lever arm of the torque about the normal, >= 0 [m]
};

}  // namespace msd_sim
