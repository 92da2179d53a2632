// What is built to stand stands: no drift and no jitter over 10,000 steps with sleeping off, for stacks
// of boxes, balls on boxes and mixed shapes; and pyramids of boxes.
//
// MSD_PYRAMID_BASE sets the base of the pyramid and MSD_PYRAMID_STEPS its steps (target `pyramid_full`: 100
// boxes, 2,000 steps).

#include <gtest/gtest.h>

#include <cstdlib>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr int kSteps = 10'000;

BodyId put(WorldModel& world, const Shape& shape, const Coordinate& at) {
  return world.spawn(InertialDescription{
      .shape = shape, .position = at, .friction = 0.6, .restitution = 0.0});
}

struct Rest {
  double drift{0.0};  ///< farthest that a body is from where it began [m]
  double speed{0.0};  ///< fastest in the last hundred steps [m/s], turning counted at one metre
};

Rest stand(WorldModel& world, int steps) {
  std::vector<std::pair<BodyId, Coordinate>> start;
  for (const BodyId id : world.bodies()) {
    if (!world.isEnvironment(id)) {
      start.emplace_back(id, world.inertial(id).getInertialState().position);
    }
  }
  Rest rest;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = world.update(kDt);
    EXPECT_EQ(report.status, StepStatus::kOk);
    for (const auto& [id, at] : start) {
      const InertialState& s = world.inertial(id).getInertialState();
      rest.drift = std::max(rest.drift, (s.position - at).norm());
      if (i < steps - 100) continue;
      rest.speed = std::max(rest.speed, s.velocity.norm() + s.angularVelocity.norm());
    }
  }
  return rest;
}

void expectRest(const char* name, WorldModel& world) {
  const Rest rest = stand(world, kSteps);
  std::printf("%-28s drift %.1e m, speed %.1e m/s\n", name, rest.drift, rest.speed);
  EXPECT_LT(rest.drift, 1e-4) << name;
  EXPECT_LT(rest.speed, 1e-6) << name;
}

TEST(Standing, stackOfTenBoxesDoesNotDriftOrJitter) {
  WorldModel world{awake()};
  addFloor(world);
  for (int i = 0; i < 10; ++i) put(world, Box{{0.5, 0.5, 0.5}}, {0.0, 0.0, 0.5 + i});
  expectRest("ten boxes", world);
}

TEST(Standing, stackOfTenTurnedBoxesDoesNotDriftOrJitter) {
  // Each box is turned against the one below: no two corners meet.
  WorldModel world{awake()};
  addFloor(world);
  for (int i = 0; i < 10; ++i) {
    world.spawn(InertialDescription{
        .shape = Box{{0.4, 0.3, 0.2}},
        .position = {0.02 * (i % 3 - 1), 0.015 * (i % 2), 0.2 + 0.4 * i},
        .orientation = Quaternion{std::cos(0.2 * i), 0.0, 0.0, std::sin(0.2 * i)},
        .friction = 0.6,
        .restitution = 0.0});
  }
  expectRest("ten turned boxes", world);
}

TEST(Standing, ballsOnBoxesDoNotDriftOrJitter) {
  // The equilibrium is neutral: whatever speed a ball gets, it keeps. A ball on a fixed floor gets none.
  WorldModel world{awake()};
  addFloor(world);
  put(world, Box{{0.5, 0.5, 0.25}}, {0.0, 0.0, 0.25});
  put(world, Sphere{0.25}, {0.0, 0.0, 0.75});
  put(world, Sphere{0.25}, {6.0, 0.0, 0.25});
  expectRest("balls on boxes", world);
}

TEST(Standing, pyramidOfBallsInACornerDoesNotDriftOrJitter) {
  // Four balls in a tray and one on top.
  WorldModel world{awake()};
  addFloor(world);
  for (const double side : {-1.0, 1.0}) {
    world.spawn(EnvironmentDescription{.shape = Plane{{side, 0.0, 0.0}, -0.5}, .restitution = 0.0});
    world.spawn(EnvironmentDescription{.shape = Plane{{0.0, side, 0.0}, -0.5}, .restitution = 0.0});
  }
  for (const double x : {-0.25, 0.25}) {
    for (const double y : {-0.25, 0.25}) put(world, Sphere{0.25}, {x, y, 0.25});
  }
  put(world, Sphere{0.25}, {0.0, 0.0, 0.25 + 0.25 * std::sqrt(2.0)});
  expectRest("pyramid of balls", world);
}

TEST(Standing, mixedStackDoesNotDriftOrJitter) {
  WorldModel world{awake()};
  addFloor(world);
  put(world, Cylinder{0.5, 0.25}, {0.0, 0.0, 0.25});
  put(world, Box{{0.4, 0.4, 0.2}}, {0.0, 0.0, 0.7});
  put(world, Cylinder{0.3, 0.2}, {0.0, 0.0, 1.1});
  const Shape prism = msd_assets::makeHull(std::vector<Vector3D>{
      {0.3, 0.0, -0.1}, {-0.15, 0.26, -0.1}, {-0.15, -0.26, -0.1},
      {0.3, 0.0, 0.1},  {-0.15, 0.26, 0.1},  {-0.15, -0.26, 0.1}});
  put(world, prism, {0.0, 0.0, 1.4});
  put(world, Box{{0.2, 0.2, 0.1}}, {0.0, 0.0, 1.6});
  expectRest("mixed stack", world);
}

TEST(Standing, cubeTippedOntoItsFaceComesToRest) {
  // Dropped on an edge: it lies on a face afterwards, still to the last digit.
  WorldModel world{awake()};
  addFloor(world);
  const BodyId cube = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}},
      .position = {0.0, 0.0, 0.9},
      .orientation = Quaternion{std::cos(0.15), std::sin(0.15), 0.0, 0.0},
      .friction = 0.6,
      .restitution = 0.0});
  for (int i = 0; i < 600; ++i) world.update(kDt);
  EXPECT_NEAR(world.inertial(cube).getInertialState().position.z(), 0.5, 1e-4);
  const Rest rest = stand(world, 2'000);
  std::printf("%-28s drift %.1e m, speed %.1e m/s\n", "tipped cube", rest.drift, rest.speed);
  EXPECT_LT(rest.drift, 1e-4);
  EXPECT_LT(rest.speed, 1e-6);
}

/// A small hull with many corners within the margin of a large step: it must find the face it lies on.
TEST(Standing, smallHullsComeToRestAtLargeSteps) {
  double fastest = 0.0, deepest = 0.0;
  for (int seed = 0; seed < 40; ++seed) {
    WorldModel world{awake()};
    world.spawn(EnvironmentDescription{.shape = Plane{}, .restitution = 0.0});
    Random random{static_cast<std::uint64_t>(seed) + 100};
    const BodyId body = world.spawn(InertialDescription{
        .shape = lump(random, 8 + seed % 17, 0.04),
        .position = {0.0, 0.0, 0.06},
        .orientation = random.turn(),
        .restitution = 0.0});
    for (int i = 0; i < 150; ++i) world.update(1.0 / 30.0);
    double speed = 0.0;
    for (int i = 0; i < 30; ++i) {
      const StepReport report = world.update(1.0 / 30.0);
      const InertialState& s = world.inertial(body).getInertialState();
      speed = std::max(speed, s.velocity.norm() + 0.04 * s.angularVelocity.norm());
      deepest = std::max(deepest, report.deepestPenetration);
    }
    EXPECT_LT(speed, 1e-3) << "hull " << seed;
    fastest = std::max(fastest, speed);
  }
  std::printf("small hulls at 1/30 s: fastest at the end %.1e m/s, deepest %.1e m\n", fastest, deepest);
  EXPECT_LT(deepest, 1e-3 * 0.08);
}

int fromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : usual;
}

// Rows of cubes, each over the joint of two below.
TEST(Standing, pyramidOfBoxesStands) {
  const int base = fromEnvironment("MSD_PYRAMID_BASE", 30);
  const int steps = fromEnvironment("MSD_PYRAMID_STEPS", 300);
  Settings settings = awake();
  settings.threads = 0;
  WorldModel world{settings};
  world.spawn(EnvironmentDescription{
      .shape = Box{{100.0, 100.0, 1.0}}, .position = {0.0, 0.0, -1.0}, .restitution = 0.0});
  BodyId top{};
  for (int row = 0; row < base; ++row) {
    for (int column = 0; column < base - row; ++column) {
      top = put(world, Box{{0.5, 0.5, 0.5}},
                {column + 0.5 * row - 0.5 * (base - 1), 0.0, row + 0.5});
    }
  }
  double speed = 0.0;
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(world.update(kDt).status, StepStatus::kOk);
    if (i < steps - 50) continue;
    for (const BodyId id : world.bodies()) {
      if (!world.isEnvironment(id)) {
        speed = std::max(speed, world.inertial(id).getInertialState().velocity.norm());
      }
    }
  }
  const Coordinate at = world.inertial(top).getInertialState().position;
  std::printf("pyramid of base %d, %d steps: top lower by %.1e m, aside by %.1e m, speed %.1e m/s\n",
              base, steps, base - 0.5 - at.z(), std::hypot(at.x(), at.y()), speed);
  EXPECT_NEAR(at.z(), base - 0.5, 1e-3 * base);
  EXPECT_LT(std::hypot(at.x(), at.y()), 1e-3 * base);
  EXPECT_LT(speed, 1e-2);
}

}  // namespace
}  // namespace msd_sim::test
