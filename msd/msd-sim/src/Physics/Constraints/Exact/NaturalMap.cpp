#include "msd-sim/src/Physics/Constraints/Exact/NaturalMap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/ConeMath.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {
namespace {

[[nodiscard]] double squaredNorm(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// F(r, u) = r − P_K(r − û/ρ), û = u + µ|u_T| e_N (E-2), of one contact: zero exactly where it obeys Coulomb's law, for any
/// ρ > 0. ρ, the `divisor`, makes a velocity of an impulse; 1 is the published definition, which mixes units.
[[nodiscard]] Eigen::Vector3d contactMap(const Eigen::Vector3d& r, const Eigen::Vector3d& u,
                                         double mu, double divisor) {
  Eigen::Vector3d shifted = u;
  shifted[0] += mu * std::sqrt(u[1] * u[1] + u[2] * u[2]);
  return r - projectOntoCone(r - shifted / divisor, mu);
}

/// F of one bilateral row with the velocity divided by `divisor`, times the divisor: the velocity
/// itself where the row has no bounds.
[[nodiscard]] double rowMap(const BilateralRow& row, double multiplier, double u, double divisor) {
  if (!row.isBounded()) return u;
  return divisor * (multiplier - std::clamp(multiplier - u / divisor, row.lower, row.upper));
}

/// The same as a velocity; a row that nothing moves has none.
[[nodiscard]] double rowError(const FrictionProblem& problem, int b, double multiplier, double u,
                              double scale) {
  return scale > 0.0 ? std::abs(rowMap(problem.bilateralRows()[b], multiplier, u, scale))
                     : std::abs(u);
}

/// ‖F‖² and the squared scale that the published residual divides by.
struct PlainNorms {
  double map{0.0};
  double scale{0.0};

  [[nodiscard]] double relative() const {
    const double length = std::sqrt(scale);
    const double absolute = std::sqrt(map);
    return length > std::numeric_limits<double>::epsilon() ? absolute / length : absolute;
  }
};

[[nodiscard]] PlainNorms computePlainNorms(const FrictionProblem& problem,
                                           std::span<const double> impulse,
                                           std::span<const double> multiplier,
                                           std::span<const double> velocity,
                                           std::span<const double> bilateralVelocity) {
  PlainNorms norms;
  norms.scale = std::max({squaredNorm(problem.q()) + squaredNorm(problem.bilateralQ()),
                          squaredNorm(impulse) + squaredNorm(multiplier),
                          squaredNorm(velocity) + squaredNorm(bilateralVelocity)});
  for (int b = 0; b < problem.bilateralCount(); ++b) {
    const double map =
        rowMap(problem.bilateralRows()[b], multiplier[b], bilateralVelocity[b], 1.0);
    norms.map += map * map;
  }
  for (int c = 0; c < problem.contactCount(); ++c) {
    const Eigen::Map<const Eigen::Vector3d> r(impulse.data() + 3 * c);
    const Eigen::Map<const Eigen::Vector3d> u(velocity.data() + 3 * c);
    norms.map += contactMap(r, u, problem.mu()[c], 1.0).squaredNorm();
  }
  return norms;
}

/// The same law in units of velocity: each F with ρ the mean compliance of its own contact, times ρ, against the fastest
/// free velocity. It does not change with the unit of mass, length or time.
struct VelocityError {
  double absolute{0.0};
  double relative{0.0};
};

[[nodiscard]] VelocityError computeVelocityError(const FrictionProblem& problem,
                                                 std::span<const double> impulse,
                                                 std::span<const double> multiplier,
                                                 std::span<const double> velocity,
                                                 std::span<const double> bilateralVelocity,
                                                 std::span<const double> contactScale,
                                                 std::span<const double> bilateralScale) {
  double worst = 0.0;
  double free = 0.0;
  double load = 0.0;
  for (int c = 0; c < problem.contactCount(); ++c) {
    const double w = contactScale[c];
    const Eigen::Map<const Eigen::Vector3d> r(impulse.data() + 3 * c);
    const Eigen::Map<const Eigen::Vector3d> u(velocity.data() + 3 * c);
    const Eigen::Map<const Eigen::Vector3d> q(problem.q().data() + 3 * c);
    free = std::max(free, q.norm());
    if (w > 0.0) {
      worst = std::max(worst, w * contactMap(r, u, problem.mu()[c], w).norm());
      load = std::max(load, w * r.norm());
    } else {
      worst = std::max(worst, -u[0]);  // nothing moves there: the gap alone counts
    }
  }
  for (int b = 0; b < problem.bilateralCount(); ++b) {
    worst = std::max(
        worst, rowError(problem, b, multiplier[b], bilateralVelocity[b], bilateralScale[b]));
    free = std::max(free, std::abs(problem.bilateralQ()[b]));
    load = std::max(load, bilateralScale[b] * std::abs(multiplier[b]));
  }
  const double scale = std::max(free, tolerance::kLoadScale * load);
  return {worst, scale > 0.0 ? worst / scale : worst};
}

}  // namespace

void computeRowScales(const FrictionProblem& problem, std::span<double> contactScale,
                      std::span<double> bilateralScale) {
  const auto side = [&](int body, const auto& jacobian) {
    if (body == kStaticBody) return 0.0;
    const BodyInverseMass& inverse = problem.bodies()[body];
    const auto linear = jacobian.template leftCols<3>();
    const auto angular = jacobian.template rightCols<3>();
    return inverse.inverseMass * linear.squaredNorm() +
           (angular * inverse.inverseInertia).cwiseProduct(angular).sum();
  };
  // A third of the trace of W_cc: the mean over all directions of what a unit impulse changes.
  for (int c = 0; c < problem.contactCount(); ++c) {
    double trace = 0.0;
    if (problem.form() == FrictionProblem::Form::kAssembled) {
      const BlockMatrix& w = problem.matrix();
      for (int k = w.rowStart[c]; k < w.rowStart[c + 1]; ++k) {
        if (w.column[k] == c) trace = w.block[k].trace();
      }
    } else {
      const FrictionContact& rows = problem.contacts()[c];
      trace = side(rows.bodyA, rows.jacobianA) + side(rows.bodyB, rows.jacobianB);
    }
    contactScale[c] = trace / 3.0 + problem.compliance()[c];
  }
  for (int b = 0; b < problem.bilateralCount(); ++b) {
    const BilateralRow& row = problem.bilateralRows()[b];
    bilateralScale[b] = side(row.bodyA, row.jacobianA) + side(row.bodyB, row.jacobianB) +
                        problem.bilateralCompliance()[b];
  }
}

ContactCertificate computeCertificate(const FrictionProblem& problem,
                                      std::span<const double> impulse,
                                      std::span<const double> multiplier) {
  std::vector<double> velocity(3 * static_cast<std::size_t>(problem.contactCount()));
  std::vector<double> bilateral(static_cast<std::size_t>(problem.bilateralCount()));
  std::vector<double> bodyChange(6 * static_cast<std::size_t>(problem.bodyCount()));
  std::vector<double> contactScale(static_cast<std::size_t>(problem.contactCount()));
  std::vector<double> bilateralScale(static_cast<std::size_t>(problem.bilateralCount()));
  problem.computeVelocity(impulse, multiplier, bodyChange, velocity, bilateral);
  computeRowScales(problem, contactScale, bilateralScale);
  return computeCertificate(problem, impulse, multiplier, velocity, bilateral, contactScale,
                            bilateralScale);
}

ContactCertificate computeCertificate(const FrictionProblem& problem,
                                      std::span<const double> impulse,
                                      std::span<const double> multiplier,
                                      std::span<const double> velocity,
                                      std::span<const double> bilateralVelocity,
                                      std::span<const double> contactScale,
                                      std::span<const double> bilateralScale) {
  const PlainNorms norms =
      computePlainNorms(problem, impulse, multiplier, velocity, bilateralVelocity);
  ContactCertificate certificate;
  certificate.naturalMap = norms.relative();
  certificate.naturalMapAbsolute = std::sqrt(norms.map);
  const VelocityError error = computeVelocityError(problem, impulse, multiplier, velocity,
                                                   bilateralVelocity, contactScale, bilateralScale);
  certificate.velocityError = error.relative;
  certificate.velocityErrorAbsolute = error.absolute;
  certificate.complementarity = 0.0;
  certificate.coneViolation = 0.0;
  certificate.normalViolation = 0.0;
  certificate.bilateralViolation = 0.0;
  for (int c = 0; c < problem.contactCount(); ++c) {
    const double* r = impulse.data() + 3 * c;
    const double* u = velocity.data() + 3 * c;
    const double tangent = std::sqrt(r[1] * r[1] + r[2] * r[2]);
    certificate.complementarity = std::max(certificate.complementarity, std::abs(r[0] * u[0]));
    certificate.coneViolation =
        std::max(certificate.coneViolation, tangent - problem.mu()[c] * r[0]);
    certificate.normalViolation = std::max(certificate.normalViolation, -u[0]);
  }
  for (int b = 0; b < problem.bilateralCount(); ++b) {
    certificate.bilateralViolation =
        std::max(certificate.bilateralViolation,
                 rowError(problem, b, multiplier[b], bilateralVelocity[b], bilateralScale[b]));
  }
  return certificate;
}

NaturalMapResidual computeResidual(const FrictionProblem& problem, std::span<const double> impulse,
                                   std::span<const double> multiplier,
                                   std::span<const double> velocity,
                                   std::span<const double> bilateralVelocity,
                                   std::span<const double> contactScale,
                                   std::span<const double> bilateralScale) {
  const VelocityError error = computeVelocityError(problem, impulse, multiplier, velocity,
                                                   bilateralVelocity, contactScale, bilateralScale);
  return {computePlainNorms(problem, impulse, multiplier, velocity, bilateralVelocity).relative(),
          error.relative, error.absolute};
}

}  // namespace msd_sim
