#pragma once

#include <limits>
#include <span>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

namespace msd_sim {

/// What is proved about a pair (r, u = W r + q): how far it is from Signorini's and Coulomb's laws.
/// Computed from the problem alone; nothing of the solver enters.
struct ContactCertificate {
  /// ‖F‖₂ / max(‖q‖, ‖r‖, ‖u‖) with F_c = r_c - P_K(r_c - (u_c + µ|u_T,c| e_N)); bilateral rows
  /// enter with F_b = u_b. The absolute value where that scale is below machine precision. [-]
  double naturalMap{std::numeric_limits<double>::quiet_NaN()};

  /// ‖F‖₂ itself; mixes N·s and m/s, as the published definition does.
  double naturalMapAbsolute{std::numeric_limits<double>::quiet_NaN()};

  /// The same map with every contact's velocity divided by its own W_cc (mean of the diagonal), so
  /// that F is an impulse, over max(‖r‖, ‖q/W_cc‖): does not change with the unit of mass. [-]
  double scaledNaturalMap{std::numeric_limits<double>::quiet_NaN()};

  double complementarity{std::numeric_limits<double>::quiet_NaN()};  ///< worst |r_N u_N| [J]
  double coneViolation{std::numeric_limits<double>::quiet_NaN()};    ///< worst |r_T| - µ r_N [N·s]
  double normalViolation{std::numeric_limits<double>::quiet_NaN()};  ///< worst -u_N [m/s]
  double bilateralViolation{std::numeric_limits<double>::quiet_NaN()};  ///< worst |u_b| [m/s]
};

/// The certificate of impulses r (3 per contact) and multipliers λ (one per bilateral row).
[[nodiscard]] ContactCertificate computeCertificate(const FrictionProblem& problem,
                                                    std::span<const double> impulse,
                                                    std::span<const double> multiplier);

/// The same where u and u_b are known already (they are not checked against r).
[[nodiscard]] ContactCertificate computeCertificate(const FrictionProblem& problem,
                                                    std::span<const double> impulse,
                                                    std::span<const double> multiplier,
                                                    std::span<const double> velocity,
                                                    std::span<const double> bilateralVelocity);

/// Relative natural-map residual of (r, u); the first entry of the certificate, without the rest.
[[nodiscard]] double naturalMapResidual(const FrictionProblem& problem,
                                        std::span<const double> impulse,
                                        std::span<const double> multiplier,
                                        std::span<const double> velocity,
                                        std::span<const double> bilateralVelocity);

}  // namespace msd_sim
