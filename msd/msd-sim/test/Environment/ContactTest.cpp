// Contact records and events.

#include <gtest/gtest.h>

#include <numbers>

#include "Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

int countEvents(const WorldModel& world, ContactEventKind kind) {
  int count = 0;
  for (const ContactEvent& e : world.events()) count += e.kind == kind ? 1 : 0;
  return count;
}

TEST(ContactRecords, forcesCarryTheWeight) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  const BodyId floor = addFloor(world);
  const BodyId cube = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}}, .position = {0, 0, 0.5}, .restitution = 0.0});
  for (int i = 0; i < 120; ++i) world.update(kDt);
  const auto contacts = world.contacts(cube);
  ASSERT_EQ(contacts.size(), 4u);
  Force sum = Force::Zero();
  Torque torque = Torque::Zero();
  const Coordinate centre = world.inertial(cube).getInertialState().position;
  for (const ContactRecord& c : contacts) {
    EXPECT_EQ(c.bodyA, floor);
    EXPECT_EQ(c.bodyB, cube);
    EXPECT_NEAR((c.normal - Vector3D::UnitZ()).norm(), 0.0, 1e-12);
    EXPECT_NEAR(c.point.z(), 0.0, 1e-4);
    EXPECT_EQ(c.state, ContactState::kStick);
    EXPECT_DOUBLE_EQ(c.friction, 0.5);
    sum += c.forceOnB;
    torque += (c.point - centre).cross(c.forceOnB);
  }
  const double weight = world.inertial(cube).getMass() * 9.81;
  EXPECT_NEAR(sum.z(), weight, 1e-6 * weight);
  EXPECT_NEAR(torque.norm(), 0.0, 1e-4 * weight * 0.5);  // measured 7e-6
  EXPECT_EQ(world.contacts().size(), 4u);
  EXPECT_EQ(world.contacts(floor).size(), 4u);
}

// A block that slides: |T| = μ N against the motion.
TEST(ContactRecords, slidingIsOnTheConeAgainstTheMotion) {
  WorldModel world;
  addFloor(world);
  const BodyId cube = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.1}},
                                                      .position = {0, 0, 0.1},
                                                      .linearVelocity = {3.0, 0.0, 0.0},
                                                      .restitution = 0.0});
  for (int i = 0; i < 10; ++i) world.update(kDt);
  Force sum = Force::Zero();
  for (const ContactRecord& c : world.contacts(cube)) {
    EXPECT_EQ(c.state, ContactState::kSlip);
    EXPECT_GT(c.slip.x(), 1.0);
    EXPECT_NEAR(c.slip.z(), 0.0, 1e-9);
    sum += c.forceOnB;
  }
  EXPECT_NEAR(sum.x(), -0.5 * sum.z(), 1e-6 * sum.z());
}

// A ball that rolls fast turns far in a step; its point of contact stays under it.
TEST(ContactRecords, rollingBallIsTouchedBelowItsCentre) {
  WorldModel world;
  addFloor(world);
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.1},
                                                      .position = {-10.0, 0.0, 0.1},
                                                      .linearVelocity = {2.0, 0.0, 0.0},
                                                      .angularVelocity = {0.0, 20.0, 0.0},
                                                      .restitution = 0.0});
  for (int i = 0; i < 30; ++i) {
    world.update(kDt);
    const auto contacts = world.contacts(ball);
    ASSERT_EQ(contacts.size(), 1u);
    const Coordinate centre = world.inertial(ball).getInertialState().position;
    EXPECT_NEAR(contacts[0].point.x(), centre.x(), 1e-4);
    EXPECT_NEAR(contacts[0].point.z(), 0.0, 1e-4);
    EXPECT_NEAR(contacts[0].gap, centre.z() - 0.1, 1e-9);
    EXPECT_NEAR(contacts[0].slip.norm(), 0.0, 1e-6);
  }
}

// A ball sunk 0.1 m into the floor while it falls and slides: the point lies midway between the surfaces, and
// the slip is the tangential part of the velocity there alone.
TEST(ContactRecords, pointLiesBetweenTheSurfacesAndSlipAlongThem) {
  WorldModel world;
  addFloor(world);
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.5},
                                                      .position = {0.0, 0.0, 0.4},
                                                      .linearVelocity = {1.0, 0.0, -3.0},
                                                      .angularVelocity = {0.0, 2.0, 0.0}});
  world.update(0.0);
  const auto contacts = world.contacts(ball);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.1, 1e-12);
  EXPECT_NEAR((contacts[0].point - Coordinate{0.0, 0.0, -0.05}).norm(), 0.0, 1e-12);
  // v + ω × r with r = (0, 0, -0.45).
  EXPECT_NEAR((contacts[0].slip - Vector3D{1.0 - 2.0 * 0.45, 0.0, 0.0}).norm(), 0.0, 1e-12);
}

// A capsule lies along y, a ball above its middle, neither falls: what spins does not come nearer.
TEST(ContactRecords, gapOfRoundBodiesDoesNotTurnWithThem) {
  constexpr double kGap = 1e-3;
  for (const bool ballSpins : {false, true}) {
    WorldModel world{Settings{.gravity = Vector3D::Zero(), .sleeping = false}};
    const AngularRate spin{0.0, 30.0, 0.0};
    const BodyId capsule = world.spawn(InertialDescription{
        .shape = Capsule{0.2, 0.4},
        .orientation = Quaternion{Eigen::AngleAxisd{0.5 * std::numbers::pi, Vector3D::UnitX()}},
        .angularVelocity = ballSpins ? AngularRate{AngularRate::Zero()} : spin});
    const BodyId ball = world.spawn(InertialDescription{
        .shape = Sphere{0.3},
        .position = {0, 0, 0.5 + kGap},
        .angularVelocity = ballSpins ? spin : AngularRate{AngularRate::Zero()}});
    for (int step = 0; step < 5; ++step) {
      world.update(kDt);
      const auto contacts = world.contacts(ball);
      ASSERT_EQ(contacts.size(), 1u);
      EXPECT_NEAR(contacts[0].gap, kGap, 1e-12);  // measured 1e-16
      EXPECT_NEAR((contacts[0].normal - Vector3D::UnitZ()).norm(), 0.0, 1e-9);
      EXPECT_EQ(contacts[0].bodyA, capsule);
    }
  }
}

TEST(ContactEvents, fallGivesBeginAndHitThenEndOnLeaving) {
  WorldModel world;
  const BodyId floor = addFloor(world, 0.0);
  const BodyId ball = world.spawn(InertialDescription{
      .shape = Sphere{0.5}, .position = {0, 0, 1.5}, .restitution = 0.0, .maySleep = false});
  int begins = 0, hits = 0, ends = 0;
  double speed = 0.0;
  for (int i = 0; i < 120; ++i) {
    world.update(kDt);
    begins += countEvents(world, ContactEventKind::kBegin);
    ends += countEvents(world, ContactEventKind::kEnd);
    for (const ContactEvent& e : world.events()) {
      EXPECT_EQ(e.bodyA, floor);
      EXPECT_EQ(e.bodyB, ball);
      EXPECT_NEAR((e.normal - Vector3D::UnitZ()).norm(), 0.0, 1e-9);
      EXPECT_NEAR(e.point.z(), 0.0, 1e-2);
      if (e.kind == ContactEventKind::kHit) {
        ++hits;
        speed = e.approachSpeed;
      }
    }
  }
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(hits, 1);
  EXPECT_EQ(ends, 0);
  EXPECT_NEAR(speed, std::sqrt(2.0 * 9.81), 9.81 * kDt);  // v² = 2 g h, to one step's worth
  world.applyImpulseAt(ball, {0.0, 0.0, 10.0 * world.inertial(ball).getMass()},
                       world.inertial(ball).getInertialState().position);
  for (int i = 0; i < 3; ++i) {
    world.update(kDt);
    ends += countEvents(world, ContactEventKind::kEnd);
  }
  EXPECT_EQ(ends, 1);
}

TEST(ContactEvents, bouncingBallBeginsAndEndsInTurn) {
  WorldModel world;
  addFloor(world, 1.0);
  world.spawn(
      InertialDescription{.shape = Sphere{0.5}, .position = {0, 0, 1.0}, .restitution = 1.0});
  int begins = 0, ends = 0, hits = 0;
  for (int i = 0; i < 600; ++i) {
    world.update(kDt);
    begins += countEvents(world, ContactEventKind::kBegin);
    ends += countEvents(world, ContactEventKind::kEnd);
    hits += countEvents(world, ContactEventKind::kHit);
    EXPECT_LE(begins - ends, 1);
    EXPECT_GE(begins - ends, 0);
  }
  // Period 2 sqrt(2 h/g) with h = 0.5 m: 0.6386 s.
  EXPECT_NEAR(begins, 10.0 / 0.6386, 1.0);
  EXPECT_EQ(begins, hits);
}

// A body of several shapes touches another body once.
TEST(ContactEvents, countBodiesNotShapes) {
  WorldModel world;
  const BodyId floor = addFloor(world);
  Compound table;
  for (const double x : {-0.4, 0.4}) {
    for (const double y : {-0.4, 0.4}) {
      table.parts.push_back({Box{{0.05, 0.05, 0.3}}, {x, y, 0.0}});
    }
  }
  table.parts.push_back({Box{{0.5, 0.5, 0.05}}, {0.0, 0.0, 0.35}});
  const BodyId body = world.spawn(InertialDescription{
      .shape = table, .position = {0, 0, 0.5}, .restitution = 0.0, .maySleep = false});
  int begins = 0, ends = 0;
  for (int i = 0; i < 120; ++i) {
    world.update(kDt);
    begins += countEvents(world, ContactEventKind::kBegin);
    ends += countEvents(world, ContactEventKind::kEnd);
  }
  EXPECT_EQ(begins - ends, 1);
  EXPECT_EQ(world.contacts(body).size(), 16u);
  InertialState up = world.inertial(body).getInertialState();
  up.position.z() += 3.0;
  world.setState(body, up);
  world.update(kDt);
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0].kind, ContactEventKind::kEnd);
  EXPECT_EQ(world.events()[0].bodyA, floor);
}

TEST(Filters, layersAndMasksDecideWhoTouches) {
  WorldModel world;
  addFloor(world);
  const BodyId ghost = world.spawn(InertialDescription{
      .shape = Sphere{0.2}, .position = {0, 0, 1}, .filter = {.layer = 2, .mask = 2}});
  const BodyId solid =
      world.spawn(InertialDescription{.shape = Sphere{0.2}, .position = {2, 0, 1}});
  const BodyId nothing = world.spawn(
      InertialDescription{.shape = Sphere{0.2}, .position = {4, 0, 1}, .collides = false});
  for (int i = 0; i < 60; ++i) world.update(kDt);
  EXPECT_LT(world.inertial(ghost).getInertialState().position.z(), -1.0);
  EXPECT_NEAR(world.inertial(solid).getInertialState().position.z(), 0.2, 0.2);
  EXPECT_LT(world.inertial(nothing).getInertialState().position.z(), -1.0);
}

/// How a box that slides on a flat floor departs from v = v0 - μ g t.
struct SlideErrors {
  double speed{0.0}, lift{0.0}, normal{0.0}, turn{0.0};
};

SlideErrors slide(const Shape& floor, const Coordinate& place) {
  WorldModel world;
  world.spawn(EnvironmentDescription{.shape = floor, .position = place, .restitution = 0.0});
  const BodyId box = world.spawn(InertialDescription{.shape = Box{{0.2, 0.15, 0.1}},
                                                     .position = {-3.0, 0.013, 0.1},
                                                     .linearVelocity = {5.0, 0.3, 0.0},
                                                     .restitution = 0.0,
                                                     .maySleep = false});
  const double start = std::hypot(5.0, 0.3);
  SlideErrors worst;
  for (int i = 1; i <= 55; ++i) {
    world.update(kDt);
    const InertialState& s = world.inertial(box).getInertialState();
    const double expected = start - 0.5 * 9.81 * i * kDt;
    worst.speed =
        std::max(worst.speed, std::abs(std::hypot(s.velocity.x(), s.velocity.y()) - expected));
    worst.lift = std::max(worst.lift, std::abs(s.velocity.z()));
    worst.turn = std::max(worst.turn, s.angularVelocity.norm());
    for (const ContactRecord& c : world.contacts(box)) {
      worst.normal = std::max(worst.normal, (c.normal - Vector3D::UnitZ()).norm());
    }
  }
  return worst;
}

// A box slides over a fine flat mesh as over one flat floor: μ g deceleration, no bump.
TEST(MeshFloor, slidingBoxFeelsAFlatFloor) {
  const SlideErrors flat = slide(Box{{20.0, 20.0, 0.5}}, {0.0, 0.0, -0.5});
  const SlideErrors grid = slide(flatMesh(80, 0.1), {0.0, 0.0, 0.0});
  for (const auto& [name, e] : {std::pair{"one box", flat}, {"fine grid", grid}}) {
    std::printf(
        "sliding on %-9s speed error %.1e m/s, lift %.1e m/s, turn %.1e rad/s, normal %.1e\n", name,
        e.speed, e.lift, e.turn, e.normal);
  }
  EXPECT_LT(grid.normal, 1e-9);
  EXPECT_LT(grid.lift, 1e-6);
  EXPECT_LT(grid.speed, 1e-6);  // measured 5e-9
  EXPECT_LT(grid.turn, 1e-5);  // measured 6e-8
}

}  // namespace
}  // namespace msd_sim::test
