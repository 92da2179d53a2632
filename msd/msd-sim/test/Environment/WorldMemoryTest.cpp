// A world that has settled into its work takes no more memory from the system.

#include <gtest/gtest.h>

#include "Scenes.hpp"
#include "msd-sim/test/CountAllocations.hpp"

namespace msd_sim::test {
namespace {

long allocationsPerRun(WorldModel& world, int steps) {
  const long before = allocations.load();
  for (int i = 0; i < steps; ++i) world.update(1.0 / 60.0);
  return allocations.load() - before;
}

TEST(WorldMemory, steadySteppingAllocatesNothing) {
  for (const int threads : {1, 3}) {
    Settings settings;
    settings.sleeping = false;
    settings.threads = threads;
    WorldModel wall{settings};
    addWall(wall, 6, 5);
    (void)allocationsPerRun(wall, 120);
    EXPECT_EQ(allocationsPerRun(wall, 120), 0) << threads;
  }
}

TEST(WorldMemory, steadySteppingAllocatesNothingExact) {
  Settings settings;
  settings.method = Method::kExact;
  settings.sleeping = false;
  WorldModel wall{settings};
  addWall(wall, 4, 3);
  (void)allocationsPerRun(wall, 120);
  EXPECT_EQ(allocationsPerRun(wall, 60), 0);
}

TEST(WorldMemory, resistanceToRollingAllocatesNothing) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  world.spawn(EnvironmentDescription{
      .shape = Plane{}, .restitution = 0.0, .rollingResistance = 0.01, .torsionalResistance = 0.01});
  for (int i = 0; i < 20; ++i) {
    world.spawn(InertialDescription{.shape = Sphere{0.2},
                                    .position = {0.5 * i, 0.0, 0.2},
                                    .linearVelocity = {0.0, 1.0, 0.0},
                                    .restitution = 0.0,
                                    .rollingResistance = 0.01,
                                    .torsionalResistance = 0.01});
  }
  (void)allocationsPerRun(world, 120);
  EXPECT_EQ(allocationsPerRun(world, 60), 0);
}

// Bodies that keep tumbling in a drum of walls: contacts come and go.
TEST(WorldMemory, churningContactsAllocateNothingAfterWarmUp) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  for (int i = 0; i < 6; ++i) {
    Vector3D n = Vector3D::Zero();
    n[i % 3] = i < 3 ? 1.0 : -1.0;
    world.spawn(EnvironmentDescription{.shape = Plane{n, -1.5}, .restitution = 1.0});
  }
  Random random{5};
  for (int i = 0; i < 40; ++i) {
    const Shape shapes[] = {Sphere{0.15}, Box{{0.15, 0.1, 0.12}}, Capsule{0.1, 0.1}};
    world.spawn(InertialDescription{.shape = shapes[i % 3],
                                    .position = random.vector(1.2),
                                    .linearVelocity = random.vector(2.0),
                                    .restitution = 0.9});
  }
  (void)allocationsPerRun(world, 1500);
  const long rest = allocationsPerRun(world, 300);
  std::printf("churning box of bodies: %ld allocations in 300 steps after 1500\n", rest);
  EXPECT_LE(rest, 3);  // a list may still reach a new greatest length
}

TEST(WorldMemory, sleepingAndQueriesOfRaysAllocateNothing) {
  WorldModel world;
  addWall(world, 4, 3);
  (void)allocationsPerRun(world, 200);
  EXPECT_EQ(allocationsPerRun(world, 50), 0);
  (void)world.rayCast(Ray{{0, 0, 5}, {0, 0, -1}, 10.0});
  const long before = allocations.load();
  for (int i = 0; i < 100; ++i) (void)world.rayCast(Ray{{0.01 * i, 0, 5}, {0, 0, -1}, 10.0});
  EXPECT_EQ(allocations.load() - before, 0);
}

}  // namespace
}  // namespace msd_sim::test
