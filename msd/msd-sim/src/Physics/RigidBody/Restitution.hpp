#pragma once

#include <cmath>

namespace msd_sim {

// The numbers of restitution, once for every method: settings, factory, pipeline and packed rows take
// them from here.

/// Contacts that approach slower than this do not bounce [m/s].
inline constexpr double kRestVelocityThreshold = 0.5;
/// Restitution of a surface that says nothing about it [-].
inline constexpr double kDefaultRestitution = 0.5;

/// Coefficient of a pair from those of its sides: the geometric mean.
[[nodiscard]] inline double pairRestitution(double eA, double eB) { return std::sqrt(eA * eB); }

}  // namespace msd_sim
