// The solver against closed forms, and against itself where the answer must not depend on how the
// problem is written. µ m g dt and friends: one step of 1/60 s, g = 9.81 m/s².

#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "IndependentResidual.hpp"
#include "ProblemFamilies.hpp"

namespace msd_sim {
namespace {

using Eigen::Vector3d;
using families::SceneBuilder;

constexpr double kFall = 9.81 / 60.0;  // speed gained in a step [m/s]

/// A cube of 1 m and 2 kg on four points of a plane; the plane's normal is given, gravity stays.
SceneBuilder makeBlock(const Vector3d& velocity, double mu) {
  SceneBuilder scene;
  const int box = scene.addBox({0.0, 0.0, 0.5}, {0.5, 0.5, 0.5}, 2.0);
  scene.body(box).velocity += velocity;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5})
      scene.addContact(-1, box, {x, y, 0.0}, Vector3d::UnitZ(), mu);
  }
  return scene;
}

Vector3d linearChange(const ExactResult& result, int body) {
  return Eigen::Map<const Vector3d>(result.bodyVelocityChange.data() + 6 * body);
}

void expectSolved(const FrictionProblem& problem, double tolerance, const char* name) {
  ExactSolver solver;
  const ExactResult result = solver.solve(problem, {.tolerance = tolerance});
  EXPECT_TRUE(result.converged()) << name << ": " << exactStatusName(result.status);
  const double second = problem.bilateralCount() == 0
                            ? independent::computeResidual(problem, result.impulse).relative
                            : result.certificate.naturalMap;
  EXPECT_LE(second, 1.01 * tolerance) << name;
  EXPECT_LE(result.certificate.velocityError, tolerance) << name;
}

TEST(ExactSolver, restingBlockStaysAtRest) {
  SceneBuilder scene = makeBlock(Vector3d::Zero(), 0.5);
  ExactSolver solver;
  const ExactResult result = solver.solve(scene.problem(), {.tolerance = 1e-12});
  ASSERT_TRUE(result.converged());
  const Vector3d change = linearChange(result, 0);
  EXPECT_NEAR(change.z(), kFall, 1e-11);  // measured 3e-14
  EXPECT_NEAR(change.x(), 0.0, 1e-11);
  EXPECT_NEAR(change.y(), 0.0, 1e-11);
}

// Sliding: Δv_T = -µ g dt against the motion, in every direction, and no lift.
TEST(ExactSolver, slidingBlockIsSlowedAlikeInEveryDirectionAndDoesNotLift) {
  const double mu = 0.4;
  ExactSolver solver;
  for (int k = 0; k < 12; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 12.0;
    const Vector3d direction{std::cos(angle), std::sin(angle), 0.0};
    SceneBuilder scene = makeBlock(3.0 * direction, mu);
    const ExactResult result = solver.solve(scene.problem(), {.tolerance = 1e-14});
    const Vector3d change = linearChange(result, 0);
    EXPECT_NEAR(change.z(), kFall, 1e-13);  // measured 1e-15: no lift
    EXPECT_NEAR(change.dot(direction), -mu * kFall, 1e-13);
    EXPECT_NEAR(change.cross(direction).z(), 0.0, 1e-13);
  }
}

// A push F in direction φ moves the block iff F > µ m g: bisect, all directions. Beyond the limit
// the block gains (F/(m g) - µ) g dt, so a speed of 1e-10 m/s resolves the threshold to 6e-10.
TEST(ExactSolver, forceThresholdIsTheSameInTwelveDirections) {
  const double mu = 0.4;
  ExactSolver solver;
  double lowest = 1e9;
  double highest = 0.0;
  for (int k = 0; k < 12; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.3) / 12.0;
    const Vector3d direction{std::cos(angle), std::sin(angle), 0.0};
    double low = 0.0;
    double high = 1.0;
    while (high - low > 1e-11) {
      const double share = 0.5 * (low + high);
      SceneBuilder scene = makeBlock(share * kFall * direction, mu);
      // At the limit an error of the velocity enters the residual to the power 3/2 only.
      const ExactResult result = solver.solve(scene.problem(), {.tolerance = 1e-14});
      const Vector3d after = share * kFall * direction + linearChange(result, 0);
      (after.head<2>().norm() > 1e-10 ? high : low) = share;
    }
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
  EXPECT_NEAR(lowest, mu, 2e-9);
  EXPECT_LE(highest - lowest, 1e-8);  // measured 2e-10
}

TEST(ExactSolver, stackWithAMillionfoldLoadStandsStill) {
  for (const double ratio : {1.0, 1e3, 1e6}) {
    const FrictionProblem problem = families::makeStack(10, ratio, 0.5);
    ExactSolver solver;
    const ExactResult result = solver.solve(problem, {.tolerance = 1e-8});
    ASSERT_TRUE(result.converged()) << ratio;
    for (int body = 0; body < 10; ++body) {
      EXPECT_NEAR(linearChange(result, body).z(), kFall, 1e-8) << ratio;
    }
    double ground = 0.0;
    for (int c = 0; c < 4; ++c) ground += result.impulse[3 * c];
    const double weight = (9.0 + ratio) * 1000.0 * kFall;
    EXPECT_NEAR(ground, weight, 1e-7 * weight);
  }
}

TEST(ExactSolver, feetOfASlabCarryItsWeightWhereverTheForcesGo) {
  for (const double push : {0.0, 0.3, 0.49999}) {
    const FrictionProblem problem = families::makeManyFeet(6, 0.5, push);
    ExactSolver solver;
    const ExactResult result = solver.solve(problem, {.tolerance = 1e-11});
    ASSERT_TRUE(result.converged());
    const Vector3d change = linearChange(result, 0);
    EXPECT_NEAR(change.z(), kFall, 1e-9);
    EXPECT_NEAR(change.x(), -0.6 * push * kFall, 1e-9);  // held: below the limit of friction
    EXPECT_NEAR(change.y(), -0.8 * push * kFall, 1e-9);
  }
}

// A sphere in a V groove of half-angle β without friction: N = m g dt / (2 sin β) on each wall.
TEST(ExactSolver, wedgedSphereLoadsTheWallsByItsGeometry) {
  const double lean = std::numbers::pi / 6.0;
  SceneBuilder scene;
  const int ball = scene.addSphere({0.0, 0.0, 0.0}, 1.0, 7.0);
  for (const double side : {-1.0, 1.0}) {
    const Vector3d normal{side * std::cos(lean), 0.0, std::sin(lean)};
    scene.addContact(-1, ball, -normal, normal, 0.0);
  }
  ExactSolver solver;
  const ExactResult result = solver.solve(scene.problem(), {.tolerance = 1e-13});
  for (const int contact : {0, 1}) {
    EXPECT_NEAR(result.impulse[3 * contact], 7.0 * kFall / (2.0 * std::sin(lean)), 1e-11);
  }
}

// Glancing blow with friction, sphere: sticks iff |v_t| <= 7/2 µ v_n (e = 0); then v_t' = 5/7 v_t.
TEST(ExactSolver, obliqueImpactOfASphereFollowsTheClosedForm) {
  const double mu = 0.2;
  const double vn = 2.0;
  ExactSolver solver;
  for (const double vt : {0.5, 1.3, 1.5, 4.0}) {
    SceneBuilder scene;
    const int ball = scene.addSphere({0.0, 0.0, 0.3}, 0.3, 5.0);
    scene.body(ball).velocity = {vt, 0.0, -vn};
    scene.addContact(-1, ball, Vector3d::Zero(), Vector3d::UnitZ(), mu);
    const ExactResult result = solver.solve(scene.problem(), {.tolerance = 1e-15});
    const double after = vt + linearChange(result, 0).x();
    const double expected = vt <= 3.5 * mu * vn ? 5.0 / 7.0 * vt : vt - mu * vn;
    EXPECT_NEAR(after, expected, 1e-13);
  }
}

TEST(ExactSolver, familiesConverge) {
  expectSolved(families::makePyramid(8, 0.5), 1e-11, "pyramid");
  expectSolved(families::makeStack(20, 1e6, 0.5), 1e-9, "stack 1e6");
  for (const double push : {0.0, 0.3, 0.49999, 0.7}) {
    expectSolved(families::makeManyFeet(10, 0.5, push), 1e-11, "feet");
  }
  for (const double mu : {0.0, 0.3, 1.0}) {
    expectSolved(families::makeWedge(10, mu), 1e-11, "wedge");
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      expectSolved(families::makeRandomPile(10, 2, mu, seed), 1e-10, "pile");
    }
  }
}

TEST(ExactSolver, redundantJointsHoldTheChain) {
  const FrictionProblem problem = families::makeRedundantChain(20, 0.5);
  ExactSolver solver;
  const ExactResult result = solver.solve(problem, {.tolerance = 1e-11});
  ASSERT_TRUE(result.converged());
  EXPECT_LE(result.certificate.bilateralViolation, 1e-9);
  // Written twice or once, the same velocities: compare with the eliminated problem.
  ExactSolver other;
  const FrictionProblem condensed = problem.toAssembled();
  const ExactResult expected = other.solve(condensed, {.tolerance = 1e-11});
  ASSERT_TRUE(expected.converged());
  for (std::size_t i = 0; i < expected.velocity.size(); ++i) {
    EXPECT_NEAR(result.velocity[i], expected.velocity[i], 1e-8);
  }
}

TEST(ExactSolver, jointsAloneAreSolvedToo) {
  SceneBuilder scene;
  const int box = scene.addBox({0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}, 2.0);
  scene.addBallJoint(-1, box, {0.0, 0.0, 0.5});
  ExactSolver solver;
  const ExactResult result = solver.solve(scene.problem(), {.tolerance = 1e-12});
  ASSERT_TRUE(result.converged());
  EXPECT_NEAR(linearChange(result, box).z(), kFall, 1e-10);
  EXPECT_NEAR(result.multiplier[2], 2.0 * kFall, 1e-9);
}

TEST(ExactSolver, bothFormsGiveTheSameVelocities) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const FrictionProblem factored = families::makeRandomPile(8, 2, 0.3, seed);
    const FrictionProblem assembled = factored.toAssembled();
    ExactSolver a;
    ExactSolver b;
    const ExactResult x = a.solve(factored, {.tolerance = 1e-12});
    const ExactResult y = b.solve(assembled, {.tolerance = 1e-12});
    ASSERT_TRUE(x.converged() && y.converged());
    for (std::size_t i = 0; i < x.velocity.size(); ++i) {
      EXPECT_NEAR(x.velocity[i], y.velocity[i], 1e-8) << "seed " << seed;
    }
  }
}

// Order of contacts, direction of tangents: |u| per contact must not change.
TEST(ExactSolver, answerDoesNotDependOnHowTheProblemIsWritten) {
  const FrictionProblem problem = families::makeManyFeet(4, 0.5, 0.7);
  ExactSolver solver;
  const ExactResult first = solver.solve(problem, {.tolerance = 1e-12});
  double reference = 0.0;
  for (const double value : first.velocity) reference += value * value;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    // No disturbance of q; µ is scaled by the family, so scale it back.
    FrictionProblem other = families::disturb(problem, 0.0, seed);
    const std::vector<double> mu(other.mu().size(), 0.5);
    other = FrictionProblem::assembled(other.matrix(), {other.q().begin(), other.q().end()}, mu);
    ExactSolver second;
    const ExactResult result = second.solve(other, {.tolerance = 1e-12});
    ASSERT_TRUE(result.converged());
    double sum = 0.0;
    for (const double value : result.velocity) sum += value * value;
    EXPECT_NEAR(sum, reference, 1e-9 * reference);
  }
}

TEST(ExactSolver, repeatsBitForBit) {
  const FrictionProblem problem = families::makePyramid(6, 0.4);
  const FrictionProblem pile = families::makeRandomPile(12, 3, 0.5, 3);
  ExactSolver fresh;
  const ExactResult once = fresh.solve(problem);
  const std::vector<double> expected(once.impulse.begin(), once.impulse.end());
  ExactSolver used;
  (void)used.solve(pile);
  (void)used.solve(pile.toAssembled());
  const ExactResult again = used.solve(problem);
  ASSERT_EQ(again.impulse.size(), expected.size());
  EXPECT_EQ(std::memcmp(again.impulse.data(), expected.data(), expected.size() * sizeof(double)),
            0);
  EXPECT_EQ(again.newtonSteps, once.newtonSteps);
}

TEST(ExactSolver, warmStartFromTheSolutionNeedsNoIteration) {
  const FrictionProblem problem = families::makePyramid(8, 0.5);
  ExactSolver solver;
  const ExactResult cold = solver.solve(problem);
  ASSERT_TRUE(cold.converged());
  const std::vector<double> start(cold.impulse.begin(), cold.impulse.end());
  const ExactResult warm = solver.solve(problem, {}, start);
  EXPECT_TRUE(warm.converged());
  EXPECT_EQ(warm.iterations(), 0);
}

TEST(ExactSolver, returnsTheBestPointWhenTheIterationsRunOut) {
  const FrictionProblem problem = families::makeRandomPile(20, 3, 0.8, 2);
  ExactSolver solver;
  const ExactResult result = solver.solve(problem, {.tolerance = 1e-14, .maxIterations = 3});
  EXPECT_FALSE(result.converged());
  EXPECT_TRUE(std::isfinite(result.certificate.naturalMap));
  const std::vector<double> zero(result.impulse.size(), 0.0);
  EXPECT_LT(result.certificate.naturalMap, independent::computeResidual(problem, zero).relative);
}

// Two walls that close on a sphere: no velocity satisfies both, there is no solution.
TEST(ExactSolver, saysSoWhenThereIsNoSolution) {
  SceneBuilder scene;
  const int ball = scene.addSphere({0.0, 0.0, 0.0}, 1.0, 1.0);
  scene.addContact(-1, ball, {-1.0, 0.0, 0.0}, Vector3d::UnitX(), 0.3, -1.0);
  scene.addContact(-1, ball, {1.0, 0.0, 0.0}, -Vector3d::UnitX(), 0.3, -1.0);
  ExactSolver solver;
  const ExactResult result = solver.solve(scene.problem());
  EXPECT_FALSE(result.converged());
  for (const double value : result.impulse) EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(result.certificate.normalViolation, 0.1);
}

TEST(ExactSolver, handlesDegenerateProblems) {
  ExactSolver solver;
  EXPECT_TRUE(solver.solve(FrictionProblem{}).converged());

  FrictionProblem between;  // a contact of nothing that moves, approaching: no impulse, no crash
  between.addContact({}, {-1.0, 0.5, 0.0}, 0.5);
  const ExactResult stuck = solver.solve(between);
  EXPECT_FALSE(stuck.converged());
  EXPECT_EQ(stuck.impulse[0], 0.0);

  FrictionProblem locked;  // a body that cannot turn
  const int body = locked.addBody({1.0, Eigen::Matrix3d::Zero()});
  FrictionContact rows;
  rows.bodyB = body;
  rows.jacobianB.leftCols<3>().setIdentity();
  locked.addContact(rows, {-1.0, 0.2, 0.1}, 0.5);
  EXPECT_TRUE(solver.solve(locked, {.tolerance = 1e-14}).converged());

  FrictionProblem tiny;  // numbers far from one
  const int light = tiny.addBody({1e40, Eigen::Matrix3d::Identity() * 1e40});
  rows.bodyB = light;
  tiny.addContact(rows, {-1e-30, 2e-31, 1e-31}, 0.5);
  const ExactResult small = solver.solve(tiny);
  EXPECT_TRUE(std::isfinite(small.certificate.naturalMap));
}

TEST(ExactSolver, complianceSinksByWhatTheSpringAllows) {
  FrictionProblem problem;
  const int body = problem.addBody({0.5, Eigen::Matrix3d::Identity()});
  FrictionContact rows;
  rows.bodyB = body;
  rows.jacobianB.leftCols<3>().setIdentity();
  problem.addContact(rows, {-1.0, 0.0, 0.0}, 0.5, 0.25);
  ExactSolver solver;
  const ExactResult result = solver.solve(problem, {.tolerance = 1e-14});
  ASSERT_TRUE(result.converged());
  EXPECT_NEAR(result.impulse[0], 1.0 / 0.75, 1e-13);
  EXPECT_NEAR(linearChange(result, body).x(), 0.5 / 0.75, 1e-13);
}

// A block that flies along with its ground at 100 m/s, give or take rounding: nothing to solve.
TEST(ExactSolver, leavesVelocitiesBelowTheFloorAlone) {
  SceneBuilder scene;
  const int box = scene.addBox({0.0, 0.0, 0.5}, {0.5, 0.5, 0.5}, 2.0);
  scene.body(box).velocity = {3e-15, -2e-15, -1e-14};
  scene.addContact(-1, box, {0.3, 0.1, 0.0}, Vector3d::UnitZ(), 0.5);
  ExactSolver solver;
  const ExactResult result = solver.solve(scene.problem(), {.velocityFloor = 1e-3});
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations(), 0);
  const ExactResult strict = solver.solve(scene.problem());
  EXPECT_TRUE(strict.converged());
  EXPECT_GT(strict.iterations(), 0);
}

TEST(ExactSolver, refusesNonsense) {
  ExactSolver solver;
  const FrictionProblem problem = families::makeStack(2, 1.0, 0.5);
  EXPECT_THROW((void)solver.solve(problem, {.tolerance = 0.0}), std::invalid_argument);
  EXPECT_THROW((void)solver.solve(problem, {.maxIterations = -1}), std::invalid_argument);
  EXPECT_THROW((void)solver.solve(problem, {.velocityFloor = -1.0}), std::invalid_argument);
  const std::vector<double> wrongSize(5, 0.0);
  EXPECT_THROW((void)solver.solve(problem, {}, wrongSize), std::invalid_argument);
  std::vector<double> bad(24, 0.0);
  bad[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)solver.solve(problem, {}, bad), std::invalid_argument);
}

/// A body of 2 kg that moves along x alone: one row between it and the world.
FrictionProblem makeDriven(double speed, double bound) {
  FrictionProblem problem;
  const int body = problem.addBody({0.5, Eigen::Matrix3d::Identity()});
  BilateralRow row;
  row.bodyB = body;
  row.jacobianB << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  row.lower = -bound;
  row.upper = bound;
  problem.addBilateralRow(row, speed, 0.0);
  return problem;
}

TEST(ExactSolver, motorStopsWhatItCanAndPushesAsHardAsItCanElse) {
  // p = -m u where |m u| <= bound, else ±bound, and the velocity that is left is certified too.
  ExactSolver solver;
  for (const double speed : {-3.0, -0.4, 0.0, 0.4, 3.0}) {
    const FrictionProblem problem = makeDriven(speed, 1.0);
    const ExactResult result = solver.solve(problem, {.tolerance = 1e-12});
    ASSERT_TRUE(result.converged()) << speed;
    const double impulse = std::clamp(-2.0 * speed, -1.0, 1.0);
    EXPECT_NEAR(result.multiplier[0], impulse, 1e-11) << speed;
    EXPECT_NEAR(result.bilateralVelocity[0], speed + 0.5 * impulse, 1e-11) << speed;
    EXPECT_LE(result.certificate.bilateralViolation, 1e-11) << speed;
  }
}

TEST(ExactSolver, certificateSeesAMotorBeyondItsStrengthAndOneThatRests) {
  const FrictionProblem problem = makeDriven(3.0, 1.0);
  const double tooHard[] = {-6.0}, tooWeak[] = {-0.5}, right[] = {-1.0};
  EXPECT_GT(computeCertificate(problem, {}, tooHard).bilateralViolation, 0.1);
  EXPECT_GT(computeCertificate(problem, {}, tooWeak).bilateralViolation, 0.1);
  EXPECT_EQ(computeCertificate(problem, {}, right).bilateralViolation, 0.0);
}

TEST(ExactSolver, blockPushedByAMotorSticksOrSlidesAsCoulombSays) {
  // µ m g dt = 0.5 · 2 kg · g dt holds against a motor below it; above, the block gains the rest.
  for (const double share : {0.9, 1.5}) {
    SceneBuilder scene = makeBlock(Vector3d::Zero(), 0.5);
    FrictionProblem problem = scene.problem();
    const double hold = 0.5 * 2.0 * kFall;
    BilateralRow row;
    row.bodyB = 0;
    row.jacobianB << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0;
    row.lower = -share * hold;
    row.upper = share * hold;
    problem.addBilateralRow(row, -100.0, 0.0);  // wants 100 m/s
    ExactSolver solver;
    const ExactResult result = solver.solve(problem, {.tolerance = 1e-10});
    ASSERT_TRUE(result.converged()) << share;
    EXPECT_NEAR(result.multiplier[0], share * hold, 1e-9);
    EXPECT_NEAR(linearChange(result, 0).x(), std::max(share - 1.0, 0.0) * hold / 2.0, 1e-8);
  }
}

TEST(FrictionProblem, settledBoundsGiveTheSameContacts) {
  SceneBuilder scene = makeBlock(Vector3d::Zero(), 0.5);
  FrictionProblem problem = scene.problem();
  BilateralRow row;
  row.bodyB = 0;
  row.jacobianB << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  row.lower = -0.3;
  row.upper = 0.3;
  problem.addBilateralRow(row, -100.0, 0.0);
  ExactSolver solver, other;
  const ExactResult result = solver.solve(problem, {.tolerance = 1e-12});
  ASSERT_TRUE(result.converged());
  EXPECT_THROW((void)problem.toAssembled(), std::logic_error);
  const FrictionProblem settled = problem.settleBounds(result.multiplier);
  EXPECT_EQ(settled.bilateralCount(), 0);
  const ExactResult same = other.solve(settled.toAssembled(), {.tolerance = 1e-12});
  ASSERT_TRUE(same.converged());
  for (std::size_t i = 0; i < same.velocity.size(); ++i) {
    EXPECT_NEAR(same.velocity[i], result.velocity[i], 1e-10) << i;
  }
}

}  // namespace
}  // namespace msd_sim
