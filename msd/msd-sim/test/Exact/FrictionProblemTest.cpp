// The problem object: its two forms say the same, and it refuses what makes no sense.

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include "ProblemFamilies.hpp"

namespace msd_sim {
namespace {

using Eigen::Vector3d;

double symmetric(std::mt19937& generator) {
  return static_cast<double>(generator()) / 2147483648.0 - 1.0;
}

std::vector<double> randomVector(std::size_t size, std::mt19937& generator) {
  std::vector<double> values(size);
  for (double& value : values) value = symmetric(generator);
  return values;
}

TEST(FrictionProblem, bothFormsGiveTheSameVelocity) {
  std::mt19937 generator{3};
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const FrictionProblem factored = families::makeRandomPile(8, 3, 0.5, seed);
    const FrictionProblem assembled = factored.toAssembled();
    const std::size_t size = 3 * static_cast<std::size_t>(factored.contactCount());
    const auto r = randomVector(size, generator);
    std::vector<double> change(6 * static_cast<std::size_t>(factored.bodyCount()));
    std::vector<double> u(size);
    std::vector<double> v(size);
    factored.computeVelocity(r, {}, change, u, {});
    assembled.computeVelocity(r, {}, {}, v, {});
    for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(u[i], v[i], 1e-11);  // measured 9e-14
  }
}

// Eliminating the joints must give the velocity the contacts have once the multipliers have done
// their work: solve for λ here by a dense pseudo-inverse of W_bb found by probing.
TEST(FrictionProblem, eliminatedJointsStaySatisfied) {
  const FrictionProblem factored = families::makeRedundantChain(3, 0.4);
  const FrictionProblem assembled = factored.toAssembled();
  const int joints = factored.bilateralCount();
  const int contacts = factored.contactCount();
  std::mt19937 generator{8};
  const auto r = randomVector(3 * static_cast<std::size_t>(contacts), generator);

  std::vector<double> change(6 * static_cast<std::size_t>(factored.bodyCount()));
  std::vector<double> u(r.size());
  std::vector<double> ub(static_cast<std::size_t>(joints));
  std::vector<double> lambda(static_cast<std::size_t>(joints), 0.0);
  // Gauss–Seidel on the joints alone: converges for a chain, redundant rows or not.
  std::vector<double> diagonal(lambda.size());
  std::vector<double> base(lambda.size());
  factored.computeVelocity(r, lambda, change, u, base);
  for (int b = 0; b < joints; ++b) {
    std::vector<double> unit(lambda.size(), 0.0);
    unit[b] = 1.0;
    factored.computeVelocity(r, unit, change, u, ub);
    diagonal[b] = ub[b] - base[b];
  }
  for (int sweep = 0; sweep < 3000; ++sweep) {
    for (int b = 0; b < joints; ++b) {
      factored.computeVelocity(r, lambda, change, u, ub);
      lambda[b] -= ub[b] / diagonal[b];
    }
  }
  factored.computeVelocity(r, lambda, change, u, ub);
  for (const double value : ub) EXPECT_NEAR(value, 0.0, 1e-8);

  std::vector<double> v(r.size());
  assembled.computeVelocity(r, {}, {}, v, {});
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], u[i], 1e-7);  // measured 1.3e-9
}

TEST(FrictionProblem, complianceAddsToTheDiagonal) {
  FrictionProblem problem;
  const int body = problem.addBody({0.5, Eigen::Matrix3d::Identity()});
  FrictionContact rows;
  rows.bodyB = body;
  rows.jacobianB.leftCols<3>().setIdentity();
  problem.addContact(rows, Vector3d::Zero(), 0.3, 0.25);
  EXPECT_DOUBLE_EQ(problem.toAssembled().matrix().block[0](0, 0), 0.75);
  const std::vector<double> r{2.0, 1.0, -1.0};
  std::vector<double> change(6);
  std::vector<double> u(3);
  problem.computeVelocity(r, {}, change, u, {});
  EXPECT_DOUBLE_EQ(u[0], 1.5);
  EXPECT_DOUBLE_EQ(u[1], 0.75);
}

TEST(FrictionProblem, refusesValuesOutOfRangeByName) {
  FrictionProblem problem;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return std::string{error.what()};
    }
    return std::string{"nothing thrown"};
  };
  using testing::HasSubstr;
  EXPECT_THAT(message([&] { problem.addBody({-1.0, Eigen::Matrix3d::Identity()}); }),
              HasSubstr("inverse mass [1/kg] is -1"));
  EXPECT_THAT(message([&] { problem.addBody({nan, Eigen::Matrix3d::Identity()}); }),
              HasSubstr("inverse mass"));
  EXPECT_THAT(message([&] { problem.addBody({1.0, Eigen::Matrix3d::Constant(infinity)}); }),
              HasSubstr("inverse inertia"));
  problem.addBody({1.0, Eigen::Matrix3d::Identity()});
  FrictionContact rows;
  rows.bodyB = 0;
  EXPECT_THAT(message([&] { problem.addContact(rows, Vector3d::Zero(), -0.1); }),
              HasSubstr("mu is -0.1"));
  EXPECT_THAT(message([&] { problem.addContact(rows, Vector3d{0.0, nan, 0.0}, 0.1); }),
              HasSubstr("contact q [m/s][1] is nan"));
  EXPECT_THAT(message([&] { problem.addContact(rows, Vector3d::Zero(), 0.1, infinity); }),
              HasSubstr("compliance"));
  rows.bodyA = 3;
  EXPECT_THAT(message([&] { problem.addContact(rows, Vector3d::Zero(), 0.1); }),
              HasSubstr("contact body A is 3"));
  rows.bodyA = 0;
  EXPECT_THAT(message([&] { problem.addContact(rows, Vector3d::Zero(), 0.1); }),
              HasSubstr("touches itself"));
  EXPECT_EQ(problem.contactCount(), 0);
}

TEST(FrictionProblem, refusesAMatrixThatDoesNotFit) {
  const auto build = [](std::vector<int> start, std::vector<int> column, std::size_t blocks,
                        std::size_t q, std::size_t mu) {
    BlockMatrix w;
    w.rowStart = std::move(start);
    w.column = std::move(column);
    w.block.assign(blocks, ContactBlock::Identity());
    return FrictionProblem::assembled(std::move(w), std::vector<double>(q, 0.0),
                                      std::vector<double>(mu, 0.5));
  };
  EXPECT_NO_THROW(build({0, 1, 2}, {0, 1}, 2, 6, 2));
  EXPECT_NO_THROW(build({}, {}, 0, 0, 0));
  EXPECT_THROW(build({0, 1, 2}, {0, 1}, 2, 5, 2), std::invalid_argument);  // q too short
  EXPECT_THROW(build({0, 1}, {0}, 1, 6, 2), std::invalid_argument);        // too few rows
  EXPECT_THROW(build({0, 1, 2}, {0, 2}, 2, 6, 2), std::invalid_argument);  // column out of range
  EXPECT_THROW(build({0, 2, 2}, {1, 0}, 2, 6, 2), std::invalid_argument);  // out of order
  EXPECT_THROW(build({0, 2, 1}, {0}, 1, 6, 2), std::invalid_argument);     // rows out of order
  EXPECT_THROW(build({1, 1, 2}, {0, 1}, 2, 6, 2), std::invalid_argument);  // first row late
}

TEST(FrictionProblem, startsAgainAfterClear) {
  FrictionProblem problem = families::makeStack(3, 1.0, 0.5);
  problem.clear();
  EXPECT_EQ(problem.contactCount(), 0);
  EXPECT_EQ(problem.bodyCount(), 0);
  EXPECT_EQ(problem.addBody({1.0, Eigen::Matrix3d::Identity()}), 0);
}

}  // namespace
}  // namespace msd_sim
