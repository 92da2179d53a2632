// The certificate: projection on the cone, and the residual against hand values and a second
// implementation.

#include "msd-sim/src/Physics/Constraints/Exact/NaturalMap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "IndependentResidual.hpp"
#include "ProblemFamilies.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ConeMath.hpp"

namespace msd_sim {
namespace {

using Eigen::Vector3d;

double symmetric(std::mt19937& generator) {
  return static_cast<double>(generator()) / 2147483648.0 - 1.0;
}

FrictionProblem oneContact(const Vector3d& q, double mu) {
  BlockMatrix w;
  w.rowStart = {0, 1};
  w.column = {0};
  w.block = {ContactBlock::Identity()};
  return FrictionProblem::assembled(std::move(w), {q[0], q[1], q[2]}, {mu});
}

// Moreau: x = P_K(x) + P_K°(x) with the two parts orthogonal and the second in the polar cone.
TEST(ConeProjection, splitsEveryVectorIntoConeAndPolarCone) {
  std::mt19937 generator{1};
  for (int k = 0; k < 10000; ++k) {
    const double mu = std::pow(10.0, 2.0 * symmetric(generator));
    const Vector3d x{symmetric(generator), symmetric(generator), symmetric(generator)};
    const Vector3d p = projectOntoCone(x, mu);
    const Vector3d polar = x - p;
    EXPECT_LE(std::hypot(p[1], p[2]), mu * p[0] + 1e-14 * (1.0 + mu));
    EXPECT_LE(mu * std::hypot(polar[1], polar[2]), -polar[0] + 1e-14 * (1.0 + mu));
    EXPECT_NEAR(p.dot(polar), 0.0, 1e-14);
    EXPECT_LT((projectOntoCone(p, mu) - p).norm(), 1e-14);
  }
}

TEST(ConeProjection, withoutFrictionIsTheNormalRay) {
  EXPECT_EQ(projectOntoCone({2.0, 5.0, -1.0}, 0.0), Vector3d(2.0, 0.0, 0.0));
  EXPECT_EQ(projectOntoCone({-2.0, 5.0, -1.0}, 0.0), Vector3d(0.0, 0.0, 0.0));
}

TEST(Certificate, isZeroForASlidingContactThatDoesNotLift) {
  // W = I, q = (-1, 2, 0), µ = 0.5: r = (1, -0.5, 0), u = (0, 1.5, 0).
  const FrictionProblem problem = oneContact({-1.0, 2.0, 0.0}, 0.5);
  const std::vector<double> r{1.0, -0.5, 0.0};
  const ContactCertificate certificate = computeCertificate(problem, r, {});
  EXPECT_EQ(certificate.naturalMap, 0.0);
  EXPECT_EQ(certificate.velocityError, 0.0);
  EXPECT_EQ(certificate.complementarity, 0.0);
  EXPECT_EQ(certificate.coneViolation, 0.0);
  EXPECT_EQ(certificate.normalViolation, 0.0);
}

TEST(Certificate, rejectsTheConvexRelaxationThatLifts) {
  // The relaxed law (no De Saxcé term) would let the same contact rise with u_N = µ |u_T|:
  // r = P_K(-q) = (1.6, -0.8, 0), u = (0.6, 1.2, 0). The exact map must see it:
  // F = r - P_K(r - (u + 0.6 e_N)) = r - P_K(0.4, -2, 0) = (0.48, -0.24, 0).
  const FrictionProblem problem = oneContact({-1.0, 2.0, 0.0}, 0.5);
  const std::vector<double> r{1.6, -0.8, 0.0};
  const ContactCertificate certificate = computeCertificate(problem, r, {});
  const double expected = std::hypot(0.48, 0.24);
  EXPECT_NEAR(certificate.naturalMapAbsolute, expected, 1e-15);
  EXPECT_NEAR(certificate.naturalMap, expected / std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(certificate.complementarity, 0.96, 1e-15);
}

TEST(Certificate, countsEachViolationInItsOwnUnit) {
  const FrictionProblem problem = oneContact({-3.0, 0.0, 0.0}, 0.5);
  const std::vector<double> r{1.0, 0.75, 0.0};  // u = (-2, 0.75, 0)
  const ContactCertificate certificate = computeCertificate(problem, r, {});
  EXPECT_DOUBLE_EQ(certificate.normalViolation, 2.0);
  EXPECT_DOUBLE_EQ(certificate.coneViolation, 0.25);
  EXPECT_DOUBLE_EQ(certificate.complementarity, 2.0);
}

TEST(Certificate, agreesWithASecondImplementation) {
  std::mt19937 generator{9};
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const FrictionProblem problem = families::makeRandomPile(6, 3, 0.6, seed);
    std::vector<double> r(3 * static_cast<std::size_t>(problem.contactCount()));
    for (double& value : r) value = 3.0 * symmetric(generator);
    const ContactCertificate own = computeCertificate(problem, r, {});
    const independent::Residual other = independent::computeResidual(problem, r);
    EXPECT_NEAR(own.naturalMap, other.relative, 1e-12 * other.relative);
    EXPECT_NEAR(own.normalViolation, other.normalViolation, 1e-12);
    EXPECT_NEAR(own.coneViolation, other.coneViolation, 1e-12);
    EXPECT_NEAR(own.complementarity, other.complementarity, 1e-12 * other.complementarity);
  }
}

// Mass in other units: W scales with s, r with 1/s, u and q stay.
TEST(Certificate, velocityErrorDoesNotDependOnTheUnitOfMass) {
  const FrictionProblem problem = families::makeRandomPile(6, 3, 0.6, 4).toAssembled();
  std::mt19937 generator{2};
  std::vector<double> r(3 * static_cast<std::size_t>(problem.contactCount()));
  for (double& value : r) value = symmetric(generator);
  const double reference = computeCertificate(problem, r, {}).velocityError;
  for (const double s : {1e-6, 1e-3, 1e3, 1e6}) {
    BlockMatrix w = problem.matrix();
    for (ContactBlock& block : w.block) block *= s;
    std::vector<double> scaled = r;
    for (double& value : scaled) value /= s;
    const auto other =
        FrictionProblem::assembled(std::move(w), {problem.q().begin(), problem.q().end()},
                                   {problem.mu().begin(), problem.mu().end()});
    EXPECT_NEAR(computeCertificate(other, scaled, {}).velocityError, reference, 1e-12 * reference);
  }
}

// 1000 kg pressed by a load of 1e9 N·s: an error of 1 m/s disappears in the published residual.
TEST(Certificate, velocityErrorSeesWhatALargeLoadHides) {
  BlockMatrix w;
  w.rowStart = {0, 1};
  w.column = {0};
  w.block = {ContactBlock::Identity() * 1e-3};
  const auto problem = FrictionProblem::assembled(std::move(w), {-1e3, 0.0, 0.0}, {0.5});
  const std::vector<double> r{0.999e6, 0.0, 0.0};  // u_N = -1 m/s
  const ContactCertificate certificate = computeCertificate(problem, r, {});
  EXPECT_NEAR(certificate.naturalMap, 1e-6, 1e-8);
  EXPECT_NEAR(certificate.velocityError, 1e-3, 1e-5);
}

TEST(Certificate, seesAnUnsatisfiedJoint) {
  families::SceneBuilder scene;
  const int box = scene.addBox({0.0, 0.0, 1.0}, {0.5, 0.5, 0.5}, 2.0);
  scene.addBilateralRow(-1, box, {0.0, 0.0, 1.0}, Vector3d::UnitZ());
  const std::vector<double> multiplier{0.0};
  const ContactCertificate certificate = computeCertificate(scene.problem(), {}, multiplier);
  EXPECT_NEAR(certificate.bilateralViolation, 9.81 / 60.0, 1e-15);
  EXPECT_NEAR(certificate.naturalMap, 1.0, 1e-15);
}

}  // namespace
}  // namespace msd_sim
