// Chains under load, the slider-crank, large nets.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "JointWorlds.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

TEST(Chain, of20LinksWithAHundredfoldLoadKeepsItsJoints) {
  // Hangs down and swings out to 57 degrees, dt 1/60; the load is 100 link masses.
  Settings settings{.sleeping = false};
  settings.gravity = {0, 0, -9.81};
  WorldModel world{settings};
  BodyId last{};
  const double length = 0.2;
  for (int i = 0; i <= 20; ++i) {
    const double z = -length * i;
    const double mass = i == 20 ? 100.0 : 1.0;
    InertialDescription d = rod({0, 0, z}, {0, 0, z - length}, mass, 0.05);
    d.angularVelocity = {0, 1.5, 0};
    d.linearVelocity = {1.5 * (z - 0.5 * length), 0, 0};
    const BodyId link = world.spawn(d);
    world.spawn(JointDescription{
        .kind = JointKind::kBall, .bodyA = last, .bodyB = link, .anchor = {0, 0, z}});
    last = link;
  }
  double worst = 0.0;
  for (int i = 0; i < 600; ++i) {
    const StepReport report = world.update(1.0 / 60.0);
    ASSERT_EQ(report.status, StepStatus::kOk);
    worst = std::max(worst, report.jointError);
  }
  EXPECT_LT(worst, 1e-3 * length);  // 1.3e-13 m measured
}

constexpr double kLinkLength = 0.2;  // [m]

/// Twenty links of 1 kg and one of 100 kg at their end, level, hung up at the origin.
std::vector<BodyId> addLevelChain(WorldModel& world) {
  std::vector<BodyId> links;
  for (int i = 0; i <= 20; ++i) {
    const double x = kLinkLength * i;
    const BodyId last = links.empty() ? BodyId{} : links.back();
    links.push_back(world.spawn(rod({x, 0, 0}, {x + kLinkLength, 0, 0}, i == 20 ? 100.0 : 1.0, 0.05)));
    world.spawn(JointDescription{
        .kind = JointKind::kBall, .bodyA = last, .bodyB = links.back(), .anchor = {x, 0, 0}});
  }
  return links;
}

TEST(Chain, releasedLevelGainsNothingAndSaysSoWhereTheLoadPullsItTaut) {
  // At the bottom of the swing the links feel three times the load's weight: hω = 1.8 at the
  // default substep, and the scheme's limit is 2. It cannot be followed: it loses energy, and says so.
  Settings settings{.sleeping = false};
  settings.gravity = {0, 0, -9.81};
  WorldModel world{settings};
  const std::vector<BodyId> links = addLevelChain(world);
  const double start = energy(world, links, settings.gravity);
  double worst = 0.0, largest = 0.0;
  bool said = false;
  for (int i = 0; i < 600; ++i) {
    const StepReport report = world.update(1.0 / 60.0);
    EXPECT_EQ(report.substeps, 4u);
    worst = std::max(worst, report.jointError);
    said = said || report.tautJoints;
    const double gained = energy(world, links, settings.gravity) - start;
    largest = std::max(largest, gained / (100.0 * 9.81 * 4.0));
  }
  EXPECT_TRUE(said);
  EXPECT_LT(worst, 0.1);     // 0.072 m measured, in a few steps; 1e-11 m in most
  EXPECT_LT(largest, 2e-3);  // 0 measured
  std::printf("taut chain: joints %.1e m apart, gained %.1e of the load's height\n", worst, largest);
}

TEST(Chain, releasedLevelIsFollowedWithMoreSubsteps) {
  Settings settings{.substeps = 64, .sleeping = false};
  settings.gravity = {0, 0, -9.81};
  WorldModel world{settings};
  const std::vector<BodyId> links = addLevelChain(world);
  const double start = energy(world, links, settings.gravity);
  double worst = 0.0, largest = 0.0, smallest = 0.0;
  for (int i = 0; i < 600; ++i) {
    worst = std::max(worst, world.update(1.0 / 60.0).jointError);
    const double gained = energy(world, links, settings.gravity) - start;
    largest = std::max(largest, gained / (100.0 * 9.81 * 4.0));
    smallest = std::min(smallest, gained / (100.0 * 9.81 * 4.0));
  }
  EXPECT_LT(worst, 1e-3 * kLinkLength);  // 5e-12 m measured
  EXPECT_LT(largest, 2e-3);
  EXPECT_GT(smallest, -0.01);
}

TEST(Chain, tooTautForItsSubstepsGainsNoEnergy) {
  // The same chain with the default number of substeps forced upon it: it cannot be followed, and
  // without the account of (J-23) it flies apart within ten seconds.
  Settings settings{.substeps = 4, .sleeping = false};
  settings.gravity = {0, 0, -9.81};
  WorldModel world{settings};
  const std::vector<BodyId> links = addLevelChain(world);
  const double start = energy(world, links, settings.gravity);
  double largest = 0.0;
  for (int i = 0; i < 600; ++i) {
    ASSERT_NE(world.update(1.0 / 60.0).status, StepStatus::kFailed);
    largest = std::max(largest, energy(world, links, settings.gravity) - start);
  }
  EXPECT_LT(largest / (100.0 * 9.81 * 4.0), 2e-3);
}

TEST(SliderCrank, pistonFollowsTheCrankAngle) {
  // Crank r = 0.1 turned by a motor at 6 rad/s, rod l = 0.3: x = r cos θ + sqrt(l² - r² sin² θ).
  WorldModel world{Settings{.gravity = {0, 0, 0}, .sleeping = false}};
  const BodyId crank = world.spawn(rod({0, 0, 0}, {0.1, 0, 0}, 1.0, 0.02));
  const BodyId link = world.spawn(rod({0.1, 0, 0}, {0.4, 0, 0}, 1.0, 0.02));
  const BodyId piston = world.spawn(body("piston", {0.4, 0, 0}, 2.0, {0.01, 0.01, 0.01}));
  const Vector3D z = Vector3D::UnitZ();
  const JointId shaft = world.spawn(JointDescription{.kind = JointKind::kHinge,
                                                     .bodyB = crank,
                                                     .anchor = {0, 0, 0},
                                                     .axis = z,
                                                     .motor = JointMotor{.target = 6.0}});
  world.spawn(JointDescription{
      .kind = JointKind::kHinge, .bodyA = crank, .bodyB = link, .anchor = {0.1, 0, 0}, .axis = z});
  world.spawn(JointDescription{
      .kind = JointKind::kHinge, .bodyA = link, .bodyB = piston, .anchor = {0.4, 0, 0}, .axis = z});
  const JointId guide = world.spawn(JointDescription{
      .kind = JointKind::kSlider, .bodyB = piston, .anchor = {0.4, 0, 0}, .axis = {1, 0, 0}});
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(world.update(2e-3).status, StepStatus::kOk);
    const double angle = world.jointCoordinate(shaft);
    const double x =
        0.1 * std::cos(angle) + std::sqrt(0.09 - 0.01 * std::sin(angle) * std::sin(angle));
    EXPECT_NEAR(world.jointCoordinate(guide), x - 0.4, 1e-9);
  }
  EXPECT_NEAR(world.jointCoordinate(shaft), 6.0, 1e-3);
}

struct Net {
  WorldModel world;
  std::vector<BodyId> beads;

  Net(int size, int threads)
      : world{Settings{.sleeping = false, .threads = threads}}, beads{addNet(world, size)} {}
};

TEST(Net, hangsStillAndKeepsItsJoints) {
  Net net{30, 1};
  double worst = 0.0;
  for (int i = 0; i < 30; ++i) worst = std::max(worst, net.world.update(1.0 / 60.0).jointError);
  EXPECT_LT(worst, 1e-9);  // 0 measured: the first phase solves the load of the whole net
}

TEST(Net, atRestIsSteppedAtOnceUntilSomethingPushesIt) {
  Net net{30, 1};
  for (int i = 0; i < 5; ++i) net.world.update(1.0 / 60.0);
  EXPECT_EQ(net.world.update(1.0 / 60.0).substeps, 1u);
  net.world.applyForce(net.beads.back(), {0, 2000, 0});
  EXPECT_EQ(net.world.update(1.0 / 60.0).substeps, 4u);  // in this very step
  EXPECT_EQ(net.world.update(1.0 / 60.0).substeps, 4u);
}

TEST(Net, swingsWithoutGainingEnergyAndKeepsItsJoints) {
  // A gust across the net for a quarter of a second, then it swings.
  Net net{30, 1};
  const Acceleration gravity{0, 0, -9.81};
  double worst = 0.0, start = 0.0, largest = 0.0;
  for (int i = 0; i < 90; ++i) {
    if (i < 15) {
      for (const BodyId id : net.beads) net.world.applyForce(id, {0, 1000, 0});
    }
    worst = std::max(worst, net.world.update(1.0 / 60.0).jointError);
    const double now = energy(net.world, net.beads, gravity);
    if (i == 14) start = now;
    if (i > 14) largest = std::max(largest, now - start);
  }
  EXPECT_LT(worst, 5e-3);
  EXPECT_LT(largest / std::fabs(start), 1e-3);
}

TEST(Net, giveTheSameBitsForAnyNumberOfThreads) {
  const auto hashOf = [](int threads) {
    Net net{30, threads};
    for (const BodyId id : {net.beads.back(), net.beads[100]}) {
      net.world.applyForce(id, {500, 2000, 0});
    }
    for (int i = 0; i < 5; ++i) net.world.update(1.0 / 60.0);
    return net.world.stateHash();
  };
  const Hash128 one = hashOf(1);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(one, hashOf(threads)) << threads;
}

}  // namespace
}  // namespace msd_sim
