#pragma once

#include "msd-sim/src/Physics/Integration/Integrator.hpp"

namespace msd_sim {

/// Momenta first, positions with the new velocities:
///
///   v₁ = v₀ + dt F/m,   x₁ = x₀ + dt v₁
///   L₁ = L₀ + dt τ,     q½ = exp(½dt I½⁻¹L₁) q₀,   q₁ = exp(dt I½⁻¹L₁) q₀,   ω₁ = I₁⁻¹L₁,   I_k at q_k
///
/// First order: a fall of time t is off by ½ g t dt. The yardstick of most engines, with the gyroscopic
/// torque in its honest place: L changes by the torque alone, in the world's axes. (The axes of the middle
/// keep the energy of a free top within bounds for ever; else it would drift, and the top change its axis.)
class SemiImplicitEulerIntegrator final : public Integrator {
 public:
  [[nodiscard]] InertialState step(const InertialState& state, const IntegratedBody& body,
                                   const SpatialVector& load, double dt) const override;
};

}  // namespace msd_sim
