#pragma once

namespace msd_sim::constraint_tolerances {

/// A normal may differ from unit length by this [-].
inline constexpr double kUnitLength = 1e-6;

/// Points count as touching up to this share of their lever arms apart, as CollisionHandler counts them:
/// what rests stays in contact.
inline constexpr double kTouch = 1e-6;

/// Added to the diagonal of J M⁻¹ Jᵀ [1/kg]: the reference solver's softness against redundancy.
inline constexpr double kRegularisation = 1e-8;

/// A row that moves nothing: its J M⁻¹ Jᵀ is below this [1/kg].
inline constexpr double kNoMotion = 1e-300;

}  // namespace msd_sim::constraint_tolerances
