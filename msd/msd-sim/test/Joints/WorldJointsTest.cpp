// Joints as a world's user sees them: ids, descriptions, refusals, what may touch what.
#include <gtest/gtest.h>

#include <cmath>

#include "JointWorlds.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

TEST(WorldJoints, areNamedByIdsThatGoStale) {
  WorldModel world;
  const BodyId b = world.spawn(bead("b", {0, 0, 0}));
  const JointId first = world.spawn(JointDescription{.name = "first", .bodyB = b});
  EXPECT_TRUE(world.contains(first));
  EXPECT_EQ(world.joint(first).name, "first");
  ASSERT_EQ(world.joints().size(), 1u);
  EXPECT_EQ(world.joints()[0], first);
  world.remove(first);
  EXPECT_FALSE(world.contains(first));
  EXPECT_TRUE(world.joints().empty());
  EXPECT_THROW((void)world.joint(first), std::out_of_range);
  EXPECT_THROW(world.remove(first), std::out_of_range);
  EXPECT_THROW((void)world.isBroken(JointId{}), std::out_of_range);
  const JointId second = world.spawn(JointDescription{.bodyB = b});
  EXPECT_NE(first, second);
  EXPECT_FALSE(world.contains(first));
}

TEST(WorldJoints, removedOnesLetGo) {
  WorldModel world{Settings{.sleeping = false}};
  const BodyId b = world.spawn(bead("b", {0, 0, 0}));
  const JointId j = world.spawn(JointDescription{.bodyB = b});
  for (int i = 0; i < 10; ++i) world.update(0.01);
  EXPECT_LT(world.inertial(b).getInertialState().position.norm(), 1e-12);
  world.remove(j);
  for (int i = 0; i < 10; ++i) world.update(0.01);
  EXPECT_NEAR(world.inertial(b).getInertialState().position.z(), -0.5 * 9.81 * 0.01, 1e-9);
}

TEST(WorldJoints, refuseWhatMakesNoSense) {
  WorldModel world;
  const BodyId a = world.spawn(bead("a", {0, 0, 0})), b = world.spawn(bead("b", {1, 0, 0}));
  const auto refuses = [&](JointDescription d) {
    EXPECT_THROW(world.spawn(d), std::invalid_argument);
  };
  refuses({.bodyA = a});              // no body B
  refuses({.bodyA = a, .bodyB = a});  // a body with itself
  refuses({.bodyA = a, .bodyB = b, .anchor = {std::nan(""), 0, 0}});
  refuses({.kind = JointKind::kHinge, .bodyA = a, .bodyB = b, .axis = {0, 0, 0}});
  refuses({.kind = JointKind::kUniversal,
           .bodyA = a,
           .bodyB = b,
           .axis = {1, 0, 0},
           .axisB = {1, 0, 0}});
  refuses({.kind = JointKind::kDistance, .bodyA = a, .bodyB = b, .length = -1.0});
  refuses({.kind = JointKind::kSpring, .bodyA = a, .bodyB = b});  // no stiffness
  refuses({.kind = JointKind::kHinge, .bodyA = a, .bodyB = b, .limit = JointLimit{1.0, -1.0}});
  refuses({.kind = JointKind::kBall, .bodyA = a, .bodyB = b, .friction = 1.0});
  refuses({.kind = JointKind::kHinge, .bodyA = a, .bodyB = b, .friction = -1.0});
  refuses({.bodyA = a, .bodyB = b, .breakingForce = std::nan("")});
  EXPECT_THROW(world.spawn(JointDescription{.bodyA = BodyId{99, 0}, .bodyB = b}),
               std::out_of_range);
  EXPECT_TRUE(world.joints().empty());
}

TEST(WorldJoints, keepJoinedBodiesFromTouchingUnlessAsked) {
  for (const bool collide : {false, true}) {
    WorldModel world{Settings{.gravity = {0, 0, 0}, .sleeping = false}};
    const BodyId a = world.spawn(InertialDescription{.shape = Sphere{0.5}, .position = {0, 0, 0}});
    const BodyId b =
        world.spawn(InertialDescription{.shape = Sphere{0.5}, .position = {0.9, 0, 0}});
    world.spawn(JointDescription{.kind = JointKind::kRope,
                                 .bodyA = a,
                                 .bodyB = b,
                                 .anchor = {0, 0, 0},
                                 .anchorB = Coordinate{0.9, 0, 0},
                                 .length = 5.0,
                                 .collideConnected = collide});
    StepReport report;
    for (int i = 0; i < 5; ++i) report = world.update(0.01);
    EXPECT_EQ(report.contacts > 0, collide);
  }
}

TEST(WorldJoints, makeIslands) {
  WorldModel world{Settings{.gravity = {0, 0, 0}, .sleeping = false}};
  const BodyId a = world.spawn(bead("a", {0, 0, 0})), b = world.spawn(bead("b", {1, 0, 0}));
  world.spawn(bead("c", {2, 0, 0}));
  world.spawn(JointDescription{.bodyA = a, .bodyB = b, .anchor = {0.5, 0, 0}});
  world.update(0.01);
  EXPECT_EQ(world.island(a), world.island(b));
  EXPECT_EQ(world.lastReport().islands, 1u);
}

TEST(WorldJoints, loadedByContactsStayTogether) {
  // A hinged pair of boxes dropped on the floor: contacts and joint settle together.
  WorldModel world{Settings{.sleeping = false}};
  world.spawn(EnvironmentDescription{.shape = Box{{10, 10, 1}}, .position = {0, 0, -1}});
  const BodyId a =
      world.spawn(InertialDescription{.shape = Box{{0.5, 0.3, 0.2}}, .position = {-0.5, 0, 0.6}});
  const BodyId b =
      world.spawn(InertialDescription{.shape = Box{{0.5, 0.3, 0.2}}, .position = {0.5, 0, 0.6}});
  world.spawn(JointDescription{
      .kind = JointKind::kHinge, .bodyA = a, .bodyB = b, .anchor = {0, 0, 0.6}, .axis = {0, 1, 0}});
  double worst = 0.0;
  for (int i = 0; i < 300; ++i) {
    const StepReport report = world.update(1.0 / 60.0);
    ASSERT_EQ(report.status, StepStatus::kOk);
    worst = std::max(worst, report.jointError);
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_LT(world.inertial(a).getInertialState().velocity.norm(), 1e-3);
  EXPECT_NEAR(world.inertial(b).getInertialState().position.z(), 0.2, 2e-3);
}

TEST(WorldJoints, giveTheSameBitsForAnyNumberOfThreadsAndAfterARestore) {
  const auto run = [](WorldModel& world, int steps) {
    for (int i = 0; i < steps; ++i) world.update(1.0 / 60.0);
    return world.stateHash();
  };
  WorldModel one{Settings{.sleeping = false, .threads = 1}};
  joint_scenes::addAllKinds(one);
  (void)run(one, 30);
  const auto saved = one.snapshot();
  const Hash128 hash = run(one, 30);
  one.restore(saved);
  EXPECT_EQ(hash, run(one, 30));
  for (const int threads : {2, 3, 4}) {
    WorldModel world{Settings{.sleeping = false, .threads = threads}};
    joint_scenes::addAllKinds(world);
    EXPECT_EQ(hash, run(world, 60)) << threads;
  }
}

}  // namespace
}  // namespace msd_sim
