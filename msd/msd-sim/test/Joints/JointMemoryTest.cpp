// Worlds with joints take no memory once they are in their stride, whatever the joints do.
#include <gtest/gtest.h>

#include "JointWorlds.hpp"
#define MSD_COUNT_ALLOCATIONS
#include "msd-sim/test/CountAllocations.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

long allocationsOf(WorldModel& world, int steps) {
  const long before = allocations.load();
  for (int i = 0; i < steps; ++i) world.update(1.0 / 60.0);
  return allocations.load() - before;
}

TEST(JointMemory, mechanismsOfAllKindsAllocateNothingAfterTheFirstStep) {
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
  for (const int threads : {1, 3}) {
    WorldModel world{Settings{.sleeping = false, .threads = threads}};
    addAllKinds(world, false);
    (void)allocationsOf(world, 1);
    EXPECT_EQ(allocationsOf(world, 120), 0) << threads;
  }
}

TEST(JointMemory, mechanismsThatTouchAllocateNothingOnceTheyLie) {
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
  WorldModel world{Settings{.sleeping = false}};
  addAllKinds(world);
  (void)allocationsOf(world, 2000);  // contacts become more until then
  EXPECT_EQ(allocationsOf(world, 120), 0);
}

TEST(JointMemory, netsAllocateNothingAfterWarmUp) {
  MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE();
  for (const int threads : {1, 3}) {
    WorldModel world{Settings{.sleeping = false, .threads = threads}};
    const std::vector<BodyId> beads = addNet(world, 30);
    (void)allocationsOf(world, 3);
    EXPECT_EQ(allocationsOf(world, 3), 0) << threads;  // at rest
    world.applyForce(beads.back(), {500, 2000, 0});
    (void)allocationsOf(world, 3);
    EXPECT_EQ(allocationsOf(world, 10), 0) << threads;  // swinging
  }
}

}  // namespace
}  // namespace msd_sim
