// Bodies marked continuous do not pass through anything, however fast they move or turn.

#include <gtest/gtest.h>

#include "Scenes.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

Settings weightless() {
  Settings settings;
  settings.gravity.setZero();
  settings.sleeping = false;
  return settings;
}

// A sheet of 2 mm, a ball of 1 cm at up to 500 m/s: 8 m a step.
TEST(Continuous, bulletsDoNotPassThinWalls) {
  Random random{11};
  for (int i = 0; i < 60; ++i) {
    WorldModel world{weightless()};
    const bool mesh = i % 3 == 2;
    Pose wall{{5.0, 0.0, 0.0}, Quaternion{std::sqrt(0.5), 0.0, -std::sqrt(0.5), 0.0}};
    if (mesh) {
      world.spawn(EnvironmentDescription{
          .shape = flatMesh(10, 1.0), .position = wall.position, .orientation = wall.orientation});
    } else {
      world.spawn(
          EnvironmentDescription{.shape = Box{{0.001, 5.0, 5.0}}, .position = wall.position});
    }
    const Shape shapes[] = {Sphere{0.01}, Box{{0.01, 0.02, 0.01}}, Capsule{0.005, 0.01}};
    const BodyId bullet = world.spawn(InertialDescription{
        .shape = shapes[(i / 3) % 3],
        .position = {0.0, random.between(-2, 2), random.between(-2, 2)},
        .orientation = random.turn(),
        .linearVelocity = {random.between(50.0, 500.0), random.between(-20, 20), 0.0},
        .angularVelocity = random.vector(100.0),
        .continuous = true});
    for (int k = 0; k < 30; ++k) {
      ASSERT_EQ(world.update(kDt).status, StepStatus::kOk);
      ASSERT_LT(world.inertial(bullet).getInertialState().position.x(), 5.0) << i << " step " << k;
    }
  }
}

// A rod that spins at up to 300 rad/s beside a post: the turn alone would carry it through. It
// never overlaps the post by more than a third of its half thickness, and the blow pushes it away.
TEST(Continuous, spinningRodsAreStoppedByAPost) {
  const CollisionShape post = makeCollisionShape(Cylinder{0.01, 1.0});
  const CollisionShape thinner = makeCollisionShape(Box{{0.997, 0.007, 0.007}});
  for (const double spin : {20.0, 60.0, 120.0, 300.0}) {
    WorldModel world{weightless()};
    world.spawn(EnvironmentDescription{.shape = Cylinder{0.01, 1.0}, .position = {0.0, 0.6, 0.0}});
    const BodyId rod = world.spawn(InertialDescription{.shape = Box{{1.0, 0.01, 0.01}},
                                                       .angularVelocity = {0.0, 0.0, spin},
                                                       .restitution = 0.0,
                                                       .continuous = true});
    for (int k = 0; k < 20; ++k) {
      world.update(kDt);
      const PlacedShape obstacle{post, Pose{{0.0, 0.6, 0.0}, Quaternion::Identity()}};
      EXPECT_FALSE(overlaps(PlacedShape{thinner, world.asset(rod).pose()}, obstacle))
          << spin << " step " << k;
    }
    EXPECT_GT(world.inertial(rod).getInertialState().velocity.norm(), 0.01 * spin);
  }
}

// Two bullets head on, and a bullet against a plate that moves: dynamic against dynamic.
TEST(Continuous, dynamicBodiesDoNotPassEachOther) {
  for (const double speed : {50.0, 200.0, 700.0}) {
    WorldModel world{weightless()};
    const auto ball = [&](double x, double v) {
      return world.spawn(InertialDescription{.shape = Sphere{0.02},
                                             .position = {x, 0.0, 0.0},
                                             .linearVelocity = {v, 0.0, 0.0},
                                             .restitution = 1.0,
                                             .continuous = true});
    };
    const BodyId a = ball(-4.0, speed), b = ball(4.0, -speed);
    const BodyId plate = world.spawn(InertialDescription{.shape = Box{{0.002, 1.0, 1.0}},
                                                         .position = {20.0, 0.0, 0.0},
                                                         .linearVelocity = {-speed, 0.0, 0.0},
                                                         .restitution = 0.0});
    const BodyId c = world.spawn(InertialDescription{.shape = Sphere{0.02},
                                                     .position = {10.0, 0.0, 0.5},
                                                     .linearVelocity = {speed, 0.0, 0.0},
                                                     .restitution = 0.0,
                                                     .continuous = true});
    for (int k = 0; k < 20; ++k) {
      world.update(kDt);
      const auto x = [&](BodyId id) { return world.inertial(id).getInertialState().position.x(); };
      if (k < 3) {
        ASSERT_LT(x(a), x(b)) << speed << " step " << k;
      }
      if (k < 3) {
        // On its own side of the plate, which the blow has tilted.
        const Coordinate c_P =
            world.asset(plate).pose().toLocal(world.inertial(c).getInertialState().position);
        ASSERT_LT(c_P.x(), 0.0) << speed << " step " << k;
      }
    }
    EXPECT_NEAR(world.inertial(a).getInertialState().velocity.x(), -speed, 0.05 * speed);
  }
}

// Ordinary rest and rolling are not disturbed by the mark.
TEST(Continuous, bulletsPassWhatTheirFilterExcludes) {
  for (const std::uint32_t mask : {1u, 2u}) {
    WorldModel world{weightless()};
    world.spawn(EnvironmentDescription{
        .shape = Box{{0.001, 5.0, 5.0}}, .position = {5.0, 0.0, 0.0}, .filter = {.layer = 2}});
    const BodyId bullet = world.spawn(InertialDescription{.shape = Sphere{0.01},
                                                          .linearVelocity = {400.0, 0.0, 0.0},
                                                          .filter = {.mask = mask},
                                                          .continuous = true});
    for (int k = 0; k < 10; ++k) world.update(kDt);
    const double x = world.inertial(bullet).getInertialState().position.x();
    if (mask == 1u) {
      EXPECT_NEAR(x, 400.0 * 10 * kDt, 1e-9);
    } else {
      EXPECT_LT(x, 5.0);
    }
  }
}

TEST(Continuous, markChangesNothingAtLowSpeed) {
  WorldModel plain, marked;
  for (WorldModel* world : {&plain, &marked}) {
    addFloor(*world);
    for (int i = 0; i < 5; ++i) {
      world->spawn(InertialDescription{.shape = Box{{0.2, 0.2, 0.2}},
                                       .position = {0.0, 0.0, 0.2 + 0.4 * i},
                                       .linearVelocity = {0.1 * i, 0.0, 0.0},
                                       .restitution = 0.0,
                                       .continuous = world == &marked});
    }
  }
  for (int i = 0; i < 120; ++i) {
    plain.update(kDt);
    marked.update(kDt);
  }
  EXPECT_EQ(plain.stateHash(), marked.stateHash());
}

}  // namespace
}  // namespace msd_sim::test
