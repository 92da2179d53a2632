#pragma once

#include "msd-sim/src/Physics/Integration/Integrator.hpp"

namespace msd_sim {

/// Velocities first, positions with the new velocities:
///
///   v₁ = v₀ + dt F/m,          x₁ = x₀ + dt v₁
///   ω₁ = ω₀ + dt I⁻¹(τ - ω₀ × Iω₀),   q₁ = exp(dt ω₁) q₀
///
/// First order: a fall of time t is off by ½ g t dt. The yardstick of most engines.
class SemiImplicitEulerIntegrator final : public Integrator {
 public:
  [[nodiscard]] InertialState step(const InertialState& state, const IntegratedBody& body,
                                   const SpatialVector& load, double dt) const override;
};

}  // namespace msd_sim
