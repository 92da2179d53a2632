#pragma once

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim {

/// What an integrator needs to know of a body beside its state.
struct IntegratedBody {
  double mass{1.0};                        ///< [kg]
  Matrix3D inertia{Matrix3D::Identity()};  ///< about the centre of mass, body axes [kg·m²]
};

/// Advances one free rigid body. The engine's step runs the default scheme on packed bodies
/// (Rows/BodyKernels.hpp); these classes are the same thing for single bodies, to read, to test
/// against and to build on.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// The state dt [s] later under a load (force at the centre of mass [N] and torque [N·m], world
  /// axes) that stays constant meanwhile. Throws std::invalid_argument when dt is not positive and
  /// finite, or mass or inertia are not those of a body.
  [[nodiscard]] virtual InertialState step(const InertialState& state, const IntegratedBody& body,
                                           const SpatialVector& load, double dt) const = 0;
};

}  // namespace msd_sim
