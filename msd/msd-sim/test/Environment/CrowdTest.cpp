// Bodies at one place, and questions about one of very many bodies: cost and memory grow with their number, not with
// its square.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "Scenes.hpp"

namespace msd_sim::test {
namespace {

using Clock = std::chrono::steady_clock;

double microsecondsSince(Clock::time_point start) {
  return 1e6 * std::chrono::duration<double>(Clock::now() - start).count();
}

StepReport stepOfBodiesAtOnePlace(int bodies, const Shape& shape) {
  WorldModel world{awake()};
  for (int i = 0; i < bodies; ++i) world.spawn(InertialDescription{.shape = shape, .position = {0.0, 0.0, 5.0}});
  world.update(1.0 / 60.0);
  return world.update(1.0 / 60.0);
}

// n bodies within each other have n²/2 pairs; each keeps those with 16 others. Measured: 15864 for 1000.
TEST(Crowd, ofBodiesAtOnePlaceHasContactsInProportion) {
  for (const Shape& shape : {Shape{Sphere{0.3}}, Shape{Box{{0.2, 0.3, 0.25}}}}) {
    for (const int bodies : {60, 500, 1000, 2000}) {
      const StepReport report = stepOfBodiesAtOnePlace(bodies, shape);
      EXPECT_NE(report.status, StepStatus::kNonFinite);
      EXPECT_LE(report.pairs, 40u * static_cast<unsigned>(bodies)) << bodies;
      EXPECT_GE(report.manifolds, static_cast<unsigned>(bodies)) << bodies;
    }
  }
}

// Forty bodies within each other are few enough for all of their pairs.
TEST(Crowd, thatIsSmallHasAllItsPairs) {
  EXPECT_EQ(stepOfBodiesAtOnePlace(40, Sphere{0.3}).pairs, 40u * 39u / 2u);
}

// A plate with 400 bodies on it: none of them lies within it, so none is left out.
TEST(Crowd, onOneLargeBodyIsHeldByIt) {
  WorldModel world{awake()};
  addFloor(world);
  const BodyId plate = world.spawn(InertialDescription{.shape = Box{{6.0, 6.0, 0.2}}, .position = {0, 0, 0.2}});
  for (int i = 0; i < 400; ++i) {
    world.spawn(InertialDescription{.shape = Box{{0.1, 0.1, 0.1}},
                                    .position = {0.5 * (i % 20) - 4.75, 0.5 * (i / 20) - 4.75, 0.5},
                                    .restitution = 0.0});
  }
  for (int i = 0; i < 30; ++i) world.update(1.0 / 60.0);
  EXPECT_GE(world.contacts(plate).size(), 1600u);
  EXPECT_LT(world.lastReport().deepestPenetration, 1e-3);
}

/// Boxes on a floor, far enough apart not to meet.
WorldModel field(int side) {
  WorldModel world{awake()};
  world.spawn(EnvironmentDescription{.shape = Plane{}});
  for (int i = 0; i < side * side; ++i) {
    world.spawn(InertialDescription{.name = "box " + std::to_string(i),
                                    .shape = Box{{0.2, 0.2, 0.2}},
                                    .position = {1.0 * (i % side), 1.0 * (i / side), 0.2}});
  }
  for (int i = 0; i < 3; ++i) world.update(1.0 / 60.0);
  return world;
}

struct Costs {
  double contacts{1e9}, setState{1e9}, remove{1e9};  ///< of one call, best of several [µs]
};

Costs costsOf(int side) {
  WorldModel world = field(side);
  Costs best;
  for (int round = 0; round < 5; ++round) {
    constexpr int kCalls = 40;
    const auto body = [&](int i) { return world.bodies()[static_cast<std::size_t>(7 * i + 11)]; };
    Clock::time_point start = Clock::now();
    for (int i = 0; i < kCalls; ++i) (void)world.contacts(body(i));
    best.contacts = std::min(best.contacts, microsecondsSince(start) / kCalls);
    start = Clock::now();
    for (int i = 0; i < kCalls; ++i) world.setState(body(i), world.inertial(body(i)).getInertialState());
    best.setState = std::min(best.setState, microsecondsSince(start) / kCalls);
    start = Clock::now();
    for (int i = 0; i < kCalls; ++i) world.remove(body(i));
    best.remove = std::min(best.remove, microsecondsSince(start) / kCalls);
    world.update(1.0 / 60.0);
  }
  return best;
}

// Sixteen times the bodies. What is left that grows is one pass over the list of ids in `remove`, 8 bytes a body.
TEST(Crowd, questionsAboutOneBodyCostNoMoreInALargeWorld) {
  const Costs small = costsOf(25), large = costsOf(100);
  std::printf("625 bodies: contacts %.2f, setState %.2f, remove %.2f µs; 10000: %.2f, %.2f, %.2f µs\n", small.contacts,
              small.setState, small.remove, large.contacts, large.setState, large.remove);
#ifdef NDEBUG
  EXPECT_LT(large.contacts, 6.0 * small.contacts + 2.0);
  EXPECT_LT(large.setState, 6.0 * small.setState + 2.0);
  EXPECT_LT(large.remove, 6.0 * small.remove + 20.0);
#endif
}

/// Seconds of a step in which n marked bodies hit a wall of boxes at 300 m/s.
double secondsOfShots(int n) {
  double best = 1e9;
  for (int round = 0; round < 2; ++round) {
    WorldModel world{awake()};
    for (int i = 0; i < n; ++i) {
      const double x = 0.5 * (i % 40), z = 0.5 * (i / 40);
      world.spawn(EnvironmentDescription{.shape = Box{{0.2, 0.05, 0.2}}, .position = {x, 0.0, z}});
      world.spawn(InertialDescription{.shape = Sphere{0.02},
                                      .position = {x, -2.5, z},
                                      .linearVelocity = {0.0, 300.0, 0.0},
                                      .continuous = true});
    }
    const Clock::time_point start = Clock::now();
    world.update(1.0 / 60.0);
    best = std::min(best, 1e-6 * microsecondsSince(start));
    for (const BodyId body : world.bodies()) {
      if (world.isEnvironment(body)) continue;
      EXPECT_LT(stateOf(world, body).position.y(), 0.0) << "passed through the wall";
    }
  }
  return best;
}

TEST(Crowd, ofShotsCostsInProportion) {
  const double few = secondsOfShots(200), many = secondsOfShots(1600);
  std::printf("200 shots %.4f s, 1600 shots %.4f s\n", few, many);
#ifdef NDEBUG
  EXPECT_LT(many, 24.0 * few);  // 8 where it grows in proportion, 64 with the square
#endif
}

}  // namespace
}  // namespace msd_sim::test
