#pragma once

/// Every number of the exact solver that is neither a setting (ExactOptions) nor part of a formula.
/// Each is relative; the comment names the scale. docs/theory/exact-contact.md, section 5, says how
/// those of the driver were measured.
namespace msd_sim::tolerance {

// One contact.

/// Added to the tangential 2 × 2 block of one contact, relative to its largest diagonal entry:
/// about the rounding of that block, so an invertible block is not changed in effect.
inline constexpr double kSingularBlock = 1e-15;

/// |r_T| - µ r_N of a sliding contact, relative to |r_T|: a few roundings.
inline constexpr double kOneContact = 4e-16;
inline constexpr int kOneContactIterations = 60;

// Certificate.

/// Share of the velocity w|r| that a load alone would cause, below which a velocity error is not
/// asked for: 1e-8 of it is a hundred roundings.
inline constexpr double kLoadScale = 1e-6;

// Linear algebra.

/// Eigenvalues of W_bb below this share of the largest belong to redundant joint rows.
inline constexpr double kRedundantRow = 1e-12;

/// Pivots below this share of the largest matrix entry are replaced by it.
inline constexpr double kTinyPivot = 1e-18;

/// Least tangential scale of a contact, relative to its W_NN: keeps the law defined where the
/// tangential directions cannot move.
inline constexpr double kScaleFloor = 1e-12;

/// Rounding of a sum of a few hundred terms, relative to its largest.
inline constexpr double kRounding = 1e-15;

// Gauss–Seidel phase: residual after a batch of sweeps over residual before.

inline constexpr int kSweepBatch = 10;
inline constexpr double kFastSweeps = 0.2;  ///< as good as this or better: another batch
inline constexpr double kSlowSweeps = 0.9;  ///< worse than this: no more
inline constexpr int kMostInitialSweeps = 400;
inline constexpr int kPolishSweeps = 5;

/// Proximal steps spent on ExactOptions::aim after the tolerance is reached.
inline constexpr int kExtraSteps = 3;

// Proximal steps. The softness ε is relative to each contact's W_cc.

inline constexpr double kSoftnessPerResidual = 1e2;  ///< first ε over the residual at that time
inline constexpr double kSmallestFirstSoftness = 1e-6;
inline constexpr double kLargestFirstSoftness = 10.0;
inline constexpr double kLargestSoftness = 100.0;
inline constexpr double kSmallestSoftness = 1e-8;
inline constexpr double kSoftnessFall = 0.03;     ///< after an easy step
inline constexpr double kSoftnessSlowFall = 0.5;  ///< after a laborious one
inline constexpr double kSoftnessRise = 4.0;      ///< after a failure
inline constexpr double kFailureMemory = 0.5;     ///< how fast a failed ε is tried again
inline constexpr int kEasyInner = 5;              ///< Newton steps of an easy proximal step
inline constexpr double kRejectGrowth = 10.0;     ///< of the residual in one step: not accepted
inline constexpr int kInnerIterations = 40;
inline constexpr double kInnerReduction = 1e-4;     ///< mismatch, end over start
inline constexpr double kSmallestStep = 1.0 / 128;  ///< of the line search

/// Proximal steps without a halving of the residual after which a solve is called as good as it
/// gets: few once the residual is at the level of rounding, many before (hard problems rest for
/// up to 200 and then go on).
inline constexpr int kIdleLimitRounding = 30;
inline constexpr int kIdleLimit = 500;
inline constexpr double kRoundingResidual = 1e-11;
inline constexpr double kRoundingMargin = 30.0;  ///< over kRounding·(load/free velocity)

}  // namespace msd_sim::tolerance
