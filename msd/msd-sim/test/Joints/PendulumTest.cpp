// Swinging masses on joints.
//
// Pendulum of length L released at rest from the horizontal: period 4 K(sin 45°) sqrt(L/g), and by
// numerical integration of θ'' = -(g/L) sin θ at high precision the position after 10 s
// (IFToMM benchmark A01). Double pendulum, both rods horizontal at rest: position of the second
// mass by a Runge–Kutta integration of order 8 to 1e-12.
#include <gtest/gtest.h>

#include <cmath>

#include "JointScenes.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

TEST(Pendulum, isWhereTheEllipticIntegralSaysAfterTenSeconds) {
  const Acceleration g{0.0, -9.81, 0.0};
  for (const JointKind kind : {JointKind::kBall, JointKind::kHinge, JointKind::kDistance}) {
    WorldModel world{Settings{.gravity = g, .sleeping = false}};
    const BodyId mass = world.spawn(bead("mass", {-1.0, 0.0, 0.0}));
    JointDescription joint{.kind = kind, .bodyB = mass, .anchor = Coordinate::Zero()};
    if (kind == JointKind::kDistance) joint.anchorB = Coordinate{-1.0, 0.0, 0.0};
    world.spawn(joint);
    const double start = energy(world, {&mass, 1});
    double worstEnergy = 0.0, worstError = 0.0;
    const int steps = 20000;  // error 0.9e-6, a quarter of that at half the steps
    for (int i = 0; i < steps; ++i) {
      const StepReport report = world.update(10.0 / steps);
      ASSERT_EQ(report.status, StepStatus::kOk);
      worstEnergy = std::max(worstEnergy, std::fabs(energy(world, {&mass, 1}) - start));
      worstError = std::max(worstError, report.jointError);
    }
    const Coordinate& x = world.inertial(mass).getInertialState().position;
    EXPECT_NEAR(x.x(), -0.275087462576, 1e-6) << "kind " << int(kind);
    EXPECT_NEAR(x.y(), -0.961419205099, 1e-6);
    EXPECT_LT(worstEnergy / 9.81, 1e-6);
    EXPECT_LT(worstError, 1e-9);
  }
}

TEST(DoublePendulum, isWhereTheReferenceIsAndKeepsItsEnergy) {
  WorldModel world{Settings{.gravity = {0.0, -9.81, 0.0}, .sleeping = false}};
  const BodyId beads[2] = {world.spawn(bead("first", {1.0, 0.0, 0.0})),
                           world.spawn(bead("second", {2.0, 0.0, 0.0}))};
  world.spawn(JointDescription{.bodyB = beads[0], .anchor = {0.0, 0.0, 0.0}});
  world.spawn(JointDescription{.bodyA = beads[0], .bodyB = beads[1], .anchor = {1.0, 0.0, 0.0}});
  const double start = energy(world, beads);
  double worst = 0.0;
  const auto advance = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      ASSERT_EQ(world.update(5e-4).status, StepStatus::kOk);
      worst = std::max(worst, std::fabs(energy(world, beads) - start) / (3.0 * 9.81));
    }
  };
  advance(2000);
  const Coordinate one = world.inertial(beads[1]).getInertialState().position;
  EXPECT_NEAR(one.x(), -1.444818850, 1e-5);
  EXPECT_NEAR(one.y(), -1.321794461, 1e-5);
  advance(4000);
  const Coordinate three = world.inertial(beads[1]).getInertialState().position;
  EXPECT_NEAR(three.x(), 1.876250851, 1e-4);
  EXPECT_NEAR(three.y(), -0.224038498, 1e-4);
  EXPECT_LT(worst, 1e-6);
}

TEST(HeavyTop, precessesAsTheReferenceSays) {
  // Geradin and Cardona's top: 150 rad/s about its axis, fixed at the origin.
  WorldModel world{Settings{.gravity = {0.0, 0.0, -9.81}, .sleeping = false}};
  const Vector3D spin{0.0, 150.0, -4.61538};
  InertialDescription d = body("top", {0.0, 1.0, 0.0}, 15.0, {0.234375, 0.46875, 0.234375}, 1.0);
  d.angularVelocity = spin;
  d.linearVelocity = spin.cross(Vector3D{0.0, 1.0, 0.0});
  const BodyId top = world.spawn(d);
  world.spawn(JointDescription{.bodyB = top, .anchor = {0.0, 0.0, 0.0}});
  const double start = energy(world, {&top, 1}, {0.0, 0.0, -9.81});
  double worst = 0.0;
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(world.update(2e-4).status, StepStatus::kOk);
    worst = std::max(worst, std::fabs(energy(world, {&top, 1}, {0.0, 0.0, -9.81}) - start) / start);
  }
  const Coordinate x = world.inertial(top).getInertialState().position;
  EXPECT_LT((x - Coordinate{0.1733439641, 0.6400885921, -0.7484907911}).norm(), 1e-3);
  EXPECT_LT(worst, 1e-6);
}

}  // namespace
}  // namespace msd_sim
