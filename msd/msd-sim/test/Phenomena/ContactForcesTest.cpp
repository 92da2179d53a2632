// Contact records hold forces: what lies still is carried by exactly its weight, Σ F = m g to 1e-6, and with no
// torque left over.

#include <gtest/gtest.h>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kGravity = 9.81;

BodyId put(WorldModel& world, const Shape& shape, const Coordinate& at, double density = 1000.0) {
  return world.spawn(InertialDescription{
      .shape = shape, .density = density, .position = at, .friction = 0.6, .restitution = 0.0});
}

/// Largest |Σ F − m g| of a body, over its weight, after it has come to rest.
double imbalance(WorldModel& world, int steps) {
  for (int i = 0; i < steps; ++i) world.update(kDt);
  double worst = 0.0;
  for (const BodyId id : world.bodies()) {
    if (world.isEnvironment(id)) continue;
    Force sum = Force::Zero();
    for (const ContactRecord& c : world.contacts(id)) {
      sum += c.bodyB == id ? c.forceOnB : Force{-c.forceOnB};
    }
    const double weight = world.inertial(id).getMass() * kGravity;
    worst = std::max(worst, (sum - Force{0.0, 0.0, weight}).norm() / weight);
  }
  return worst;
}

void expectCarried(const char* name, WorldModel& world, int steps = 900) {
  const double error = imbalance(world, steps);
  std::printf("%-24s worst |sum of forces - weight| %.1e of the weight\n", name, error);
  EXPECT_LT(error, 1e-6) << name;
}

WorldModel restingWorld(Method method = Method::kFast) {
  Settings settings;
  settings.method = method;
  settings.sleeping = false;
  WorldModel world{settings};
  addFloor(world);
  return world;
}

TEST(ContactForces, carryEachShape) {
  WorldModel world = restingWorld();
  put(world, Box{{0.5, 0.4, 0.3}}, {0.0, 0.0, 0.3});
  put(world, Sphere{0.4}, {2.0, 0.0, 0.4});
  put(world, Capsule{0.2, 0.4}, {4.0, 0.0, 0.6});
  put(world, Cylinder{0.4, 0.3}, {6.0, 0.0, 0.3});
  world.spawn(InertialDescription{.shape = Cylinder{0.3, 0.5},
                                  .position = {8.0, 0.0, 0.3},
                                  .orientation = Quaternion{std::sqrt(0.5), std::sqrt(0.5), 0.0, 0.0},
                                  .restitution = 0.0});
  Random random{3};
  put(world, lump(random, 14, 0.4), {10.0, 0.0, 0.5});
  expectCarried("single shapes", world);
}

TEST(ContactForces, carryStacks) {
  {
    WorldModel world = restingWorld();
    for (int i = 0; i < 10; ++i) put(world, Box{{0.5, 0.5, 0.5}}, {0.0, 0.0, 0.5 + i});
    expectCarried("ten boxes", world, 3000);
  }
  {
    WorldModel world = restingWorld();
    for (int row = 0; row < 6; ++row) {
      for (int column = 0; column < 6 - row; ++column) {
        put(world, Box{{0.5, 0.5, 0.5}}, {column + 0.5 * row, 0.0, row + 0.5});
      }
    }
    expectCarried("pyramid of 21", world, 1800);
  }
  {
    WorldModel world = restingWorld();
    put(world, Box{{0.5, 0.5, 0.25}}, {0.0, 0.0, 0.25});
    put(world, Sphere{0.25}, {0.0, 0.0, 0.75});
    put(world, Cylinder{0.5, 0.25}, {2.0, 0.0, 0.25});
    put(world, Box{{0.3, 0.3, 0.3}}, {2.0, 0.0, 0.8});
    put(world, Cylinder{0.2, 0.2}, {2.0, 0.0, 1.3});
    expectCarried("ball and cylinders", world);
  }
  {
    WorldModel world = restingWorld();
    for (int i = 0; i < 4; ++i) {
      put(world, Box{{0.5, 0.5, 0.25}}, {0.0, 0.0, 0.25 + 0.5 * i}, i == 3 ? 4000.0 : 1000.0);
    }
    expectCarried("heavy on light, 4 : 1", world, 1800);
  }
}

TEST(ContactForces, carryASlopesBlockByNormalAndFriction) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  const Quaternion tilt{std::cos(0.1), 0.0, std::sin(0.1), 0.0};
  world.spawn(EnvironmentDescription{.shape = Box{{10.0, 5.0, 1.0}},
                                     .position = tilt * Vector3D{0.0, 0.0, -1.0},
                                     .orientation = tilt,
                                     .restitution = 0.0});
  world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.2}},
                                  .position = tilt * Vector3D{0.0, 0.0, 0.2},
                                  .orientation = tilt,
                                  .restitution = 0.0});
  expectCarried("block on a slope", world);
}

TEST(ContactForces, carryStacksExact) {
  WorldModel world = restingWorld(Method::kExact);
  for (int i = 0; i < 5; ++i) put(world, Box{{0.5, 0.5, 0.5}}, {0.0, 0.0, 0.5 + i});
  put(world, Sphere{0.4}, {2.0, 0.0, 0.4});
  put(world, Cylinder{0.4, 0.3}, {4.0, 0.0, 0.3});
  expectCarried("exact", world, 120);
}

TEST(ContactForces, leaveNoTorqueAboutTheCentre) {
  WorldModel world = restingWorld();
  const BodyId box = put(world, Box{{0.5, 0.4, 0.3}}, {0.0, 0.0, 0.3});
  for (int i = 0; i < 900; ++i) world.update(kDt);
  const InertialState& s = world.inertial(box).getInertialState();
  Torque torque = Torque::Zero();
  for (const ContactRecord& c : world.contacts(box)) {
    torque += (c.point - s.position).cross(c.forceOnB);
  }
  const double scale = world.inertial(box).getMass() * kGravity * 0.5;
  EXPECT_LT(torque.norm() / scale, 1e-4);
}

}  // namespace
}  // namespace msd_sim::test
