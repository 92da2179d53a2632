#pragma once

namespace msd_sim::joint_tolerances {

/// Added to the diagonal of J M⁻¹ Jᵀ, relative to it (J-11). Redundant rows get a finite pivot;
/// what it takes from the others the next Newton step gives back.
inline constexpr double kProximal = 1e-12;

/// The same where a system is solved once, for the inertia of a mechanism: little more than rounding.
inline constexpr double kRedundant = 1e-14;

/// Pull of redundant multipliers towards zero per solve, relative to the same diagonal (J-12).
inline constexpr double kDecay = 1e-15;

/// Phase 1 ends when no position error exceeds this share of the joint's size (J-8).
inline constexpr double kClosed = 1e-12;

/// Rounding of a place after a drift, against its coordinates: it cannot be solved away.
inline constexpr double kRoundingOfPlaces = 4e-16;

/// Phase 2 ends when no velocity error exceeds this share of the largest speed at the joints.
inline constexpr double kStill = 1e-13;

/// Newton steps of one solve. Two or three are typical; singular positions take more.
inline constexpr int kMostNewton = 8;

/// Rounds of the active set over bounded rows before the last Gauss–Seidel result is taken.
inline constexpr int kMostRounds = 12;
inline constexpr int kBoundedSweeps = 30;

/// Multiply-adds of one factorisation beyond which a component is not factored (joints.md, section
/// 7).
inline constexpr double kMostWork = 3e6;
/// Bounded rows of one component beyond which it is swept.
inline constexpr int kMostBounded = 256;

/// Conjugate gradients end when no anchor misses its place by more than this share of the joint's
/// size after the substep, or after this many searches; the next phase goes on from there.
inline constexpr double kSweptClosed = 1e-6;
inline constexpr int kMostSearches = 8;

/// Searches of a phase that has no warm start to start from: the first after a net was made.
inline constexpr int kMostColdSearches = 256;

/// A component is too stiff for the substep (J-22) when phase 1 leaves a joint open by more than
/// this share of its size, or when a Newton step leaves more than this share of the error, as long
/// as the error exceeds `kClear` times what counts as closed.
inline constexpr double kStiff = 1e-6;
inline constexpr double kSlow = 0.1;
inline constexpr double kClear = 1e3;

/// Joints that stand open by more than this share of their size at the end of a step are closed by moving
/// their bodies (J-26), in so many Newton steps, of which none moves a body by more than `kLargestMove` of it.
inline constexpr double kOpen = 1e-7;
inline constexpr double kProjected = 1e-10;
inline constexpr int kMostProjections = 40;
inline constexpr int kMostHalvings = 6;
/// Steps after which all bodies count the same.
inline constexpr int kMostByMass = 8;
inline constexpr double kLargestMove = 0.2;

/// Where contacts act, phase 1 ends when no joint opens faster than this share of its size [1/s], or after so many
/// Newton steps (J-41).
inline constexpr double kNear = 2.4e-5;
inline constexpr int kMostRough = 3;

/// Phase 1 gives up positions (J-42) that Newton's method leaves open by more than this share of the size.
inline constexpr double kStiffRough = 1e-4;

/// Damping that stands for none in phase 2, against the row's own inverse mass (J-10).
inline constexpr double kNoDamping = 1e-9;

}  // namespace msd_sim::joint_tolerances
