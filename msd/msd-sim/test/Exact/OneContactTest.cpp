// One contact, u = w r + b. Closed forms:
//   take-off  b_N >= 0: r = 0
//   stick     r = -w⁻¹ b inside the cone
//   slip, w diagonal and isotropic (w_N, w_T): r_N = -b_N/w_N, r_T = -µ r_N b_T/|b_T|
// and, for any w, a search over the direction of sliding that shares nothing with the solver.

#include "msd-sim/src/Physics/Constraints/Exact/OneContact.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>

namespace msd_sim {
namespace {

using Eigen::Vector3d;

double uniform(std::mt19937& generator, double low, double high) {
  return low + (high - low) * static_cast<double>(generator()) / 4294967296.0;
}

/// Distance of (r, u) from the law, in units of r.
double lawError(const ContactBlock& w, const Vector3d& b, double mu, const Vector3d& r) {
  Vector3d u = w * r + b;
  u[0] += mu * std::hypot(u[1], u[2]);
  const double scale = w.trace() / 3.0;
  return (r - projectOntoCone(r - u / scale, mu)).norm();
}

ContactBlock randomBlock(std::mt19937& generator, double condition) {
  Eigen::Matrix3d a;
  for (int i = 0; i < 9; ++i) a.data()[i] = uniform(generator, -1.0, 1.0);
  ContactBlock w = a * a.transpose();
  w.diagonal().array() += w.trace() / condition;
  return w;
}

TEST(OneContact, separatingContactTakesOff) {
  const ContactBlock w = ContactBlock::Identity();
  const auto solution = solveOneContact(w, {0.1, 5.0, -3.0}, 0.7);
  EXPECT_EQ(solution.state, ConeState::kOpen);
  EXPECT_EQ(solution.impulse, Vector3d::Zero());
}

TEST(OneContact, sticksInsideTheCone) {
  ContactBlock w;
  w << 2.0, 0.1, -0.2, 0.1, 3.0, 0.3, -0.2, 0.3, 4.0;
  const Vector3d b{-1.0, 0.2, -0.1};
  const auto solution = solveOneContact(w, b, 0.5);
  EXPECT_EQ(solution.state, ConeState::kStick);
  EXPECT_LT((w * solution.impulse + b).norm(), 1e-14);  // measured 1.1e-16
}

TEST(OneContact, slidesAgainstTheVelocityOnAnIsotropicBlock) {
  const double mu = 0.3;
  ContactBlock w = ContactBlock::Zero();
  w.diagonal() << 2.0, 3.5, 3.5;
  const Vector3d b{-1.0, 3.0, -4.0};
  const auto solution = solveOneContact(w, b, mu);
  EXPECT_EQ(solution.state, ConeState::kSlip);
  const Vector3d expected{0.5, -mu * 0.5 * 0.6, mu * 0.5 * 0.8};
  EXPECT_LT((solution.impulse - expected).norm(), 1e-15);
}

TEST(OneContact, withoutFrictionOnlyPushesAlongTheNormal) {
  std::mt19937 generator{3};
  for (int k = 0; k < 100; ++k) {
    const ContactBlock w = randomBlock(generator, 1e3);
    const Vector3d b{-uniform(generator, 0.1, 2.0), uniform(generator, -1.0, 1.0), 0.3};
    const Vector3d r = solveOneContact(w, b, 0.0).impulse;
    EXPECT_EQ(r[1], 0.0);
    EXPECT_EQ(r[2], 0.0);
    EXPECT_NEAR((w * r + b)[0], 0.0, 1e-15);
  }
}

TEST(OneContact, satisfiesTheLawForRandomBlocks) {
  std::mt19937 generator{11};
  double worst = 0.0;
  int states[3] = {0, 0, 0};
  for (int k = 0; k < 20000; ++k) {
    const double condition = std::pow(10.0, uniform(generator, 0.5, 8.0));
    const ContactBlock w = randomBlock(generator, condition);
    const Vector3d b{uniform(generator, -1.0, 0.3), uniform(generator, -1.0, 1.0),
                     uniform(generator, -1.0, 1.0)};
    const double mu = std::pow(10.0, uniform(generator, -3.0, 1.0));
    const auto solution = solveOneContact(w, b, mu);
    ++states[static_cast<int>(solution.state)];
    const double size = std::max(solution.impulse.norm(), b.norm() / (w.trace() / 3.0));
    worst = std::max(worst, lawError(w, b, mu, solution.impulse) / size);
  }
  EXPECT_LT(worst, 1e-12);  // measured 5e-15
  for (const int count : states) EXPECT_GT(count, 1000);
}

// Sliding in direction d means r = r_N (1, µ d) with u_N = 0, so r_N = -b_N/(w_NN + µ w_NT·d), and
// u_T = -λ d. Scan d over the circle, refine where u_T turns onto -d.
TEST(OneContact, agreesWithAScanOverTheDirectionOfSliding) {
  std::mt19937 generator{5};
  int compared = 0;
  for (int k = 0; k < 300; ++k) {
    const ContactBlock w = randomBlock(generator, 1e2);
    const Vector3d b{-uniform(generator, 0.1, 1.0), uniform(generator, -3.0, 3.0),
                     uniform(generator, -3.0, 3.0)};
    const double mu = uniform(generator, 0.05, 0.5);
    const auto solution = solveOneContact(w, b, mu);
    if (solution.state != ConeState::kSlip) continue;
    const auto slide = [&](double angle) {
      const Vector3d direction{1.0, mu * std::cos(angle), mu * std::sin(angle)};
      return Vector3d{-b[0] / (w.row(0).dot(direction)) * direction};
    };
    // Sine of the angle from -u_T to d; zero with u_T·d < 0 at a solution.
    const auto turn = [&](double angle) {
      const Vector3d u = w * slide(angle) + b;
      return u[1] * std::sin(angle) - u[2] * std::cos(angle);
    };
    double closest = 1e9;
    constexpr int kSteps = 720;
    for (int i = 0; i < kSteps; ++i) {
      double low = 2.0 * std::numbers::pi * i / kSteps;
      double high = 2.0 * std::numbers::pi * (i + 1) / kSteps;
      if (turn(low) * turn(high) > 0.0) continue;
      for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (turn(low) * turn(middle) <= 0.0 ? high : low) = middle;
      }
      const Vector3d r = slide(low);
      const Vector3d u = w * r + b;
      if (r[0] <= 0.0 || u[1] * std::cos(low) + u[2] * std::sin(low) > 0.0) continue;
      closest = std::min(closest, (r - solution.impulse).norm() / r.norm());
    }
    EXPECT_LT(closest, 1e-9) << "problem " << k;  // measured 2e-13
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(OneContact, answersATangentiallyLockedContact) {
  ContactBlock w = ContactBlock::Zero();
  w(0, 0) = 2.0;
  const auto solution = solveOneContact(w, {-1.0, 0.5, 0.0}, 0.3);
  EXPECT_TRUE(solution.impulse.allFinite());
  EXPECT_NEAR(solution.impulse[0], 0.5, 1e-12);
  EXPECT_LE(std::hypot(solution.impulse[1], solution.impulse[2]),
            0.3 * solution.impulse[0] * (1.0 + 1e-12));
}

TEST(OneContact, exertsNothingWhereNothingCanMove) {
  EXPECT_EQ(solveOneContact(ContactBlock::Zero(), {-1.0, 0.5, 0.0}, 0.3).impulse, Vector3d::Zero());
}

}  // namespace
}  // namespace msd_sim
