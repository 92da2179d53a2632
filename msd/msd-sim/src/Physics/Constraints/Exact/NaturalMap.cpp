#include "msd-sim/src/Physics/Constraints/Exact/NaturalMap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/ConeMath.hpp"

namespace msd_sim {
namespace {

struct Norms {
  double map{0.0};  ///< ‖F‖²
  double q{0.0};
  double r{0.0};
  double u{0.0};

  [[nodiscard]] double relative() const {
    const double scale = std::sqrt(std::max({q, r, u}));
    const double absolute = std::sqrt(map);
    return scale > std::numeric_limits<double>::epsilon() ? absolute / scale : absolute;
  }
};

[[nodiscard]] double squaredNorm(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// F of one contact with the velocity divided by `divisor`.
[[nodiscard]] Eigen::Vector3d contactMap(const Eigen::Vector3d& r, const Eigen::Vector3d& u,
                                         double mu, double divisor) {
  Eigen::Vector3d shifted = u;
  shifted[0] += mu * std::sqrt(u[1] * u[1] + u[2] * u[2]);
  return r - projectOntoCone(r - shifted / divisor, mu);
}

[[nodiscard]] Norms computeNorms(const FrictionProblem& problem, std::span<const double> impulse,
                                 std::span<const double> multiplier,
                                 std::span<const double> velocity,
                                 std::span<const double> bilateralVelocity) {
  Norms norms;
  norms.q = squaredNorm(problem.q()) + squaredNorm(problem.bilateralQ());
  norms.r = squaredNorm(impulse) + squaredNorm(multiplier);
  norms.u = squaredNorm(velocity) + squaredNorm(bilateralVelocity);
  norms.map = squaredNorm(bilateralVelocity);
  for (int c = 0; c < problem.contactCount(); ++c) {
    const Eigen::Map<const Eigen::Vector3d> r(impulse.data() + 3 * c);
    const Eigen::Map<const Eigen::Vector3d> u(velocity.data() + 3 * c);
    norms.map += contactMap(r, u, problem.mu()[c], 1.0).squaredNorm();
  }
  return norms;
}

/// Mean of the diagonal of W_cc: the velocity that a unit impulse makes there [1/kg].
[[nodiscard]] double meanDiagonal(const FrictionProblem& problem, int contact) {
  if (problem.form() == FrictionProblem::Form::kAssembled) {
    const BlockMatrix& w = problem.matrix();
    for (int k = w.rowStart[contact]; k < w.rowStart[contact + 1]; ++k) {
      if (w.column[k] == contact) return w.block[k].trace() / 3.0;
    }
    return 0.0;
  }
  const ContactRows& rows = problem.contacts()[contact];
  double trace = 0.0;
  const auto add = [&](int body, const ContactJacobian& j) {
    if (body == kStaticBody) return;
    const BodyInverseMass& inverse = problem.bodies()[body];
    const auto linear = j.leftCols<3>();
    const auto angular = j.rightCols<3>();
    trace += inverse.inverseMass * linear.squaredNorm() +
             (angular * inverse.inverseInertia).cwiseProduct(angular).sum();
  };
  add(rows.bodyA, rows.jacobianA);
  add(rows.bodyB, rows.jacobianB);
  return trace / 3.0;
}

[[nodiscard]] double computeScaledMap(const FrictionProblem& problem,
                                      std::span<const double> impulse,
                                      std::span<const double> velocity) {
  double map = 0.0;
  double free = 0.0;
  for (int c = 0; c < problem.contactCount(); ++c) {
    const double divisor = meanDiagonal(problem, c);
    if (!(divisor > 0.0)) continue;
    const Eigen::Map<const Eigen::Vector3d> r(impulse.data() + 3 * c);
    const Eigen::Map<const Eigen::Vector3d> u(velocity.data() + 3 * c);
    const Eigen::Map<const Eigen::Vector3d> q(problem.q().data() + 3 * c);
    map += contactMap(r, u, problem.mu()[c], divisor).squaredNorm();
    free += q.squaredNorm() / (divisor * divisor);
  }
  const double scale = std::sqrt(std::max(squaredNorm(impulse), free));
  return scale > 0.0 ? std::sqrt(map) / scale : std::sqrt(map);
}

}  // namespace

ContactCertificate computeCertificate(const FrictionProblem& problem,
                                      std::span<const double> impulse,
                                      std::span<const double> multiplier) {
  std::vector<double> velocity(3 * static_cast<std::size_t>(problem.contactCount()));
  std::vector<double> bilateral(static_cast<std::size_t>(problem.bilateralCount()));
  std::vector<double> bodyChange(6 * static_cast<std::size_t>(problem.bodyCount()));
  problem.computeVelocity(impulse, multiplier, bodyChange, velocity, bilateral);
  return computeCertificate(problem, impulse, multiplier, velocity, bilateral);
}

ContactCertificate computeCertificate(const FrictionProblem& problem,
                                      std::span<const double> impulse,
                                      std::span<const double> multiplier,
                                      std::span<const double> velocity,
                                      std::span<const double> bilateralVelocity) {
  const Norms norms = computeNorms(problem, impulse, multiplier, velocity, bilateralVelocity);
  ContactCertificate certificate;
  certificate.naturalMap = norms.relative();
  certificate.naturalMapAbsolute = std::sqrt(norms.map);
  certificate.scaledNaturalMap = computeScaledMap(problem, impulse, velocity);
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
  for (const double value : bilateralVelocity) {
    certificate.bilateralViolation = std::max(certificate.bilateralViolation, std::abs(value));
  }
  return certificate;
}

double naturalMapResidual(const FrictionProblem& problem, std::span<const double> impulse,
                          std::span<const double> multiplier, std::span<const double> velocity,
                          std::span<const double> bilateralVelocity) {
  return computeNorms(problem, impulse, multiplier, velocity, bilateralVelocity).relative();
}

}  // namespace msd_sim
