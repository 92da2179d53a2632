// Coulomb's law: slopes, stopping, rolling.
#include <algorithm>
#include <cmath>

#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"

namespace msd_exe {

namespace {

constexpr double kFriction = 0.5;

/// How far a block slides down a slope of this angle [m].
double slide(double angle, double seconds, double dt) {
  WorldModel world{underTest({.sleeping = false})};
  const msd_sim::Quaternion tilt{std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  const Vector3D up = tilt * Vector3D{0.0, 0.0, 1.0};
  const Vector3D down = tilt * Vector3D{1.0, 0.0, 0.0};
  world.spawn(EnvironmentDescription{.shape = msd_sim::Box{{30.0, 5.0, 1.0}},
                                     .position = -up,
                                     .orientation = tilt,
                                     .friction = kFriction,
                                     .restitution = 0.0});
  const Coordinate start = 0.25 * up;
  const BodyId block = world.spawn(InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.25}},
                                                       .position = start,
                                                       .orientation = tilt,
                                                       .friction = kFriction,
                                                       .restitution = 0.0});
  run(world, static_cast<int>(std::lround(seconds / dt)), dt);
  return down.dot(stateOf(world, block).position - start);
}

/// The angle between sticking and sliding, by bisection between 0.1° below and above: slides faster
/// than a creeping 1 mm in 4 s, when ½ (g sin α − μ g cos α) t² of 0.01° is 15 mm.
Measurement slopeAngle(bool) {
  const double expected = std::atan(kFriction) * 180.0 / std::numbers::pi;
  double sticks = expected - 0.1;
  double slides = expected + 0.1;
  for (int i = 0; i < 6; ++i) {
    const double middle = 0.5 * (sticks + slides);
    (slide(degrees(middle), 4.0, kStep) > 1e-3 ? slides : sticks) = middle;
  }
  const double measured = 0.5 * (sticks + slides);
  return {.expected = expected,
          .measured = measured,
          .error = std::abs(measured - expected),
          .tolerance = 0.01};
}

Measurement slideDistance(bool) {
  const double angle = degrees(35.0);
  const double expected = 0.5 * kGravity * (std::sin(angle) - kFriction * std::cos(angle)) * 4.0;
  const double measured = slide(angle, 2.0, kStep);
  Comparison byAngle{"Distance slid in 2 s on a slope, μ = 0.5", "distance", "m"};
  byAngle.setAbscissa("slope", "°");
  for (int slope = 20; slope <= 40; ++slope) {
    const double a = degrees(slope);
    const double drive = std::max(0.0, std::sin(a) - kFriction * std::cos(a));
    byAngle.add(slope, slide(a, 2.0, kStep), 0.5 * kGravity * drive * 4.0);
  }
  return {.expected = expected,
          .measured = measured,
          .error = std::abs(measured - expected) / expected,
          .tolerance = 1e-3,
          .drawing = byAngle.draw()};
}

/// Stopping distances of a block thrown along twelve directions: v²/(2 μ g) in all of them.
Measurement isotropy(bool) {
  double least = 1e300;
  double greatest = 0.0;
  for (int k = 0; k < 12; ++k) {
    const double direction = degrees(30.0 * k + 7.0);
    WorldModel world{underTest({.sleeping = false})};
    addFloor(world, 0.4, 0.0);
    const msd_sim::Quaternion turned{std::cos(0.5 * direction), 0.0, 0.0,
                                     std::sin(0.5 * direction)};
    const BodyId block =
        world.spawn(InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.1}},
                                        .position = {0.0, 0.0, 0.1},
                                        .orientation = turned,
                                        .linearVelocity = turned * Vector3D{3.0, 0.0, 0.0},
                                        .friction = 0.4,
                                        .restitution = 0.0});
    run(world, 120);
    const double distance =
        std::hypot(stateOf(world, block).position.x(), stateOf(world, block).position.y());
    least = std::min(least, distance);
    greatest = std::max(greatest, distance);
  }
  const double expected = 9.0 / (2.0 * 0.4 * kGravity);
  return {.expected = expected,
          .measured = greatest,
          .error = (greatest - least) / expected,
          .tolerance = 1e-6};
}

/// The same block, axis-aligned, pushed along and across the axes: the direction against the body
/// must not matter.
Measurement cone(bool) {
  double least = 1e300;
  double greatest = 0.0;
  for (int k = 0; k < 8; ++k) {
    const double direction = degrees(15.0 * k);
    WorldModel world{underTest({.sleeping = false})};
    addFloor(world, 0.4, 0.0);
    const BodyId ball = world.spawn(InertialDescription{
        .shape = msd_sim::Box{{0.5, 0.5, 0.05}},
        .position = {0.0, 0.0, 0.05},
        .linearVelocity = {3.0 * std::cos(direction), 3.0 * std::sin(direction), 0.0},
        .friction = 0.4,
        .restitution = 0.0});
    run(world, 15);
    const double speed = stateOf(world, ball).velocity.norm();
    least = std::min(least, speed);
    greatest = std::max(greatest, speed);
  }
  const double expected = 3.0 - 0.4 * kGravity * 0.25;
  return {.expected = expected,
          .measured = greatest,
          .error = (greatest - least) / expected,
          .tolerance = 1e-6};
}

Measurement rolling(bool) {
  WorldModel world{underTest({.sleeping = false})};
  addFloor(world, 0.3, 0.0);
  const BodyId ball = world.spawn(InertialDescription{.shape = msd_sim::Sphere{0.25},
                                                      .position = {0.0, 0.0, 0.25},
                                                      .linearVelocity = {5.0, 0.0, 0.0},
                                                      .friction = 0.3,
                                                      .restitution = 0.0});
  // Sliding: v = v₀ − μ g t; from 2 v₀ / (7 μ g) on it rolls at 5/7 v₀.
  Comparison speed{"Sliding, then rolling ball", "speed", "m/s"};
  for (int i = 1; i <= 120; ++i) {
    world.update(kStep);
    speed.add(i * kStep, stateOf(world, ball).velocity.x(),
              std::max(5.0 - 0.3 * kGravity * i * kStep, 25.0 / 7.0));
  }
  const InertialState& end = stateOf(world, ball);
  const double measured = end.velocity.x() / 5.0;
  const double slip = std::abs(end.velocity.x() - 0.25 * end.angularVelocity.y()) / 5.0;
  return {.expected = 5.0 / 7.0,
          .measured = measured,
          .error = std::max(std::abs(measured - 5.0 / 7.0), slip),
          .tolerance = 1e-12,
          .drawing = speed.draw()};
}

}  // namespace

std::vector<Phenomenon> frictionPhenomena() {
  return {
      {"Friction", "slope at which a block begins to slide", "tan α = μ; |Δα|", "°", slopeAngle},
      {"Friction", "slide down a slope of 35° in 2 s",
       "s = ½ g (sin α − μ cos α) t²; relative error", "m", slideDistance},
      {"Friction", "stopping distance in twelve directions",
       "v²/(2 μ g), the same in all; spread over the mean", "m", isotropy},
      {"Friction", "deceleration across a box's faces",
       "v − μ g t, the same in all directions; spread over the mean", "m/s", cone},
      {"Friction", "sliding, then rolling ball", "v = 5/7 v₀ = r ω; largest error of both over v₀",
       "-", rolling},
  };
}

}  // namespace msd_exe
