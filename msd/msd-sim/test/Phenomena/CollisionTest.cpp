// What every collision must do, whatever the shapes: with a wall, at once with several bodies, at
// zero gap, from an overlap, from a great height, and at any length of step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
const Settings kWeightless{.gravity = {0, 0, 0}, .sleeping = false};

const InertialState& stateOf(const WorldModel& world, BodyId id) {
  return world.inertial(id).getInertialState();
}

// m v = (m + M) v': with e = 0 both go on together.
TEST(Inelastic, bodiesGoOnWithTheSpeedOfTheirCentre) {
  WorldModel world{kWeightless};
  const BodyId a = world.spawn(InertialDescription{.shape = Sphere{0.5},
                                                   .mass = 1.0,
                                                   .position = {-1.1, 0, 0},
                                                   .linearVelocity = {3, 0, 0},
                                                   .restitution = 0.0});
  const BodyId b =
      world.spawn(InertialDescription{.shape = Sphere{0.5}, .mass = 2.0, .restitution = 0.0});
  for (int i = 0; i < 60; ++i) world.update(kDt);
  EXPECT_NEAR(stateOf(world, a).velocity.x(), 1.0, 1e-9);
  EXPECT_NEAR(stateOf(world, b).velocity.x(), 1.0, 1e-9);
}

TEST(Wall, isNotMovedByWhatBouncesOffIt) {
  WorldModel world{kWeightless};
  const BodyId wall = world.spawn(EnvironmentDescription{
      .shape = Box{{0.5, 2, 2}}, .position = {2, 0, 0}, .restitution = 0.64});
  const BodyId ball = world.spawn(InertialDescription{
      .shape = Sphere{0.5}, .linearVelocity = {4, 0, 0}, .friction = 0.0, .restitution = 1.0});
  for (int i = 0; i < 60; ++i) world.update(kDt);
  EXPECT_NEAR(stateOf(world, ball).velocity.x(), -0.8 * 4.0, 1e-9);  // e = √(0.64 · 1)
  EXPECT_EQ(world.environment(wall).getInertialState().position, Coordinate(2, 0, 0));
  EXPECT_EQ(world.environment(wall).getInertialState().velocity, Vector3D::Zero());
}

// A smooth ball in a groove of two planes at 45°: each carries m g/√2.
TEST(Groove, bothSidesCarryTheBall) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  const double s = std::sqrt(0.5);
  world.spawn(EnvironmentDescription{.shape = Plane{{s, 0, s}, 0.0}, .friction = 0.0});
  world.spawn(EnvironmentDescription{.shape = Plane{{-s, 0, s}, 0.0}, .friction = 0.0});
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.5},
                                                      .mass = 2.0,
                                                      .position = {0.0, 0.0, 0.5 / s},
                                                      .friction = 0.0,
                                                      .restitution = 0.0});
  for (int i = 0; i < 120; ++i) world.update(kDt);
  const auto contacts = world.contacts(ball);
  ASSERT_EQ(contacts.size(), 2u);
  for (const ContactRecord& c : contacts) EXPECT_NEAR(c.forceOnB.norm(), 2.0 * 9.81 * s, 1e-6);
  EXPECT_LT(stateOf(world, ball).velocity.norm(), 1e-9);
}

// One ball meets two at once, 30° to either side of its way: both get the same, across and along.
TEST(SeveralAtOnce, ballsOnBothSidesGetTheSame) {
  WorldModel world{kWeightless};
  const double c = std::sqrt(0.75);
  const auto ball = [&](const Coordinate& place, const Vector3D& v) {
    return world.spawn(InertialDescription{.shape = Sphere{0.5},
                                           .mass = 1.0,
                                           .position = place,
                                           .linearVelocity = v,
                                           .friction = 0.0,
                                           .restitution = 1.0});
  };
  const BodyId cue = ball({-0.2, 0, 0}, {2, 0, 0});
  const BodyId left = ball({c, 0.5, 0}, {0, 0, 0});
  const BodyId right = ball({c, -0.5, 0}, {0, 0, 0});
  for (int i = 0; i < 60; ++i) {
    EXPECT_LE(world.update(kDt).energy.change, 1e-12);
  }
  const Vector3D vl = stateOf(world, left).velocity, vr = stateOf(world, right).velocity;
  EXPECT_NEAR(vl.x(), vr.x(), 1e-7);  // measured 1.0e-8: the sweep goes round one after the other
  EXPECT_NEAR(vl.y(), -vr.y(), 1e-7);
  EXPECT_GT(vl.x(), 0.5);
  EXPECT_NEAR((stateOf(world, cue).velocity + vl + vr - Vector3D{2, 0, 0}).norm(), 0.0, 1e-12);
}

TEST(ZeroGap, bodiesThatJustTouchStayWhereTheyAre) {
  WorldModel world{kWeightless};
  const BodyId a = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}});
  const BodyId b =
      world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}, .position = {1, 0, 0}});
  for (int i = 0; i < 120; ++i) world.update(kDt);
  EXPECT_NEAR((stateOf(world, b).position - Coordinate{1, 0, 0}).norm(), 0.0, 1e-12);
  EXPECT_LT(stateOf(world, a).velocity.norm() + stateOf(world, b).velocity.norm(), 1e-12);
}

// Overlaps are parted by moving the bodies, not by throwing them: they end apart and at rest.
TEST(Overlap, isPartedWithoutThrowing) {
  WorldModel world{kWeightless};
  const BodyId a = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}, .density = 100});
  const BodyId b = world.spawn(
      InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}, .density = 300, .position = {0.9, 0, 0}});
  double fastest = 0.0;
  for (int i = 0; i < 240; ++i) {
    world.update(kDt);
    fastest = std::max(fastest, stateOf(world, a).velocity.norm());
  }
  const double distance = stateOf(world, b).position.x() - stateOf(world, a).position.x();
  EXPECT_NEAR(distance, 1.0, 1e-3);  // measured 4.3e-4 short of it: the slop
  EXPECT_LT(fastest, 1e-9);
  // The lighter one gives way three times as far.
  EXPECT_NEAR(-stateOf(world, a).position.x() / (stateOf(world, b).position.x() - 0.9), 3.0, 1e-6);
}

/// Boxes of 20 cm, 1 m above a rough floor, thrown down turning by up to a third of a radian a
/// step, one after the other: the largest work of correction of one [m g (1 m)].
double correctionOfThrownBoxes(int count) {
  double most = 0.0;
  for (int seed = 0; seed < count; ++seed) {
    Random random{static_cast<std::uint64_t>(seed) + 7};
    WorldModel world{Settings{.sleeping = false}};
    world.spawn(EnvironmentDescription{.shape = Plane{}, .friction = 0.8});
    const BodyId box =
        world.spawn(InertialDescription{.shape = Box{{0.1, 0.1, 0.1}},
                                        .position = {0.0, 0.0, 1.0},
                                        .orientation = random.turn(),
                                        .linearVelocity = {random.between(-2.0, 2.0), 0.0, -4.0},
                                        .angularVelocity = random.vector(20.0),
                                        .friction = 0.8});
    double work = 0.0;
    for (int i = 0; i < 120; ++i) work += std::max(world.update(kDt).energy.positionWork, 0.0);
    most = std::max(most, work / (world.inertial(box).getMass() * 9.81));
  }
  return most;
}

// (P-10): contacts that let a turning body sink in stop it too late, and what they take too much of
// it pays for the lift.
TEST(PositionCorrection, isPaidByTheContactsThatStoppedTheBody) {
  const double most = correctionOfThrownBoxes(50);
  std::printf("correction of a thrown box does at most %.1e m g (1 m)\n", most);
  EXPECT_LT(most, 1e-9);  // 4.4e-15
}

// Nobody pays for a body that lies too deep and still: its lift is the correction's own work.
TEST(PositionCorrection, isItsOwnWorkWhereContactsTookNothing) {
  WorldModel world{Settings{.sleeping = false}};
  world.spawn(EnvironmentDescription{.shape = Plane{}});
  const BodyId box = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}}, .mass = 1.0, .position = {0.0, 0.0, 0.48}});
  double work = 0.0;
  for (int i = 0; i < 120; ++i) work += world.update(kDt).energy.positionWork;
  EXPECT_NEAR(work, 9.81 * (stateOf(world, box).position.z() - 0.48), 1e-9);  // 1.6e-15
}

// Without friction nothing else takes energy: it falls in every bounce, never rises, and ends with
// the body at rest on the floor.
TEST(HighDrop, losesItsEnergyStepByStep) {
  WorldModel world;
  world.spawn(EnvironmentDescription{.shape = Plane{}});
  const BodyId cube = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}},
      .mass = 1.0,
      .position = {0, 0, 10},
      .orientation = Quaternion{Eigen::AngleAxisd{0.4, Vector3D{1, 2, 0}.normalized()}},
      .restitution = 0.5});
  double rise = 0.0, last = 0.0;
  for (int i = 0; i < 900; ++i) {
    const StepReport r = world.update(kDt);
    rise = std::max(rise, r.energy.change - std::max(r.energy.positionWork, 0.0));
    last = r.energy.kinetic + r.energy.potential;
  }
  EXPECT_LT(rise, 1e-9 * 9.81 * 10.0);
  EXPECT_NEAR(last, 9.81 * 0.5, 0.01);
  EXPECT_NEAR(stateOf(world, cube).position.z(), 0.5, 1e-3);
}

// The first apex of a ball dropped from h is e² h at every length of step.
TEST(StepLength, doesNotChangeHowHighABallBounces) {
  for (const double dt : {1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0, 1.0 / 480.0}) {
    WorldModel world;
    world.spawn(EnvironmentDescription{.shape = Plane{}, .restitution = 0.8});
    const BodyId ball = world.spawn(
        InertialDescription{.shape = Sphere{0.5}, .position = {0, 0, 2.5}, .restitution = 0.8});
    double apex = 0.0;
    bool bounced = false;
    for (double t = 0.0; t < 1.15; t += dt) {
      world.update(dt);
      bounced = bounced || stateOf(world, ball).velocity.z() > 0.0;
      if (bounced) apex = std::max(apex, stateOf(world, ball).position.z() - 0.5);
    }
    EXPECT_NEAR(apex, 0.64 * 2.0, 0.01 * 0.64 * 2.0) << dt;
  }
}

// The load of the step is not part of the approach: a ball that arrives with v leaves with e v less
// what gravity takes, never with e (v + g dt).
TEST(VelocityBias, isNotMultipliedByRestitution) {
  WorldModel world;
  world.spawn(EnvironmentDescription{.shape = Plane{}, .restitution = 1.0});
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.5},
                                                      .position = {0, 0, 0.5},
                                                      .linearVelocity = {0, 0, -2},
                                                      .restitution = 1.0});
  const double before = world.inertial(ball).kineticEnergy();
  const StepReport r = world.update(kDt);
  // The bounce lies somewhere in the first substep: gravity slows what is left of the step.
  EXPECT_LT(stateOf(world, ball).velocity.z(), 2.0 - 0.5 * 9.81 * kDt);
  EXPECT_GT(stateOf(world, ball).velocity.z(), 2.0 - 9.81 * kDt - 1e-9);
  EXPECT_NEAR(r.energy.change, 0.0, 1e-9 * before);
}

}  // namespace
}  // namespace msd_sim::test
