// The figures that the prototypes of the design documents had: frames of 0.016 s, masses of 1 kg.
#include <algorithm>

#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"

namespace msd_exe {

namespace {

constexpr double kFrame = 0.016;  // [s]

struct Bouncing {
  int bounces{0};
  double change{0.0};  ///< of kinetic and potential energy [J]
};

/// A ball of 1 m radius is dropped from z = 5 m, e = 0.8. Impact n comes at 8.86·0.8ⁿ m/s: the
/// threshold lies between the tenth and the eleventh.
Bouncing bounce() {
  WorldModel world{underTest({.restitutionThreshold = 1.05, .sleeping = false})};
  addFloor(world, 0.0, 0.8);
  const BodyId ball = world.spawn(InertialDescription{.shape = msd_sim::Sphere{1.0},
                                                      .mass = 1.0,
                                                      .position = {0.0, 0.0, 5.0},
                                                      .friction = 0.0,
                                                      .restitution = 0.8});
  const auto energy = [&] {
    return world.inertial(ball).kineticEnergy() + kGravity * stateOf(world, ball).position.z();
  };
  Bouncing result;
  const double start = energy();
  double last = 0.0;
  for (int i = 0; i < 1000; ++i) {
    world.update(kFrame);
    const double now = stateOf(world, ball).velocity.z();
    if (last < -0.5 && now > 0.1) ++result.bounces;
    last = now;
  }
  result.change = energy() - start;
  return result;
}

Measurement bounces(bool) {
  const double measured = bounce().bounces;
  return {
      .expected = 10.0, .measured = measured, .error = std::abs(measured - 10.0), .tolerance = 0.0};
}

Measurement energyLost(bool) {
  const double measured = bounce().change;
  return {.expected = -39.3,
          .measured = measured,
          .error = std::abs(measured + 39.3),
          .tolerance = 0.1};
}

Measurement stackedCubes(bool fast) {
  WorldModel world{underTest({.sleeping = false})};
  addFloor(world, 0.5, 0.0);
  BodyId top{};
  for (const double z : {0.5, 1.5}) {
    top = world.spawn(InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.5}},
                                          .mass = 1.0,
                                          .position = {0.0, 0.0, z},
                                          .restitution = 0.0});
  }
  run(world, fast ? 1'000 : 10'000, kFrame);
  const double measured = (stateOf(world, top).position - Coordinate{0.0, 0.0, 1.5}).norm();
  return {.expected = 0.0, .measured = measured, .error = measured, .tolerance = 1e-3};
}

}  // namespace

std::vector<Phenomenon> prototypePhenomena() {
  return {
      {"The prototypes' figures", "bouncing ball, bounces",
       "10 above the threshold in 1,000 frames; difference", "-", bounces},
      {"The prototypes' figures", "bouncing ball, energy", "−39.3 J when it lies; difference in J",
       "J", energyLost},
      {"The prototypes' figures", "two stacked cubes",
       "stay for 10,000 frames (fast: 1,000); distance the upper one moved", "m", stackedCubes}};
}

}  // namespace msd_exe
