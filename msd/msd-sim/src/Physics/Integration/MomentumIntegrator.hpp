#pragma once

#include "msd-sim/src/Physics/Integration/Integrator.hpp"

namespace msd_sim {

/// The engine's default: velocity Verlet for the centre of mass and a step on the momentum sphere
/// for the rotation (docs/theory/time-stepping.md, T-1 to T-10). With the momentum in body axes m =
/// Iω:
///
///   kick  v += ½dt F/m,  m += ½dt τ;   drift  x += dt v,
///   m₁ - m₀ = dt' m̄ × I⁻¹m̄,  m̄ = ½(m₀ + m₁),   q₁ = q₀ ⊗ (1, ½dt' I⁻¹m̄)/|·|;   kick again
///
/// with dt' = dt tan(φ)/φ. Exact for a fall under a constant force and for a uniform turn;
/// conserves momentum, angular momentum and energy of a free body to rounding; second order
/// otherwise. Reference: J. C. Simo, K. K. Wong, Int. J. Num. Meth. Eng. 31, 1991.
class MomentumIntegrator final : public Integrator {
 public:
  [[nodiscard]] InertialState step(const InertialState& state, const IntegratedBody& body,
                                   const SpatialVector& load, double dt) const override;
};

}  // namespace msd_sim
