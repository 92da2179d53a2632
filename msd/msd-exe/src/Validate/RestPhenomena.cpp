// Rest: what is built to stand stays where it is.
#include <algorithm>

#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"

namespace msd_exe {

namespace {

struct Rest {
  double drift{0.0};  ///< of the topmost body after settling [m]
  double speed{0.0};  ///< largest in the last hundred steps [m/s]
};

/// A tower of cubes for 10,000 steps (fast: 1,000).
Rest standTower(int height, bool fast) {
  WorldModel world{underTest({.sleeping = false})};
  addFloor(world, 0.6, 0.0);
  std::vector<BodyId> cubes;
  cubes.reserve(static_cast<std::size_t>(height));
  for (int i = 0; i < height; ++i) {
    cubes.push_back(world.spawn(InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.5}},
                                                    .position = {0.0, 0.0, i + 0.5},
                                                    .friction = 0.6,
                                                    .restitution = 0.0}));
  }
  const int steps = fast ? 1'000 : 10'000;
  Rest rest;
  for (int i = 0; i < steps; ++i) {
    world.update(kStep);
    if (i < steps - 100) continue;
    for (const BodyId cube : cubes)
      rest.speed = std::max(rest.speed, stateOf(world, cube).velocity.norm());
  }
  rest.drift = (stateOf(world, cubes.back()).position - Coordinate{0.0, 0.0, height - 0.5}).norm();
  return rest;
}

Measurement drift(int height, bool fast) {
  const double measured = standTower(height, fast).drift;
  return {.expected = 0.0, .measured = measured, .error = measured, .tolerance = 1e-4};
}

Measurement jitter(int height, bool fast) {
  const double measured = standTower(height, fast).speed;
  return {.expected = 0.0, .measured = measured, .error = measured, .tolerance = 1e-6};
}

/// A cube dropped on an edge comes to rest on a face, and sleeps.
Measurement tiltedCube(bool) {
  WorldModel world{underTest({})};
  addFloor(world, 0.6, 0.0);
  const BodyId cube = world.spawn(InertialDescription{
      .shape = msd_sim::Box{{0.5, 0.5, 0.5}},
      .position = {0.0, 0.0, 0.9},
      .orientation = msd_sim::Quaternion{std::cos(0.15), std::sin(0.15), 0.0, 0.0},
      .friction = 0.6,
      .restitution = 0.0});
  run(world, 600);
  const double measured = stateOf(world, cube).position.z();
  // The reference method has no sleep.
  const bool restless = world.isAwake(cube) && methodUnderTest() != msd_sim::Method::kReference;
  const double error = std::abs(measured - 0.5) + (restless ? 1.0 : 0.0);
  return {.expected = 0.5, .measured = measured, .error = error, .tolerance = 1e-4};
}

/// The weight of a stack on the floor.
Measurement weight(bool) {
  WorldModel world{underTest({.sleeping = false})};
  const BodyId floor = addFloor(world, 0.6, 0.0);
  for (int i = 0; i < 5; ++i) {
    world.spawn(InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.5}},
                                    .position = {0.0, 0.0, i + 0.5},
                                    .friction = 0.6,
                                    .restitution = 0.0});
  }
  run(world, 600);
  double force = 0.0;
  for (const msd_sim::ContactRecord& c : world.contacts(floor)) {
    force += c.bodyA == floor ? c.forceOnB.z() : -c.forceOnB.z();
  }
  const double expected = 5000.0 * kGravity;
  return {.expected = expected,
          .measured = force,
          .error = std::abs(force - expected) / expected,
          .tolerance = 1e-6};
}

/// Rows of cubes, each over the joint of two below.
Measurement pyramid(bool fast) {
  const int base = fast ? 20 : 100;
  WorldModel world{underTest({.sleeping = false, .threads = 0})};
  world.spawn(EnvironmentDescription{.shape = msd_sim::Box{{100.0, 100.0, 1.0}},
                                     .position = {0.0, 0.0, -1.0},
                                     .friction = 0.6,
                                     .restitution = 0.0});
  BodyId top{};
  for (int row = 0; row < base; ++row) {
    for (int column = 0; column < base - row; ++column) {
      top = world.spawn(
          InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.5}},
                              .position = {column + 0.5 * row - 0.5 * (base - 1), 0.0, row + 0.5},
                              .friction = 0.6,
                              .restitution = 0.0});
    }
  }
  run(world, fast ? 500 : 2'000);
  const double expected = base - 0.5;
  const double measured = stateOf(world, top).position.z();
  return {.expected = expected,
          .measured = measured,
          .error = std::abs(measured - expected),
          .tolerance = 0.25};
}

}  // namespace

std::vector<Phenomenon> restPhenomena() {
  return {
      {"Rest", "cube on the floor", "stays for 10,000 steps (fast: 1,000); distance moved", "m",
       [](bool fast) { return drift(1, fast); }},
      {"Rest", "cube on the floor, jitter", "v = 0; largest speed at the end", "m/s",
       [](bool fast) { return jitter(1, fast); }},
      {"Rest", "stack of ten", "stays for 10,000 steps (fast: 1,000); distance the top moved", "m",
       [](bool fast) { return drift(10, fast); }},
      {"Rest", "stack of ten, jitter", "v = 0; largest speed at the end", "m/s",
       [](bool fast) { return jitter(10, fast); }},
      {"Rest", "cube dropped on an edge", "lies on a face, asleep, z = 0.5", "m", tiltedCube},
      {"Rest", "force under a stack of five", "Σ F = Σ m g; relative error", "N", weight},
      {"Rest", "pyramid of base 100 (fast: 20)",
       "stands for 2,000 steps (fast: 500); height the top lost", "m", pyramid},
  };
}

}  // namespace msd_exe
