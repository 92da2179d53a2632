#pragma once

#include <limits>
#include <span>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

namespace msd_sim {

/// What is proved about a pair (r, u = W r + q): how far it is from Signorini's and Coulomb's laws.
/// Computed from the problem alone; nothing of the solver enters.
struct ContactCertificate {
  /// ‖F‖₂ / max(‖q‖, ‖r‖, ‖u‖) with F_c = r_c - P_K(r_c - (u_c + µ|u_T,c| e_N)); bilateral rows
  /// enter with F_b = λ_b - clamp(λ_b - u_b, lower, upper), u_b where there are no bounds. The absolute value where that scale is below machine precision. [-]
  double naturalMap{std::numeric_limits<double>::quiet_NaN()};

  /// ‖F‖₂ itself; mixes N·s and m/s, as the published definition does.
  double naturalMapAbsolute{std::numeric_limits<double>::quiet_NaN()};

  /// The same map as a velocity, worst contact: max_c w|r - P_K(r - ũ/w)| with w the mean of the
  /// diagonal of W_cc, and max |u_b|, over the largest free velocity max |q|. Does not change with
  /// the units, is not diluted by the number of contacts, and a heavy load elsewhere does not
  /// excuse a light body. Where the load is so large that rounding of w|r| shows, that is the
  /// scale: max(|q|, kLoadScale·w|r|). [-]
  double velocityError{std::numeric_limits<double>::quiet_NaN()};
  double velocityErrorAbsolute{std::numeric_limits<double>::quiet_NaN()};  ///< the same [m/s]

  double complementarity{std::numeric_limits<double>::quiet_NaN()};  ///< worst |r_N u_N| [J]
  double coneViolation{std::numeric_limits<double>::quiet_NaN()};    ///< worst |r_T| - µ r_N [N·s]
  double normalViolation{std::numeric_limits<double>::quiet_NaN()};  ///< worst -u_N [m/s]
  /// Worst w|λ - clamp(λ - u_b/w)| of a bilateral row: |u_b| where it has no bounds [m/s].
  double bilateralViolation{std::numeric_limits<double>::quiet_NaN()};
};

/// The certificate of impulses r (3 per contact) and multipliers λ (one per bilateral row).
[[nodiscard]] ContactCertificate computeCertificate(const FrictionProblem& problem,
                                                    std::span<const double> impulse,
                                                    std::span<const double> multiplier);

/// The same where u, u_b and the rows' scales w are known already (they are not checked).
[[nodiscard]] ContactCertificate computeCertificate(const FrictionProblem& problem,
                                                    std::span<const double> impulse,
                                                    std::span<const double> multiplier,
                                                    std::span<const double> velocity,
                                                    std::span<const double> bilateralVelocity,
                                                    std::span<const double> contactScale,
                                                    std::span<const double> bilateralScale);

/// The two relative residuals of a certificate.
struct NaturalMapResidual {
  double relative{0.0};       ///< ContactCertificate::naturalMap
  double velocityError{0.0};  ///< ContactCertificate::velocityError
  double velocityErrorAbsolute{0.0};
};

/// The residuals of (r, u) without the rest of the certificate. `contactScale` and `bilateralScale`
/// hold w of every row (computeRowScales).
[[nodiscard]] NaturalMapResidual computeResidual(const FrictionProblem& problem,
                                                 std::span<const double> impulse,
                                                 std::span<const double> multiplier,
                                                 std::span<const double> velocity,
                                                 std::span<const double> bilateralVelocity,
                                                 std::span<const double> contactScale,
                                                 std::span<const double> bilateralScale);

/// Velocity that a unit impulse makes at each contact (mean of the diagonal of W_cc) and at each
/// bilateral row [1/kg].
void computeRowScales(const FrictionProblem& problem, std::span<double> contactScale,
                      std::span<double> bilateralScale);

}  // namespace msd_sim
