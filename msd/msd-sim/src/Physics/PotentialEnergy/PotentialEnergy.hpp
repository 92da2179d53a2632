#pragma once

#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim {

/// A conservative field of force: F = -∂U/∂x, τ = -∂U/∂θ.
///
/// Derive from this to add a field of your own (docs/extending.md): the three functions must
/// belong to one energy, which a test can check by finite differences.
class PotentialEnergy {
 public:
  virtual ~PotentialEnergy() = default;

  /// Force on a body's centre of mass, world axes [N].
  [[nodiscard]] virtual Force computeForce(const InertialState& state, double mass) const = 0;

  /// Torque about the centre of mass, world axes [N·m]; none by default.
  [[nodiscard]] virtual Torque computeTorque(const InertialState& state,
                                             const Matrix3D& inertia) const {
    (void)state, (void)inertia;
    return Torque::Zero();
  }

  /// Energy of a body in the field [J].
  [[nodiscard]] virtual double computeEnergy(const InertialState& state, double mass) const = 0;
};

}  // namespace msd_sim
