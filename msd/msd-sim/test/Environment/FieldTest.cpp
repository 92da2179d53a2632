// Fields of force and damping.

#include <gtest/gtest.h>

#include <numbers>

#include "Scenes.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_sim::test {
namespace {

Settings weightless() {
  Settings settings;
  settings.gravity.setZero();
  settings.sleeping = false;
  return settings;
}

/// Error of a circular orbit about a point mass after one turn, with steps of dt.
double orbitError(double dt, double* energyDrift) {
  WorldModel world{weightless()};
  // v² = μ/r, period 2π r/v.
  constexpr double kMu = 4.0, kRadius = 2.0;
  const double speed = std::sqrt(kMu / kRadius);
  const double period = 2.0 * std::numbers::pi * kRadius / speed;
  world.addPotential(std::make_unique<PointGravityPotential>(Coordinate::Zero(), kMu, 0.1));
  const BodyId id = world.spawn(InertialDescription{
      .shape = Sphere{0.1}, .position = {kRadius, 0.0, 0.0}, .linearVelocity = {0.0, speed, 0.0}});
  const int steps = static_cast<int>(std::lround(period / dt));
  const double exactDt = period / steps;
  double first = 0.0, last = 0.0;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = world.update(exactDt);
    const double mechanical = report.energy.kinetic + report.energy.potential;
    if (i == 0) first = mechanical;
    last = mechanical;
    EXPECT_LE(std::abs(report.energy.closure()), 1e-12 * report.energy.kinetic);
  }
  *energyDrift = std::abs(last - first) / std::abs(first);
  return (world.inertial(id).getInertialState().position - Coordinate{kRadius, 0.0, 0.0}).norm();
}

TEST(PointGravity, orbitIsSecondOrderAndKeepsItsEnergy) {
  double drift = 0.0;
  const double coarse = orbitError(0.04, &drift);
  const double fine = orbitError(0.02, &drift);
  std::printf("circular orbit: error %.2e at 0.04 s, %.2e at 0.02 s; energy drift %.1e\n", coarse,
              fine, drift);
  EXPECT_NEAR(coarse / fine, 4.0, 0.3);
  EXPECT_LT(drift, 1e-9);
}

// ½ k x²: after a whole period the body is back. A symplectic scheme loses no energy for ever.
TEST(Spring, oscillatesWithoutLossForManyPeriods) {
  WorldModel world{weightless()};
  world.addPotential(
      std::make_unique<AnchorSpringPotential>(Coordinate::Zero(), Coordinate::Zero(), 40.0, 0.0));
  const BodyId id = world.spawn(
      InertialDescription{.shape = Sphere{0.1}, .mass = 2.0, .position = {0.5, 0.0, 0.0}});
  double least = 1e9, most = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const StepReport r = world.update(1.0 / 60.0);
    least = std::min(least, r.energy.kinetic + r.energy.potential);
    most = std::max(most, r.energy.kinetic + r.energy.potential);
    ASSERT_LE(std::abs(r.energy.closure()), 1e-11);
  }
  EXPECT_LT(most - least, 1e-3 * most);  // the scheme's bounded ripple, ω²h²/4 of the energy
  EXPECT_LT(world.inertial(id).getInertialState().position.norm(), 0.5001);
}

TEST(Damping, isExactByItself) {
  WorldModel world{weightless()};
  const BodyId id = world.spawn(InertialDescription{.shape = Box{{0.1, 0.2, 0.3}},
                                                    .linearVelocity = {2.0, -1.0, 0.5},
                                                    .angularVelocity = {0.0, 0.0, 3.0},
                                                    .linearDamping = 0.7,
                                                    .angularDamping = 1.3});
  const double before = world.inertial(id).kineticEnergy();
  double damped = 0.0;
  for (int i = 0; i < 120; ++i) {
    const StepReport r = world.update(1.0 / 60.0);
    damped += r.energy.dampingWork;
    EXPECT_LE(std::abs(r.energy.closure()), 1e-12 * before);
  }
  const InertialState& s = world.inertial(id).getInertialState();
  EXPECT_NEAR(s.velocity.x(), 2.0 * std::exp(-0.7 * 2.0), 1e-13);
  EXPECT_NEAR(s.angularVelocity.z(), 3.0 * std::exp(-1.3 * 2.0), 1e-13);
  EXPECT_NEAR(before + damped, world.inertial(id).kineticEnergy(), 1e-12 * before);
}

// Terminal speed g/c, with an error of (c dt)²/24.
TEST(Damping, fallReachesItsTerminalSpeed) {
  WorldModel world;
  const BodyId id = world.spawn(InertialDescription{.shape = Sphere{0.1}, .linearDamping = 2.0});
  for (int i = 0; i < 1200; ++i) world.update(1.0 / 60.0);
  EXPECT_NEAR(world.inertial(id).getInertialState().velocity.z(), -9.81 / 2.0, 4e-4);
}

TEST(VelocityBias, isTheLoadsOverTheMasses) {
  WorldModel world;
  world.spawn(EnvironmentDescription{.shape = Plane{}});
  const BodyId a = world.spawn(
      InertialDescription{.shape = Sphere{0.5}, .mass = 2.0, .position = {0.0, 0.0, 5.0}});
  world.spawn(
      InertialDescription{.shape = Sphere{0.5}, .position = {3.0, 0.0, 5.0}, .kinematic = true});
  world.applyForce(a, {4.0, 0.0, 0.0});
  world.applyTorque(a, {0.0, 0.2, 0.0});
  const auto bias = world.computeVelocityBias(0.1);
  ASSERT_EQ(bias.size(), 2u);
  EXPECT_NEAR((bias[0].linear - Vector3D{0.2, 0.0, -0.981}).norm(), 0.0, 1e-15);
  EXPECT_NEAR(bias[0].angular.y(), 0.1 * 0.2 / (0.4 * 2.0 * 0.25), 1e-14);
  EXPECT_EQ(bias[1].linear.norm(), 0.0);
  EXPECT_EQ(world.inertial(a).getInertialState().velocity.norm(), 0.0);
}

}  // namespace
}  // namespace msd_sim::test
