// Impacts in fast mode against closed forms, over ranges of shapes, angles and steps. Single experiments with a known
// answer stand in msd-exe/src/Validate and run with all three methods.

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

Settings weightless() {
  Settings settings;
  settings.gravity = {0.0, 0.0, 0.0};
  settings.sleeping = false;
  return settings;
}

void run(WorldModel& world, int steps) {
  for (int i = 0; i < steps; ++i) world.update(kDt);
}

// Σ m v and Σ (x × m v + I ω) do not change in a collision of bodies that nothing holds.
TEST(Momentum, isKeptInCollisionsOfAllShapes) {
  double worstLinear = 0.0, worstAngular = 0.0;
  for (int seed = 0; seed < 40; ++seed) {
    Random random{static_cast<std::uint64_t>(seed) + 500};
    WorldModel world{weightless()};
    const Shape shapes[] = {Sphere{0.3}, Box{{0.3, 0.2, 0.25}}, Capsule{0.15, 0.2},
                            Cylinder{0.2, 0.25}, lump(random, 14, 0.3)};
    std::vector<BodyId> bodies;
    for (int i = 0; i < 2; ++i) {
      const double side = i == 0 ? -1.0 : 1.0;
      bodies.push_back(world.spawn(InertialDescription{
          .shape = shapes[(seed + 2 * i + seed / 5) % 5],
          .density = random.between(300.0, 3000.0),
          .position = {side, random.between(-0.1, 0.1), random.between(-0.1, 0.1)},
          .orientation = random.turn(),
          .linearVelocity = {-2.0 * side, 0.0, 0.0},
          .angularVelocity = random.vector(2.0),
          .friction = random.between(0.0, 1.0),
          .restitution = random.next()}));
    }
    const auto momenta = [&] {
      std::pair<Vector3D, Vector3D> sum{Vector3D::Zero(), Vector3D::Zero()};
      for (const BodyId id : bodies) {
        const AssetInertial& body = world.inertial(id);
        const InertialState& s = body.getInertialState();
        const Matrix3D r = s.orientation.toRotationMatrix();
        sum.first += body.getMass() * s.velocity;
        sum.second += body.getMass() * s.position.cross(s.velocity) +
                      r * body.getInertiaTensor() * r.transpose() * s.angularVelocity;
      }
      return sum;
    };
    const double mass = world.inertial(bodies[0]).getMass() + world.inertial(bodies[1]).getMass();
    const auto before = momenta();
    run(world, 60);
    const auto after = momenta();
    worstLinear = std::max(worstLinear, (after.first - before.first).norm() / (mass * 2.0));
    worstAngular = std::max(worstAngular, (after.second - before.second).norm() / (mass * 2.0));
  }
  std::printf("momentum in 40 collisions: linear %.1e, angular %.1e (of m v, m v·1 m)\n", worstLinear,
              worstAngular);
  EXPECT_LT(worstLinear, 1e-12);
  EXPECT_LT(worstAngular, 1e-12);
}

// Rough equal balls that stick at the point of contact: each gains the spin 5 u_T/(14 r).
TEST(GlancingBlow, spinsBothBallsAsTheClosedFormSays) {
  for (const double angle : {10.0, 20.0, 40.0}) {
    for (const double dt : {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0}) {
      const double tilt = angle * std::numbers::pi / 180.0, r = 0.5, v = 3.0;
      WorldModel world{weightless()};
      const auto ball = [&](const Coordinate& at, double speed) {
        return world.spawn(InertialDescription{.shape = Sphere{r},
                                               .position = at,
                                               .linearVelocity = {speed, 0.0, 0.0},
                                               .friction = 5.0,
                                               .restitution = 0.5});
      };
      const BodyId a = ball({-2.0, 0.0, 0.0}, v), b = ball({0.0, 2.0 * r * std::sin(tilt), 0.0}, 0.0);
      for (int i = 0; i < static_cast<int>(1.0 / dt + 0.5); ++i) world.update(dt);
      const double expected = 5.0 / 14.0 * v * std::sin(tilt) / r;
      EXPECT_NEAR(std::abs(stateOf(world, a).angularVelocity.z()), expected, 1e-6) << angle << " " << dt;
      EXPECT_NEAR(std::abs(stateOf(world, b).angularVelocity.z()), expected, 1e-6) << angle << " " << dt;
    }
  }
}

// Oblique ball on a floor: sticks if v_T <= (7/2) μ (1 + e) v_N, then v_T' = 5/7 v_T; else v_T − μ (1 + e) v_N.
TEST(ObliqueImpact, leavesAsCoulombAndNewtonSay) {
  const double e = 0.7, vn = 3.0, r = 0.2;
  for (const auto& [mu, vt] : {std::pair{0.3, 2.0}, std::pair{0.1, 5.0}}) {
    WorldModel world{weightless()};
    world.spawn(EnvironmentDescription{.shape = Plane{}, .friction = mu, .restitution = e});
    const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{r},
                                                        .position = {0.0, 0.0, 0.3},
                                                        .linearVelocity = {vt, 0.0, -vn},
                                                        .friction = mu,
                                                        .restitution = e});
    run(world, 10);
    const bool sticks = vt <= 3.5 * mu * (1.0 + e) * vn;
    const InertialState& s = stateOf(world, ball);
    EXPECT_NEAR(s.velocity.x(), sticks ? 5.0 / 7.0 * vt : vt - mu * (1.0 + e) * vn, 1e-9);
    EXPECT_NEAR(s.velocity.z(), e * vn, 1e-9);
    EXPECT_NEAR(s.angularVelocity.y(), (sticks ? 5.0 / 7.0 * vt : 2.5 * mu * (1.0 + e) * vn) / r, 1e-8);
  }
}

}  // namespace
}  // namespace msd_sim::test
