// A world that has settled into its work takes no more memory from the system.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "Scenes.hpp"
#define MSD_COUNT_ALLOCATIONS
#include "msd-sim/test/CountAllocations.hpp"

namespace msd_sim::test {
namespace {

long allocationsPerRun(WorldModel& world, int steps) {
  const long before = allocations.load();
  for (int i = 0; i < steps; ++i) world.update(1.0 / 60.0);
  return allocations.load() - before;
}

TEST(WorldMemory, steadySteppingAllocatesNothing) {
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
  for (const int threads : {1, 3}) {
    Settings settings;
    settings.sleeping = false;
    settings.threads = threads;
    WorldModel wall{settings};
    addWall(wall, 20, 16);  // enough for threads to share
    (void)allocationsPerRun(wall, 120);
    EXPECT_EQ(allocationsPerRun(wall, 120), 0) << threads;
  }
}

TEST(WorldMemory, steadySteppingAllocatesNothingExact) {
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
  Settings settings;
  settings.method = Method::kExact;
  settings.sleeping = false;
  WorldModel wall{settings};
  addWall(wall, 4, 3);
  (void)allocationsPerRun(wall, 120);
  EXPECT_EQ(allocationsPerRun(wall, 60), 0);
}

TEST(WorldMemory, resistanceToRollingAllocatesNothing) {
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
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
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
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
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
  WorldModel world;
  addWall(world, 4, 3);
  (void)allocationsPerRun(world, 200);
  EXPECT_EQ(allocationsPerRun(world, 50), 0);
  (void)world.rayCast(Ray{{0, 0, 5}, {0, 0, -1}, 10.0});
  const long before = allocations.load();
  for (int i = 0; i < 100; ++i) (void)world.rayCast(Ray{{0.01 * i, 0, 5}, {0, 0, -1}, 10.0});
  EXPECT_EQ(allocations.load() - before, 0);
}

// A cloud of bodies of all kinds hits a floor between walls at 15 m/s: the moment that takes most memory. Bodies
// in flight have long boxes and look far ahead, so that they have more pairs and contacts than at rest.
TEST(WorldMemory, aPileTakesFewBytesPerBodyAndContactEvenWhileItFalls) {
  constexpr int kSide = 10, kLayers = 10;
  constexpr double kBodies = kSide * kSide * kLayers;
  const long before = heldBytes.load();
  mostHeldBytes = before;
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  world.spawn(EnvironmentDescription{.shape = Plane{}});
  for (int i = 0; i < 4; ++i) {
    Vector3D n = Vector3D::Zero();
    n[i % 2] = i < 2 ? 1.0 : -1.0;
    world.spawn(EnvironmentDescription{.shape = Plane{n, -0.8 * kSide}});
  }
  Random random{11};
  const Shape shapes[] = {Sphere{0.35}, Box{{0.3, 0.25, 0.35}}, Capsule{0.2, 0.25},
                          lump(random, 24, 0.4), Cylinder{0.3, 0.3}};
  for (int i = 0; i < static_cast<int>(kBodies); ++i) {
    const Vector3D place{1.5 * (i % kSide) - 0.7 * kSide, 1.5 * (i / kSide % kSide) - 0.7 * kSide,
                         1.0 + 1.5 * (i / kSide / kSide)};
    world.spawn(InertialDescription{.shape = shapes[i % 5],
                                    .position = place + random.vector(0.1),
                                    .orientation = random.turn(),
                                    .linearVelocity = {0.0, 0.0, -15.0}});
  }
  const double made = static_cast<double>(heldBytes - before);
  double manifolds = 0.0, pairs = 0.0;
  for (int i = 0; i < 60; ++i) {
    const StepReport report = world.update(1.0 / 60.0);
    manifolds = std::max(manifolds, static_cast<double>(report.manifolds));
    pairs = std::max(pairs, static_cast<double>(report.pairs));
  }
  const double most = static_cast<double>(mostHeldBytes - before);
  std::printf("a body as made %.0f B; at most %.1f pairs and %.1f contacts per body, %.0f B per body; "
              "%.0f B per contact\n",
              made / kBodies, pairs / kBodies, manifolds / kBodies, most / kBodies,
              (most - made) / manifolds);
  // Measured: 2693 B as made, 16.4 pairs and 4.3 contacts, 18318 B per body.
  EXPECT_LT(made / kBodies, 3200.0);
  EXPECT_LT(pairs / kBodies, 22.0);
  EXPECT_LT(most / kBodies, 22000.0);
}

}  // namespace
}  // namespace msd_sim::test
