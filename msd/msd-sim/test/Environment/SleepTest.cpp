// Bodies that rest fall asleep, island by island, and wake when something happens to them.

#include <gtest/gtest.h>

#include "Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

struct Pile {
  WorldModel world;
  BodyId floor, lower, upper, far;
  explicit Pile(const Settings& settings = {}) : world{settings} {
    floor = addFloor(world);
    const auto cube = [&](double x, double z) {
      return world.spawn(InertialDescription{
          .shape = Box{{0.25, 0.25, 0.25}}, .position = {x, 0.0, z}, .restitution = 0.0});
    };
    lower = cube(0.0, 0.25);
    upper = cube(0.0, 0.75);
    far = cube(5.0, 0.25);
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) world.update(kDt);
  }
};

TEST(Sleep, restingIslandsFallAsleepAndStayWhereTheyAre) {
  Pile pile;
  pile.run(60);
  EXPECT_FALSE(pile.world.isAwake(pile.lower));
  EXPECT_FALSE(pile.world.isAwake(pile.upper));
  EXPECT_FALSE(pile.world.isAwake(pile.far));
  EXPECT_EQ(pile.world.island(pile.lower), WorldModel::kNoIsland);
  const Hash128 before = pile.world.stateHash();
  const Coordinate place = pile.world.inertial(pile.upper).getInertialState().position;
  StepReport report;
  for (int i = 0; i < 100; ++i) report = pile.world.update(kDt);
  EXPECT_EQ(report.awakeBodies, 0u);
  EXPECT_EQ(report.bodies, 3u);
  EXPECT_EQ(pile.world.inertial(pile.upper).getInertialState().position, place);
  EXPECT_NE(pile.world.stateHash(), before);  // time goes on
}

TEST(Sleep, contactsAndForcesStay) {
  Pile pile;
  pile.run(200);
  ASSERT_FALSE(pile.world.isAwake(pile.lower));
  double lift = 0.0;
  for (const ContactRecord& c : pile.world.contacts(pile.lower)) {
    if (c.bodyA == pile.floor) lift += c.forceOnB.z();
    EXPECT_EQ(c.state, ContactState::kStick);
  }
  const double weight = 2.0 * pile.world.inertial(pile.lower).getMass() * 9.81;
  EXPECT_NEAR(lift, weight, 1e-6 * weight);
  EXPECT_TRUE(pile.world.events().empty());
}

TEST(Sleep, canBeTurnedOff) {
  Settings settings;
  settings.sleeping = false;
  Pile pile{settings};
  pile.run(200);
  EXPECT_TRUE(pile.world.isAwake(pile.lower));
  settings.sleeping = true;
  pile.world.setSettings(settings);
  pile.run(60);
  EXPECT_FALSE(pile.world.isAwake(pile.lower));
  settings.sleeping = false;
  pile.world.setSettings(settings);
  EXPECT_TRUE(pile.world.isAwake(pile.lower));
  pile.run(1);
  EXPECT_EQ(pile.world.lastReport().awakeBodies, 3u);
}

TEST(Sleep, aBodyThatMayNotSleepKeepsItsIslandAwake) {
  Pile pile;
  pile.world.spawn(InertialDescription{.shape = Box{{0.25, 0.25, 0.25}},
                                       .position = {0.0, 0.0, 1.25},
                                       .restitution = 0.0,
                                       .maySleep = false});
  pile.run(200);
  EXPECT_TRUE(pile.world.isAwake(pile.lower));
  EXPECT_FALSE(pile.world.isAwake(pile.far));
}

TEST(Waking, byForceWakesTheWholeIslandOnly) {
  Pile pile;
  pile.run(100);
  pile.world.applyForce(pile.upper, {1.0, 0.0, 0.0});
  EXPECT_TRUE(pile.world.isAwake(pile.upper));
  EXPECT_TRUE(pile.world.isAwake(pile.lower));
  EXPECT_FALSE(pile.world.isAwake(pile.far));
  pile.run(1);
  EXPECT_EQ(pile.world.lastReport().awakeBodies, 2u);
  pile.run(100);
  EXPECT_FALSE(pile.world.isAwake(pile.upper));
}

TEST(Waking, byContactInTheSameStep) {
  Pile pile;
  pile.run(100);
  ASSERT_FALSE(pile.world.isAwake(pile.lower));
  const BodyId ball = pile.world.spawn(InertialDescription{.shape = Sphere{0.2},
                                                           .position = {-3.0, 0.0, 0.5},
                                                           .linearVelocity = {20.0, 0.0, 1.0},
                                                           .restitution = 0.0});
  double momentum = pile.world.inertial(ball).getMass() * 20.0;
  double least = momentum;
  for (int i = 0; i < 30; ++i) {
    pile.world.update(kDt);
    double now = 0.0;
    for (const BodyId id : {ball, pile.lower, pile.upper}) {
      const AssetInertial& body = pile.world.inertial(id);
      now += body.getMass() * body.getInertialState().velocity.x();
    }
    if (i < 10) least = std::min(least, now);
  }
  EXPECT_TRUE(pile.world.isAwake(pile.lower));
  // Nothing was lost to a wall of sleepers: only friction with the floor takes momentum.
  EXPECT_GT(least, 0.6 * momentum);
  EXPECT_FALSE(pile.world.isAwake(pile.far));
}

TEST(Waking, byAKinematicBodyThatStartsToMove) {
  WorldModel world;
  const BodyId lift = world.spawn(InertialDescription{
      .shape = Box{{1.0, 1.0, 0.1}}, .position = {0.0, 0.0, 0.0}, .kinematic = true});
  const BodyId cube = world.spawn(InertialDescription{
      .shape = Box{{0.25, 0.25, 0.25}}, .position = {0.0, 0.0, 0.35}, .restitution = 0.0});
  for (int i = 0; i < 100; ++i) world.update(kDt);
  ASSERT_FALSE(world.isAwake(cube));
  world.setVelocity(lift, {0.0, 0.0, 0.3}, AngularRate::Zero());
  world.update(kDt);
  EXPECT_TRUE(world.isAwake(cube));
  for (int i = 0; i < 60; ++i) world.update(kDt);
  EXPECT_NEAR(world.inertial(cube).getInertialState().position.z(),
              world.inertial(lift).getInertialState().position.z() + 0.35, 1e-3);
}

// Two boxes joined by a rod that lies on nothing but them: one island through the joint.
TEST(Waking, goesThroughJoints) {
  Pile pile;
  const JointId joint = pile.world.spawn(JointDescription{.kind = JointKind::kDistance,
                                                          .bodyA = pile.upper,
                                                          .bodyB = pile.far,
                                                          .anchor = {0.0, 0.0, 0.75},
                                                          .anchorB = Coordinate{5.0, 0.0, 0.25}});
  pile.run(120);
  ASSERT_FALSE(pile.world.isAwake(pile.far));
  pile.world.wake(pile.far);
  EXPECT_TRUE(pile.world.isAwake(pile.lower));
  pile.run(1);
  EXPECT_EQ(pile.world.lastReport().awakeBodies, 3u);
  pile.run(120);
  ASSERT_FALSE(pile.world.isAwake(pile.far));
  // A joint that goes wakes both ends, and afterwards they are islands of their own.
  pile.world.remove(joint);
  EXPECT_TRUE(pile.world.isAwake(pile.far));
  EXPECT_TRUE(pile.world.isAwake(pile.upper));
  pile.run(120);
  pile.world.wake(pile.far);
  EXPECT_FALSE(pile.world.isAwake(pile.upper));
}

TEST(Sleep, jointsHoldAfterWaking) {
  WorldModel world;
  const BodyId bob = world.spawn(InertialDescription{
      .shape = Sphere{0.2}, .position = {0.0, 0.0, -1.0}, .linearDamping = 3.0});
  const JointId joint =
      world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = bob, .anchor = {0, 0, 0}});
  for (int i = 0; i < 200; ++i) world.update(kDt);
  ASSERT_FALSE(world.isAwake(bob));
  const double weight = world.inertial(bob).getMass() * 9.81;
  EXPECT_NEAR(world.jointReaction(joint).force.z(), weight, 1e-3 * weight);
  // Another joint elsewhere changes the set of joints while this one sleeps.
  const BodyId other =
      world.spawn(InertialDescription{.shape = Sphere{0.2}, .position = {5, 0, -1}});
  world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = other, .anchor = {5, 0, 0}});
  for (int i = 0; i < 20; ++i) {
    const EnergyLedger e = world.update(kDt).energy;
    EXPECT_LE(std::abs(e.closure()), 1e-7);
  }
  world.applyImpulseAt(bob, {world.inertial(bob).getMass(), 0, 0}, {0, 0, -1});
  for (int i = 0; i < 100; ++i) {
    world.update(kDt);
    EXPECT_NEAR(world.inertial(bob).getInertialState().position.norm(), 1.0, 1e-3);
  }
}

// Energy and its change are accounted for across falling asleep and waking.
TEST(Sleep, leavesNoEnergyUnaccounted) {
  Pile pile;
  double mechanical = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 300; ++i) {
    if (i == 200) pile.world.applyImpulseAt(pile.upper, {0.0, 0.0, 50.0}, {0.0, 0.0, 0.75});
    const EnergyLedger e = pile.world.update(kDt).energy;
    ASSERT_LE(std::abs(e.closure()), 1e-9 * 1000.0) << i;
    if (i > 0) {
      ASSERT_NEAR(e.kinetic + e.potential, mechanical + e.change, 1e-8) << i;
    }
    mechanical = e.kinetic + e.potential;
  }
}

}  // namespace
}  // namespace msd_sim::test
