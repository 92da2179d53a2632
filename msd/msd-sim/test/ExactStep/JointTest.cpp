// Joints and contacts in one exact problem.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ExactWorlds.hpp"

namespace msd_sim {
namespace {

using namespace exact_worlds;

TEST(ExactJoint, pendulumKeepsItsEnergyAndItsLength) {
  // A ball on a rod of 1 m, released horizontally: constraint and energy of a conservative system.
  WorldModel world{exactSettings()};
  const BodyId ball = world.spawn(InertialDescription{
      .shape = Sphere{0.1}, .mass = 1.0, .position = {1.0, 0.0, 0.0}, .friction = 0.0});
  world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = ball, .anchor = {0.0, 0.0, 0.0}});
  double error = 0.0, energy = 0.0;
  for (int i = 0; i < 600; ++i) {
    const StepReport r = world.update(kDt);
    ASSERT_EQ(r.status, StepStatus::kOk);
    error = std::max(error, r.jointError);
    energy = std::max(energy, std::abs(r.energy.kinetic + r.energy.potential));
  }
  fmt::print("pendulum: joint error {:.2g} m, energy error {:.2g} of mgl\n", error, energy / kG);
  EXPECT_LT(error, 1e-11);
  EXPECT_LT(energy / kG, 5e-3);  // second order in the step, bounded
}

TEST(ExactJoint, chainCarriesAHundredfoldLoad) {
  WorldModel world{exactSettings()};
  constexpr int kLinks = 20;
  BodyId last{};
  for (int i = 0; i < kLinks; ++i) {
    const bool load = i + 1 == kLinks;
    const BodyId link = world.spawn(InertialDescription{.shape = Capsule{0.05, 0.15},
                                                        .mass = load ? 100.0 : 1.0,
                                                        .position = {0.0, 0.0, -0.2 - 0.4 * i}});
    world.spawn(JointDescription{
        .kind = JointKind::kBall, .bodyA = last, .bodyB = link, .anchor = {0.0, 0.0, -0.4 * i}});
    last = link;
  }
  double error = 0.0;
  for (int i = 0; i < 300; ++i) {
    const StepReport r = world.update(kDt);
    ASSERT_EQ(r.status, StepStatus::kOk) << i;
    error = std::max(error, r.jointError);
  }
  fmt::print("chain 1 : 100, exact: worst anchor error {:.2g} m, speed {:.2g} m/s\n", error,
             fastest(world));
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(fastest(world), 1e-6);
}

TEST(ExactJoint, twoCoupledBlocksSlideWhereTheirFrictionTogetherGivesWay) {
  // Two equal blocks on an incline, the smoother one below, coupled by a bar along the slope:
  // tan α = (µ1 + µ2)/2.
  const double mu1 = 0.2, mu2 = 0.6;
  const double found = bisect(0.3, 0.5, 34, [&](double tangent) {
    Settings settings = exactSettings(1e-12);
    const double angle = std::atan(tangent);
    settings.gravity = kG * Vector3D{std::sin(angle), 0.0, -std::cos(angle)};
    WorldModel world{settings};
    addFloor(world, 1.0);
    const BodyId above =
        addBlock(world, {.half = {0.4, 0.4, 0.1}, .at = {-0.5, 0.0, 0.1}, .friction = mu2 * mu2});
    const BodyId below =
        addBlock(world, {.half = {0.4, 0.4, 0.1}, .at = {0.5, 0.0, 0.1}, .friction = mu1 * mu1});
    world.spawn(JointDescription{.kind = JointKind::kDistance,
                                 .bodyA = above,
                                 .bodyB = below,
                                 .anchor = {-0.5, 0.0, 0.1},
                                 .anchorB = Coordinate{0.5, 0.0, 0.1}});
    for (int i = 0; i < 6; ++i) world.update(kDt);
    return fastest(world) < 1e-9;
  });
  fmt::print("coupled blocks: tan of the limit {:.10f} of {:.10f}\n", found, 0.5 * (mu1 + mu2));
  EXPECT_NEAR(found, 0.5 * (mu1 + mu2), 1e-7);
}

TEST(ExactJoint, motorOfLimitedTorqueLiftsOnlyWhatItCan) {
  // A bar on a hinge, 1 kg with its centre 1 m from the axis: m g l = 9.81 N·m at the horizontal.
  for (const double torque : {9.0, 11.0}) {
    WorldModel world{exactSettings()};
    const BodyId bar = world.spawn(InertialDescription{
        .shape = Box{{1.0, 0.05, 0.05}}, .mass = 1.0, .position = {1.0, 0.0, 0.0}});
    world.spawn(JointDescription{.kind = JointKind::kHinge,
                                 .bodyB = bar,
                                 .anchor = {0.0, 0.0, 0.0},
                                 .axis = {0.0, -1.0, 0.0},
                                 .motor = JointMotor{.target = 0.5, .maxForce = torque}});
    for (int i = 0; i < 30; ++i) world.update(kDt);
    const double z = stateOf(world, bar).position.z();
    fmt::print("motor of {} N m: centre at {:.3f} m after 0.5 s\n", torque, z);
    if (torque > kG) {
      EXPECT_GT(z, 0.05);
    } else {
      EXPECT_LT(z, -0.01);
    }
  }
}

TEST(ExactJoint, hingedPlankRestsOnTheFloorWithAllItsLaws) {
  // One end hinged at 0.2 m, the other on the floor: N = m g /2 (moment about the hinge).
  WorldModel world{exactSettings()};
  addFloor(world, 0.5);
  const double angle = std::asin(0.2 / 2.0);
  const Quaternion tilt{std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  const Vector3D along = tilt * Vector3D::UnitX();  // down to the floor
  const Coordinate hinge{0.0, 0.0, 0.2 + 0.05 * std::cos(angle)};
  const BodyId plank = world.spawn(InertialDescription{.shape = Box{{1.0, 0.2, 0.05}},
                                                       .mass = 2.0,
                                                       .position = hinge + along,
                                                       .orientation = tilt,
                                                       .friction = 0.5,
                                                       .restitution = 0.0});
  world.spawn(JointDescription{
      .kind = JointKind::kHinge, .bodyB = plank, .anchor = hinge, .axis = {0.0, 1.0, 0.0}});
  StepReport r;
  double bilateral = 0.0;
  for (int i = 0; i < 240; ++i) {
    r = world.update(kDt);
    ASSERT_EQ(r.status, StepStatus::kOk) << i;
    ASSERT_LE(r.certificate.naturalMap, 1e-8);
    bilateral = std::max(bilateral, r.certificate.bilateralViolation);
  }
  EXPECT_GT(bilateral, 0.0);   // the joint is part of the certificate
  EXPECT_LT(bilateral, 1e-8);  // 1.2e-12
  double normal = 0.0;
  for (const ContactRecord& c : world.contacts(plank)) normal += c.forceOnB.dot(c.normal);
  fmt::print("plank: floor carries {:.6f} N, joint error {:.2g} m, speed {:.2g} m/s\n",
             std::abs(normal), r.jointError, fastest(world));
  EXPECT_LT(fastest(world), 1e-9);
  EXPECT_LT(r.jointError, 1e-11);
  EXPECT_GT(std::abs(normal), 0.1 * 2.0 * kG);
}

}  // namespace
}  // namespace msd_sim
