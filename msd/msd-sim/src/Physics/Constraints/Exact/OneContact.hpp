#pragma once

#include <Eigen/Core>

#include "msd-sim/src/Physics/Constraints/Exact/ConeMath.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

namespace msd_sim {

struct OneContactSolution {
  Eigen::Vector3d impulse{Eigen::Vector3d::Zero()};
  ConeState state{ConeState::kOpen};
};

/// Solves Signorini–Coulomb for one contact exactly: u = w r + b with w positive definite (its
/// tangential part may be slightly unsymmetric).
///
///   take-off  b_N >= 0:            r = 0
///   stick     -w⁻¹b in the cone:   r = -w⁻¹ b,  u = 0
///   slip      otherwise:           u_N = 0, u_T = -α r_T, |r_T| = µ r_N with α > 0
///
/// (E-4): in the slip case r_T(α) = -(A + αI)⁻¹ c with A, c the tangential problem at u_N = 0, and
/// α is the root of  f(α) = |r_T| - µ r_N, which changes sign on [0, ∞); found by Newton's method
/// kept inside a shrinking bracket. Docs: theory/exact-contact.md, section 3.
[[nodiscard]] OneContactSolution solveOneContact(const ContactBlock& w, const Eigen::Vector3d& b,
                                                 double mu);

}  // namespace msd_sim
