#pragma once

namespace msd_sim {

/// Numerical tolerances of the engine. Each is relative to the scale its comment names; what a user
/// may change lives in Settings.

/// Length of a quaternion a caller gives, against 1. Text with seven digits passes.
inline constexpr double kUnitQuaternionTolerance = 1e-6;

/// Asymmetry and triangle inequality of an inertia tensor, against its largest entry.
inline constexpr double kInertiaTolerance = 1e-9;

}  // namespace msd_sim
