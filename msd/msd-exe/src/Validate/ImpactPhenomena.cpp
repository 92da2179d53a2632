// Impacts: exchange of velocities, momentum, spin, restitution.
#include <algorithm>

#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"

namespace msd_exe {

namespace {

/// Two balls, and two boxes that meet with whole faces.
Measurement headOn(bool) {
  double measured = 0.0, worst = 0.0;
  for (const msd_sim::Shape& shape :
       {msd_sim::Shape{msd_sim::Box{{0.5, 0.4, 0.3}}}, msd_sim::Shape{msd_sim::Sphere{0.5}}}) {
    WorldModel world{underTest({.gravity = kWeightless})};
    const auto body = [&](double x, double v) {
      return world.spawn(InertialDescription{.shape = shape,
                                             .position = {x, 0.0, 0.0},
                                             .linearVelocity = {v, 0.0, 0.0},
                                             .friction = 0.0,
                                             .restitution = 1.0});
    };
    const BodyId a = body(-1.0, 2.0);
    const BodyId b = body(1.0, -1.0);
    run(world, 60);
    measured = stateOf(world, a).velocity.x();
    worst =
        std::max({worst, std::abs(measured + 1.0), std::abs(stateOf(world, b).velocity.x() - 2.0),
                  stateOf(world, a).angularVelocity.norm()});
  }
  return {.expected = -1.0, .measured = measured, .error = worst, .tolerance = 1e-9};
}

/// Two boxes, turned and spinning, rough and half elastic.
Measurement momentum(bool angular) {
  WorldModel world{underTest({.gravity = kWeightless})};
  const msd_sim::Quaternion turned = msd_sim::Quaternion{0.8, 0.3, -0.4, 0.33}.normalized();
  const BodyId a = world.spawn(InertialDescription{.shape = msd_sim::Box{{0.5, 0.3, 0.2}},
                                                   .position = {-1.5, 0.1, 0.0},
                                                   .orientation = turned,
                                                   .linearVelocity = {3.0, 0.2, 0.0},
                                                   .angularVelocity = {1.0, 2.0, -1.0}});
  const BodyId b = world.spawn(InertialDescription{.shape = msd_sim::Box{{0.4, 0.4, 0.6}},
                                                   .position = {1.0, -0.1, 0.2},
                                                   .linearVelocity = {-1.0, 0.0, 0.1},
                                                   .angularVelocity = {0.0, -3.0, 0.5}});
  const auto total = [&] {
    Vector3D sum = Vector3D::Zero();
    for (const BodyId body : {a, b}) {
      sum += angular ? angularMomentum(world, body)
                     : Vector3D{world.inertial(body).getMass() * stateOf(world, body).velocity};
    }
    return sum;
  };
  const Vector3D before = total();
  run(world, 120);
  const double error = (total() - before).norm() / before.norm();
  return {
      .expected = before.norm(), .measured = total().norm(), .error = error, .tolerance = 1e-12};
}

/// A smooth ball strikes a rod (a long box) at distance d from its middle:
///   p = (1 + e) v / (1/m + 1/M + d²/I),  ω = p d / I.
Measurement rodStruckOffCentre(bool) {
  WorldModel world{underTest({.gravity = kWeightless})};
  constexpr double kArm = 0.7;
  constexpr double kSpeed = 2.0;
  constexpr double kRestitution = 0.8;
  const BodyId rod = world.spawn(InertialDescription{
      .shape = msd_sim::Box{{0.05, 1.0, 0.05}}, .friction = 0.0, .restitution = kRestitution});
  const BodyId ball = world.spawn(InertialDescription{.shape = msd_sim::Sphere{0.1},
                                                      .position = {-0.5, kArm, 0.0},
                                                      .linearVelocity = {kSpeed, 0.0, 0.0},
                                                      .friction = 0.0,
                                                      .restitution = kRestitution});
  run(world, 30);
  const auto& struck = world.inertial(rod);
  const double inertia = struck.getInertiaTensor()(2, 2);
  const double impulse =
      (1.0 + kRestitution) * kSpeed /
      (1.0 / world.inertial(ball).getMass() + 1.0 / struck.getMass() + kArm * kArm / inertia);
  const double expected =
      -impulse * kArm / inertia;  // a push along x above the middle turns it backwards
  const double measured = stateOf(world, rod).angularVelocity.z();
  return {.expected = expected,
          .measured = measured,
          .error = std::abs(measured - expected),
          .tolerance = 1e-6};
}

/// Rough equal balls, sticking at the point: the tangential impulse is m u_T / 7 with u_T the
/// sliding speed, and each gains the spin J r / I = 5 u_T / (14 r).
Measurement glancingSpin(bool) {
  WorldModel world{underTest({.gravity = kWeightless})};
  constexpr double kRadius = 0.5;
  constexpr double kSpeed = 3.0;
  const double offset = 2.0 * kRadius * std::sin(degrees(20.0));
  const auto ball = [&](const Coordinate& position, double v) {
    return world.spawn(InertialDescription{.shape = msd_sim::Sphere{kRadius},
                                           .position = position,
                                           .linearVelocity = {v, 0.0, 0.0},
                                           .friction = 5.0,
                                           .restitution = 0.5});
  };
  const BodyId striker = ball({-2.0, 0.0, 0.0}, kSpeed);
  ball({0.0, offset, 0.0}, 0.0);
  run(world, 60);
  // The touching point of the striker moves along the tangent (-sin, cos) of the line of centres
  // (cos, sin).
  const double sliding = kSpeed * std::sin(degrees(20.0));
  const double expected = 5.0 / 14.0 * sliding / kRadius;
  const double measured = std::abs(stateOf(world, striker).angularVelocity.z());
  return {.expected = expected,
          .measured = measured,
          .error = std::abs(measured - expected),
          .tolerance = 1e-6};
}

Measurement elasticBounces(bool) {
  WorldModel world{underTest({.restitutionThreshold = 0.0, .sleeping = false})};
  addFloor(world, 0.0, 1.0);
  const BodyId ball = world.spawn(InertialDescription{.shape = msd_sim::Sphere{0.1},
                                                      .position = {0.0, 0.0, 0.6},
                                                      .friction = 0.0,
                                                      .restitution = 1.0});
  const double mass = world.inertial(ball).getMass();
  const double energy = mass * kGravity * 0.6;
  // Fallen from 0.5 m a bounce takes 2 √(2 h / g) = 0.64 s.
  const double seconds = 10'000 * 2.0 * std::sqrt(2.0 * 0.5 / kGravity);
  double worst = 0.0;
  for (int i = 0; i < static_cast<int>(seconds / kStep); ++i) {
    world.update(kStep);
    const double now =
        world.inertial(ball).kineticEnergy() + mass * kGravity * stateOf(world, ball).position.z();
    worst = std::max(worst, std::abs(now - energy) / energy);
  }
  return {.expected = 0.0, .measured = worst, .error = worst, .tolerance = 1e-9};
}

/// Height at a time of a point dropped from h that keeps e of its speed in every bounce.
double bouncingHeight(double time, double height, double restitution) {
  double speed = 0.0;                                  // upwards, at the start of the arc
  double flight = std::sqrt(2.0 * height / kGravity);  // until the next impact
  double start = height;
  while (time > flight) {
    time -= flight;
    speed = restitution * std::sqrt(2.0 * kGravity * height);
    height = 0.5 * speed * speed / kGravity;
    flight = 2.0 * speed / kGravity;
    start = 0.0;
    if (flight < 1e-9) return 0.0;
  }
  return start + speed * time - 0.5 * kGravity * time * time;
}

Measurement apexes(bool) {
  constexpr double kHeight = 2.0;
  constexpr double kRestitution = 0.8;
  WorldModel world{underTest({.sleeping = false})};
  addFloor(world, 0.5, kRestitution);
  const BodyId ball = world.spawn(InertialDescription{.shape = msd_sim::Sphere{0.1},
                                                      .position = {0.0, 0.0, 0.1 + kHeight},
                                                      .restitution = kRestitution});
  Comparison height{"Bouncing ball, e = 0.8", "height", "m"};
  double worst = 0.0;
  double expected = kHeight;
  double last = 0.0;
  int bounces = 0;
  double previousSpeed = 0.0;
  for (int i = 0; i < 600 && bounces < 6; ++i) {
    world.update(kStep);
    const InertialState& s = stateOf(world, ball);
    height.add((i + 1) * kStep, s.position.z() - 0.1,
               bouncingHeight((i + 1) * kStep, kHeight, kRestitution));
    // The apex between two samples: h = z + v²/(2g), from the first sample that rises.
    if (previousSpeed < 0.0 && s.velocity.z() > 0.0) {
      ++bounces;
      expected *= kRestitution * kRestitution;
      last = s.position.z() - 0.1 + 0.5 * s.velocity.z() * s.velocity.z() / kGravity;
      worst = std::max(worst, std::abs(last - expected) / expected);
    }
    previousSpeed = s.velocity.z();
  }
  return {.expected = expected,
          .measured = last,
          .error = bounces == 6 ? worst : 1.0,
          .tolerance = 0.01,
          .drawing = height.draw()};
}

/// A ball and a box: neither gets a kick of e·g·dt at rest.
Measurement restWithoutKick(bool) {
  WorldModel world{underTest({.sleeping = false})};
  addFloor(world, 0.5, 1.0);
  const BodyId ball = world.spawn(InertialDescription{
      .shape = msd_sim::Sphere{0.5}, .position = {0.0, 0.0, 0.5}, .restitution = 1.0});
  const BodyId box = world.spawn(InertialDescription{
      .shape = msd_sim::Box{{0.5, 0.5, 0.5}}, .position = {3.0, 0.0, 0.5}, .restitution = 1.0});
  double worst = 0.0;
  for (int i = 0; i < 600; ++i) {
    world.update(kStep);
    worst = std::max(
        {worst, stateOf(world, ball).velocity.norm(), stateOf(world, box).velocity.norm()});
  }
  return {.expected = 0.0, .measured = worst, .error = worst, .tolerance = 1e-6};
}

/// Points of a ball of half a metre on seven circles of latitude, and its poles.
std::vector<Vector3D> pointsOfABall() {
  std::vector<Vector3D> points{{0.0, 0.0, 0.5}, {0.0, 0.0, -0.5}};
  for (int ring = 1; ring < 8; ++ring) {
    const double polar = ring * std::numbers::pi / 8.0;
    for (int k = 0; k < 16; ++k) {
      const double around = k * std::numbers::pi / 8.0;
      points.push_back({0.5 * std::sin(polar) * std::cos(around),
                        0.5 * std::sin(polar) * std::sin(around), 0.5 * std::cos(polar)});
    }
  }
  return points;
}

/// A ball, and a hull of many corners with one below its centre.
Measurement dropWithoutSpin(bool) {
  WorldModel world{underTest({.sleeping = false})};
  addFloor(world, 0.8, 0.5);
  const BodyId ball = world.spawn(InertialDescription{
      .shape = msd_sim::Sphere{0.5}, .position = {0.0, 0.0, 2.0}, .friction = 0.8});
  const BodyId hull =
      world.spawn(InertialDescription{.shape = msd_assets::makeHull(pointsOfABall()),
                                      .position = {3.0, 0.0, 2.0},
                                      .friction = 0.8});
  double worst = 0.0;
  for (int i = 0; i < 120; ++i) {
    world.update(kStep);
    worst = std::max({worst, stateOf(world, ball).angularVelocity.norm(),
                      stateOf(world, hull).angularVelocity.norm()});
  }
  return {.expected = 0.0, .measured = worst, .error = worst, .tolerance = 1e-6};
}

/// Cubes of all restitutions and frictions, thrown tumbling at the floor: the energy of the world
/// never rises in a step.
Measurement tumblingEnergy(bool fast) {
  double worst = 0.0;
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double mu : {0.0, 0.3, 1.0}) {
      WorldModel world{underTest({.sleeping = false})};
      addFloor(world, mu, e);
      const BodyId cube = world.spawn(
          InertialDescription{.shape = msd_sim::Box{{0.5, 0.5, 0.5}},
                              .position = {0.0, 0.0, 2.0},
                              .orientation = msd_sim::Quaternion{0.9, 0.2, 0.3, 0.1}.normalized(),
                              .linearVelocity = {3.0, 1.0, 0.0},
                              .angularVelocity = {4.0, 2.0, 1.0},
                              .friction = mu,
                              .restitution = e});
      const double scale = world.inertial(cube).getMass() * kGravity * 2.0;
      const auto energy = [&] {
        return world.inertial(cube).kineticEnergy() +
               scale / 2.0 * stateOf(world, cube).position.z();
      };
      double before = energy();
      for (int i = 0; i < (fast ? 300 : 1200); ++i) {
        world.update(kStep);
        const double now = energy();
        worst = std::max(worst, (now - before) / scale);
        before = now;
      }
    }
  }
  return {.expected = 0.0, .measured = worst, .error = worst, .tolerance = 1e-6};
}

}  // namespace

std::vector<Phenomenon> impactPhenomena() {
  return {
      {"Impacts", "head-on, equal masses, e = 1", "velocities are exchanged; largest |Δv|", "m/s",
       headOn},
      {"Impacts", "momentum in a collision", "Σ m v constant; relative change", "kg·m/s",
       [](bool) { return momentum(false); }},
      {"Impacts", "angular momentum in a collision", "Σ (m x × v + I ω) constant; relative change",
       "kg·m²/s", [](bool) { return momentum(true); }},
      {"Impacts", "rod struck off its middle", "ω = p d / I, p = (1+e) v / (1/m + 1/M + d²/I)",
       "rad/s", rodStruckOffCentre},
      {"Impacts", "glancing blow of rough balls", "ω = 5 u / (14 r), u the sliding speed", "rad/s",
       glancingSpin},
      {"Impacts", "ball that bounces for ever, e = 1",
       "E constant over 1e4 bounces; largest |ΔE|/E", "-", elasticBounces},
      {"Impacts", "apexes of a bouncing ball, e = 0.8",
       "hₙ = e²ⁿ h, six bounces; largest relative error", "m", apexes},
      {"Impacts", "resting ball, e = 1", "no kick of e·g·dt: v = 0", "m/s", restWithoutKick},
      {"Impacts", "ball dropped straight", "no spin: ω = 0", "rad/s", dropWithoutSpin},
      {"Impacts", "tumbling cubes, e and μ from 0 to 1",
       "energy never rises in a step; largest rise over m g h", "-", tumblingEnergy},
  };
}

}  // namespace msd_exe
