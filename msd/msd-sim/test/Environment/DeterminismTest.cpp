// The same bits for every number of threads, every vector width, and every run.

#include <gtest/gtest.h>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim::test {
namespace {

// Heaps that are large enough for threads to share.
constexpr int kShared = 300;
constexpr int kSharedExact = 40;

/// State, forces and events of every step of a heap.
Hash128 runHeap(int threads, SimdTarget target, int bodies, int steps, bool sleeping,
                Method method = Method::kFast) {
  Settings settings;
  settings.method = method;
  settings.threads = threads;
  settings.sleeping = sleeping;
  WorldModel world{settings};
  WorldAccess::of(world).kernels = &kernelsFor(target);
  addHeap(world, bodies);
  Hasher hasher;
  for (int i = 0; i < steps; ++i) {
    world.update(1.0 / 60.0);
    const Hash128 hash = world.stateHash();
    hasher.add(hash.low);
    hasher.add(hash.high);
    for (const ContactEvent& event : world.events()) {
      hasher.add(static_cast<std::uint64_t>(event.kind));
      hasher.add(static_cast<std::uint64_t>(event.bodyA.index));
      hasher.add(static_cast<std::uint64_t>(event.bodyB.index));
      hasher.add(event.approachSpeed);
    }
    for (const ContactRecord& c : world.contacts()) {
      for (int k = 0; k < 3; ++k) hasher.add(c.forceOnB[k]);
    }
  }
  return hasher.finish();
}

TEST(Determinism, theNumberOfThreadsDoesNotMatter) {
  for (const bool sleeping : {false, true}) {
    const Hash128 one = runHeap(1, SimdTarget::kAuto, kShared, 90, sleeping);
    for (const int threads : {2, 3, 4, 8, 16}) {
      EXPECT_EQ(runHeap(threads, SimdTarget::kAuto, kShared, 90, sleeping), one) << threads;
    }
    EXPECT_EQ(runHeap(1, SimdTarget::kAuto, kShared, 90, sleeping), one);
  }
}

TEST(Determinism, theNumberOfThreadsDoesNotMatterExact) {
  const Hash128 one = runHeap(1, SimdTarget::kAuto, kSharedExact, 60, false, Method::kExact);
  for (const int threads : {2, 3, 4, 8, 16}) {
    EXPECT_EQ(runHeap(threads, SimdTarget::kAuto, kSharedExact, 60, false, Method::kExact), one) << threads;
  }
  EXPECT_EQ(runHeap(1, SimdTarget::kAuto, kSharedExact, 60, false, Method::kExact), one);
}

TEST(Determinism, theVectorWidthDoesNotMatter) {
  const Hash128 plain = runHeap(1, SimdTarget::kPortable, 60, 150, true);
  for (const SimdTarget target : {SimdTarget::kAvx2, SimdTarget::kAvx512, SimdTarget::kAuto}) {
    if (!isSupported(target)) continue;
    EXPECT_EQ(runHeap(1, target, 60, 150, true), plain) << static_cast<int>(target);
  }
}

}  // namespace
}  // namespace msd_sim::test
