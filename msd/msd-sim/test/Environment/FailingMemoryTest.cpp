// Memory that runs out in the middle of a step: the step throws, the world is as it was, and the next step does what the
// first would have done. At the n-th request, for every n.

#include <gtest/gtest.h>

#include <cstdio>
#include <new>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/test/CountAllocations.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

WorldModel makeWorld(Method method, int threads) {
  Settings settings = awake(method);
  settings.threads = threads;
  WorldModel world{settings};
  addHeap(world, method == Method::kFast ? 12 : 5);
  WorldAccess::of(world).shareFrom = WorldAccess::of(world).shareFromExact = 0;  // threads share however little
  const BodyId bob =
      world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = {5.0, 0.0, 1.0}, .continuous = true});
  world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = bob, .anchor = {5.0, 0.0, 2.0}});
  return world;
}

/// Fails the n-th request of the step after `steps` for n = 1, 2, ... and returns how many there are.
long failEach(Method method, int threads, int steps) {
  WorldModel calm = makeWorld(method, threads);
  for (int i = 0; i < steps; ++i) calm.update(kDt);
  const long start = allocations;
  calm.update(kDt);
  const long requests = allocations - start;
  const std::vector<std::byte> after = calm.snapshot();
  const long stride = 1 + requests / 60;  // each world is made anew: not all of many
  for (long n = 1; n <= requests; n += stride) {
    WorldModel world = makeWorld(method, threads);
    for (int i = 0; i < steps; ++i) world.update(kDt);
    const std::vector<std::byte> before = world.snapshot();
    bool threw = false;
    allocationsLeft = n;
    try {
      world.update(kDt);
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    allocationsLeft = -1;
    EXPECT_TRUE(threw) << n << " of " << requests;
    if (threw) {
      EXPECT_EQ(world.snapshot(), before) << n << " of " << requests;
      world.update(kDt);
    }
    EXPECT_EQ(world.snapshot(), after) << n << " of " << requests;
  }
  return requests;
}

TEST(FailingMemory, leavesTheWorldAsItWasAtEveryRequest) {
  for (const int threads : {1, 3}) {
    for (const int steps : {0, 40}) {
      const long fast = failEach(Method::kFast, threads, steps);
      const long exact = failEach(Method::kExact, threads, steps);
      const long reference = threads == 1 ? failEach(Method::kReference, threads, steps) : 0;
      std::printf("%d threads, step %d: %ld requests fast, %ld exact, %ld reference\n", threads, steps + 1, fast, exact,
                  reference);
    }
  }
}

}  // namespace
}  // namespace msd_sim::test
