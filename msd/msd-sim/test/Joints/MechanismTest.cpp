// Mass matrix, inverse dynamics and Jacobian of a mechanism.
//
// Two uniform rods of mass m and length l, hinges about z at the origin and at the end of the
// first, q the relative angles, without weight, c = cos q₂, s = sin q₂:
//
//   H = m l² [[5/3 + c, 1/3 + c/2], [1/3 + c/2, 1/3]]
//   h = m l² s/2 [-(2 q̇₁ + q̇₂) q̇₂, q̇₁²]
#include "msd-sim/src/Environment/Mechanism.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "JointScenes.hpp"
#include "msd-sim/src/Environment/JointHandle.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

/// A chain of rods along x from the origin, hinges about `axes`.
struct Rods {
  WorldModel world;
  std::vector<BodyId> links;
  std::vector<JointId> joints;
  static constexpr double kLength = 0.8, kMass = 1.5;

  Rods(const Settings& settings, const std::vector<Vector3D>& axes, bool floating = false)
      : world{settings} {
    BodyId last{};
    if (floating) last = world.spawn(rod({-kLength, 0, 0}, {0, 0, 0}, kMass, 1e-3));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double x = static_cast<double>(i) * kLength;
      const BodyId link = world.spawn(rod({x, 0, 0}, {x + kLength, 0, 0}, kMass, 1e-3));
      joints.push_back(world.spawn(JointDescription{.kind = JointKind::kHinge,
                                                    .bodyA = last,
                                                    .bodyB = link,
                                                    .anchor = {x, 0, 0},
                                                    .axis = axes[i],
                                                    .motor = JointMotor{.mode = MotorMode::kForce}}));
      links.push_back(link);
      last = link;
    }
  }
  void push(const Eigen::VectorXd& force) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      world.setMotorTarget(joints[i], force[static_cast<Eigen::Index>(i)]);
    }
  }
};

const Settings kWeightless{.gravity = {0, 0, 0}, .sleeping = false};

TEST(MassMatrix, ofTwoRodsIsThatOfTheTextbook) {
  Rods rods{kWeightless, {{0, 0, 1}, {0, 0, 1}}};
  Eigen::VectorXd force(2);
  force << 3.0, -1.0;
  for (int i = 0; i < 90; ++i) {
    rods.push(force);
    rods.world.update(1.0 / 240.0);
  }
  const Mechanism m = rods.world.mechanism(rods.joints);
  const double u1 = m.velocity()[0], u2 = m.velocity()[1];
  const double c = std::cos(m.position()[1]), s = std::sin(m.position()[1]);
  ASSERT_GT(std::fabs(s * u1 * u2), 0.1);
  const double ml2 = Rods::kMass * Rods::kLength * Rods::kLength;
  EXPECT_NEAR(m.massMatrix()(0, 0), ml2 * (5.0 / 3.0 + c), 1e-5);
  EXPECT_NEAR(m.massMatrix()(0, 1), ml2 * (1.0 / 3.0 + 0.5 * c), 1e-5);
  EXPECT_NEAR(m.massMatrix()(1, 1), ml2 / 3.0, 1e-5);  // the rods are a millimetre thick
  EXPECT_NEAR(m.bias()[0], -0.5 * ml2 * s * (2.0 * u1 + u2) * u2, 1e-5);
  EXPECT_NEAR(m.bias()[1], 0.5 * ml2 * s * u1 * u1, 1e-5);
}

TEST(InverseDynamics, givesTheForcesThatMakeTheAcceleration) {
  // Four hinges about different axes, moving, with weight: the wanted accelerations are there in
  // the next short step.
  Settings settings{.sleeping = false};
  Rods rods{settings, {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  Eigen::VectorXd force(4);
  force << 5.0, -8.0, 2.0, 0.001;
  for (int i = 0; i < 60; ++i) {
    rods.push(force);
    rods.world.update(1.0 / 240.0);
  }
  Eigen::VectorXd wanted(4);
  wanted << 1.0, -2.0, 3.0, 0.5;
  const Mechanism before = rods.world.mechanism(rods.joints);
  const Eigen::VectorXd forces = before.inverseDynamics(wanted);
  EXPECT_LT((before.forwardDynamics(forces) - wanted).norm(), 1e-6);
  rods.push(forces);
  const double dt = 1e-5;
  rods.world.update(dt);
  const Mechanism after = rods.world.mechanism(rods.joints);
  const Eigen::VectorXd reached = (after.velocity() - before.velocity()) / dt;
  EXPECT_LT((reached - wanted).norm(), 1e-2) << reached.transpose();
}

TEST(InverseDynamics, atRestIsTheWeightThatTheMotorsHold) {
  Rods rods{Settings{.sleeping = false}, {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}}};
  for (int i = 0; i < 30; ++i) {
    rods.push(rods.world.mechanism(rods.joints).bias());
    rods.world.update(1.0 / 60.0);
  }
  for (const JointId j : rods.joints) EXPECT_LT(std::fabs(rods.world.jointCoordinate(j)), 1e-6);
  const double w = Rods::kMass * 9.81 * Rods::kLength;
  EXPECT_NEAR(rods.world.motorForce(rods.joints[0]), -4.5 * w, 1e-6);
}

TEST(Jacobian, isTheVelocityOfAPointPerSpeedOfTheCoordinates) {
  Rods rods{kWeightless, {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}}};
  Eigen::VectorXd force(3);
  force << 2.0, -1.0, 0.5;
  for (int i = 0; i < 60; ++i) {
    rods.push(force);
    rods.world.update(1.0 / 120.0);
  }
  const Mechanism m = rods.world.mechanism(rods.joints);
  const Coordinate tip = pointOf(rods.world, rods.links[2], {0.5 * Rods::kLength, 0, 0});
  const InertialState& s = rods.world.inertial(rods.links[2]).getInertialState();
  Eigen::VectorXd expected(6);
  expected << s.velocity + s.angularVelocity.cross(tip - s.position), s.angularVelocity;
  EXPECT_LT((m.jacobian(rods.links[2], tip) * m.velocity() - expected).norm(), 1e-7);
  EXPECT_EQ(m.jacobian(BodyId{}, tip).norm(), 0.0);
}

TEST(MassMatrix, ofAFreeMechanismLeavesTheBaseFree) {
  // Two equal rods in a line, a hinge between their ends, nothing held: by symmetry each turns by
  // half of q about its own centre, which stays. H = 2 (m l²/12)/4 = m l²/24.
  Rods rods{kWeightless, {{0, 0, 1}}, true};
  Eigen::VectorXd force(1);
  force << 1.0;
  rods.push(force);
  rods.world.update(1e-4);
  const Mechanism m = rods.world.mechanism(rods.joints);
  const double kinetic = rods.world.lastReport().energy.kinetic;
  EXPECT_NEAR(0.5 * m.massMatrix()(0, 0) * m.velocity()[0] * m.velocity()[0], kinetic,
              1e-6 * kinetic);
  EXPECT_NEAR(m.massMatrix()(0, 0), Rods::kMass * Rods::kLength * Rods::kLength / 24.0, 1e-5);
}

TEST(MassMatrix, ofAParallelogramSeesItsLoop) {
  // Two cranks of length l about their ends and a coupler that only translates: 2 m l²/3 + m l².
  WorldModel world{kWeightless};
  const double l = Rods::kLength;
  const BodyId left = world.spawn(rod({0, 0, 0}, {0, l, 0}, Rods::kMass, 1e-2));
  const BodyId right = world.spawn(rod({l, 0, 0}, {l, l, 0}, Rods::kMass, 1e-2));
  const BodyId coupler = world.spawn(rod({0, l, 0}, {l, l, 0}, Rods::kMass, 1e-2));
  const auto hinge = [&](BodyId a, BodyId b, const Coordinate& at) {
    return world.spawn(JointDescription{
        .kind = JointKind::kHinge, .bodyA = a, .bodyB = b, .anchor = at, .axis = {0, 0, 1}});
  };
  const JointId driven[] = {hinge({}, left, {0, 0, 0})};
  hinge({}, right, {l, 0, 0});
  hinge(left, coupler, {0, l, 0});
  hinge(coupler, right, {l, l, 0});
  const double expected = Rods::kMass * (5.0 / 3.0 * l * l + 2.0 * 1e-4 / 12.0);
  EXPECT_NEAR(world.mechanism(driven).massMatrix()(0, 0), expected, 1e-9);
}

TEST(Mechanism, refusesJointsWithoutACoordinate) {
  WorldModel world;
  const BodyId b = world.spawn(bead("b", {0, 0, 0}));
  const JointId ball = world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = b});
  const JointId twice[] = {ball};
  EXPECT_THROW((void)world.mechanism(twice), std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
