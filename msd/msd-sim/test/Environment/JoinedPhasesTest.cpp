// Where many contacts move, phases of neighbouring substeps are one (docs/theory/time-stepping.md, T-14): what
// is exact stays exact, contact gives no energy, and the bits depend on nothing.

#include <gtest/gtest.h>

#include <cstdio>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kGravity = 9.81;

/// Boxes in rows, each alone on the floor, that slide.
std::vector<BodyId> addSliders(WorldModel& world, int rows, double friction, double speed) {
  world.spawn(EnvironmentDescription{.name = "floor",
                                     .shape = Box{{50.0, 50.0, 0.5}},
                                     .position = {0.0, 0.0, -0.5},
                                     .friction = friction,
                                     .restitution = 0.0});
  std::vector<BodyId> boxes;
  for (int i = 0; i < rows * rows; ++i) {
    boxes.push_back(world.spawn(
        InertialDescription{.shape = Box{{0.2, 0.2, 0.2}},
                            .position = {1.0 * (i % rows) - 20.0, 1.0 * (i / rows) - 20.0, 0.2},
                            .linearVelocity = {0.0, speed, 0.0},
                            .friction = friction,
                            .restitution = 0.0}));
  }
  return boxes;
}

TEST(JoinedPhases, slidingAndFreeFlightStayExact) {
  constexpr double kFriction = 0.05, kSpeed = 0.6;
  constexpr int kSteps = 20;
  WorldModel world{awake()};
  const std::vector<BodyId> boxes = addSliders(world, 34, kFriction, kSpeed);
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.3},
                                                      .position = {0.0, 0.0, 9.0},
                                                      .linearVelocity = {1.0, 0.0, 2.0}});
  for (int i = 0; i < kSteps; ++i) world.update(kDt);
  const double t = kSteps * kDt;
  const double slid = kSpeed * t - 0.5 * kFriction * kGravity * t * t;
  double worst = 0.0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const double start = static_cast<double>(i / 34) - 20.0;
    worst = std::max(worst, std::abs(stateOf(world, boxes[i]).position.y() - start - slid));
  }
  const InertialState& flown = stateOf(world, ball);
  const double missed =
      std::abs(flown.position.z() - (9.0 + 2.0 * t - 0.5 * kGravity * t * t)) +
      std::abs(flown.velocity.z() - (2.0 - kGravity * t));
  std::printf("sliding off by %.1e m, flight by %.1e\n", worst, missed);
  EXPECT_LT(worst, 1e-9);    // 2.5e-12
  EXPECT_LT(missed, 1e-12);  // 3.8e-15
}

/// A crowd that falls on itself; restitution would keep the phases apart.
void addCrowd(WorldModel& world, int bodies) {
  addFloor(world);
  Random random{11};
  for (int i = 0; i < bodies; ++i) {
    const Shape shapes[] = {Sphere{0.25}, Box{{0.3, 0.2, 0.25}}, Capsule{0.15, 0.2}};
    world.spawn(InertialDescription{
        .shape = shapes[i % 3],
        .position = {0.6 * (i % 11) - 3.0, 0.6 * (i / 11 % 11) - 3.0, 0.4 + 0.6 * (i / 121)},
        .orientation = random.turn(),
        .linearVelocity = random.vector(0.5),
        .restitution = 0.0});
  }
}

TEST(JoinedPhases, aPileThatFallsGainsNoEnergy) {
  WorldModel world{awake()};
  addCrowd(world, 600);
  std::uint32_t many = 0;
  double gain = 0.0, closure = 0.0, scale = 0.0;
  for (int i = 0; i < 150; ++i) {
    const StepReport report = world.update(kDt);
    ASSERT_EQ(report.status, StepStatus::kOk);
    many += report.manifolds > 1000 ? 1u : 0u;
    const EnergyLedger& e = report.energy;
    gain = std::max(gain, e.change - std::max(e.positionWork, 0.0));
    closure = std::max(closure, std::abs(e.closure()));
    scale = e.scale;
  }
  std::printf("%u steps with many contacts: gain %.1e, closure %.1e of %.1e J\n", many,
              gain / scale, closure / scale, scale);
  EXPECT_GT(many, 50u);
  EXPECT_LT(gain, 1e-9 * scale);     // 0
  EXPECT_LT(closure, 1e-9 * scale);  // 7.7e-17
}

TEST(JoinedPhases, threadsAndVectorWidthDoNotMatter) {
  const auto run = [](int threads, SimdTarget target) {
    Settings settings = awake();
    settings.threads = threads;
    WorldModel world{settings};
    WorldAccess::of(world).kernels = &kernelsFor(target);
    addCrowd(world, 600);
    std::uint32_t phases = 0;
    for (int i = 0; i < 60; ++i) phases = world.update(kDt).iterations;
    return std::pair{world.stateHash(), phases};
  };
  const auto plain = run(1, SimdTarget::kPortable);
  EXPECT_EQ(run(1, SimdTarget::kAuto), plain);
  EXPECT_EQ(run(2, SimdTarget::kAuto), plain);
  EXPECT_EQ(run(3, SimdTarget::kAvx2), plain);
}

/// How deep boxes that start 8 mm deep in the floor are after a step [m].
double depthLeft(int rows) {
  constexpr double kHalf = 0.2, kDepth = 8e-3;
  WorldModel world{awake()};
  world.spawn(EnvironmentDescription{.shape = Box{{50.0, 50.0, 0.5}}, .position = {0.0, 0.0, -0.5}});
  std::vector<BodyId> boxes;
  for (int i = 0; i < rows * rows; ++i) {
    boxes.push_back(world.spawn(InertialDescription{
        .shape = Box{{kHalf, kHalf, kHalf}},
        .position = {0.5 * (i % rows) - 25.0, 0.5 * (i / rows) - 25.0, kHalf - kDepth}}));
  }
  world.update(kDt);
  double deepest = 0.0;
  for (const BodyId box : boxes) {
    deepest = std::max(deepest, kHalf - world.inertial(box).getInertialState().position.z());
  }
  return deepest;
}

// (P-9): what contacts keep of a penetration is a hundredth of their size, however many there are.
TEST(Crowds, leaveNoDeepPenetration) {
  EXPECT_LT(depthLeft(10), 4e-3);  // measured 3.5e-3
  EXPECT_LT(depthLeft(92), 4e-3);  // measured 3.5e-3
}

}  // namespace
}  // namespace msd_sim::test
