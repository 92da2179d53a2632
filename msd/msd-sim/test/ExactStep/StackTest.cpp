// Heavy on light, many bodies, rolling, and balls in a row.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include "ExactWorlds.hpp"

namespace msd_sim {
namespace {

using namespace exact_worlds;

TEST(ExactStack, heavyBlockRestsOnALightOneAMillionTimesLighter) {
  for (const double ratio : {1e3, 1e6}) {
    WorldModel world{exactSettings()};
    addFloor(world, 0.5);
    addBlock(world, {.half = {0.5, 0.5, 0.5}, .at = {0.0, 0.0, 0.5}, .density = 1.0});
    const BodyId top =
        addBlock(world, {.half = {0.5, 0.5, 0.5}, .at = {0.05, 0.02, 1.5}, .density = ratio});
    double deepest = 0.0, residual = 0.0;
    for (int i = 0; i < 600; ++i) {
      const StepReport r = world.update(kDt);
      deepest = std::max(deepest, r.deepestPenetration);
      residual = std::max(residual, r.residual);
      ASSERT_EQ(r.status, StepStatus::kOk) << "step " << i;
    }
    const double drift = (stateOf(world, top).position - Coordinate{0.05, 0.02, 1.5}).norm();
    fmt::print(
        "mass ratio 1 : {:g}, 10 s: penetration {:.2g} m, drift {:.2g} m, speed {:.2g} m/s, "
        "residual {:.2g} m/s\n",
        ratio, deepest, drift, fastest(world), residual);
    EXPECT_LT(deepest, 1e-6);
    EXPECT_LT(drift, 1e-6);
    EXPECT_LT(fastest(world), 1e-6);
  }
}

WorldModel pyramidWorld(int base) {
  WorldModel world{exactSettings()};
  addFloor(world, 0.5);
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i) {
      addBlock(world, {.half = {0.5, 0.5, 0.5}, .at = {i + 0.5 * row, 0.0, 0.5 + row}});
    }
  }
  return world;
}

TEST(ExactStack, pyramidOf465BoxesIsCertifiedEveryStep) {
  // Better than 10 steps a second on one core (measured: see docs/theory/exact-contact.md).
  WorldModel world = pyramidWorld(30);
  constexpr int kSteps = 60;
  double worst = 0.0, slowest = 0.0;
  long iterations = 0;
  const std::clock_t start = std::clock();  // of this process alone
  for (int i = 0; i < kSteps; ++i) {
    const StepReport r = world.update(kDt);
    ASSERT_EQ(r.status, StepStatus::kOk) << "step " << i;
    worst = std::max(worst, r.certificate.naturalMap);
    slowest = std::max(slowest, r.seconds());
    iterations += r.iterations;
    EXPECT_LE(r.certificate.naturalMap, 1e-8);
    EXPECT_GT(r.contacts, 1800u);
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print(
      "pyramid of 465: {:.1f} steps/s, slowest {:.0f} ms, {} contacts, natural map <= {:.2g}, "
      "{:.1f} iterations a step, speed at the end {:.2g}\n",
      kSteps / seconds, 1e3 * slowest, world.lastReport().contacts, worst,
      static_cast<double>(iterations) / kSteps, fastest(world));
  EXPECT_LT(fastest(world), 1e-6);
}

/// Balls of radius 0.1 in a row without gravity, the first `moving` of them with speed 1, a gap
/// before the others.
std::vector<double> cradle(bool sequential, int count, int moving, double e) {
  Settings settings = exactSettings();
  settings.gravity = {0.0, 0.0, 0.0};
  settings.sequentialImpacts = sequential;
  settings.restitutionThreshold = 1e-6;
  WorldModel world{settings};
  std::vector<BodyId> balls;
  for (int i = 0; i < count; ++i) {
    const bool moves = i < moving;
    balls.push_back(
        world.spawn(InertialDescription{.shape = Sphere{0.1},
                                        .position = {0.2 * i - (moves ? 0.105 : 0.0), 0.0, 0.0},
                                        .linearVelocity = {moves ? 1.0 : 0.0, 0.0, 0.0},
                                        .friction = 0.0,
                                        .restitution = e}));
  }
  for (int i = 0; i < 30; ++i) world.update(kDt);
  std::vector<double> speeds;
  for (const BodyId id : balls) speeds.push_back(stateOf(world, id).velocity.x());
  return speeds;
}

TEST(ExactCradle, asManyBallsLeaveAsArriveWhenImpactsPassOn) {
  for (const int moving : {1, 2, 3}) {
    const std::vector<double> v = cradle(true, 5, moving, 1.0);
    fmt::print("cradle, {} in: {:.12f} {:.12f} {:.12f} {:.12f} {:.12f}\n", moving, v[0], v[1], v[2],
               v[3], v[4]);
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(v[i], i < 5 - moving ? 0.0 : 1.0, 1e-10) << i;
  }
}

// Two equal balls: (1 ∓ e)/2 of the speed each.
TEST(ExactCradle, impactsThatPassOnLoseWhatRestitutionSays) {
  for (const double e : {0.0, 0.5, 0.9}) {
    const std::vector<double> v = cradle(true, 2, 1, e);
    EXPECT_NEAR(v[0], 0.5 * (1.0 - e), 1e-10);
    EXPECT_NEAR(v[1], 0.5 * (1.0 + e), 1e-10);
  }
}

TEST(ExactCradle, simultaneousImpactKeepsMomentumAndCreatesNoEnergy) {
  const std::vector<double> v = cradle(false, 5, 1, 1.0);
  double momentum = 0.0, energy = 0.0;
  for (const double x : v) momentum += x, energy += x * x;
  fmt::print("all at once: {:.6f} {:.6f} {:.6f} {:.6f} {:.6f}, momentum {:.15g}, energy {:.15g}\n",
             v[0], v[1], v[2], v[3], v[4], momentum, energy);
  EXPECT_NEAR(momentum, 1.0, 1e-12);
  EXPECT_LE(energy, 1.0 + 1e-12);
}

TEST(ExactImpact, noCombinationOfRestitutionAndFrictionCreatesEnergy) {
  // Tilted rods and boxes thrown at the floor: Newton's law with friction gains energy for some
  // (Kane's pendulum); the ledger must not.
  double worst = 0.0;
  int impacts = 0;
  for (const double e : {0.3, 0.8, 1.0}) {
    for (const double mu : {0.1, 0.5, 1.5}) {
      for (int k = 0; k < 8; ++k) {
        WorldModel world{exactSettings()};
        addFloor(world, mu, e);
        const double tilt = 0.2 + 0.35 * k;
        world.spawn(InertialDescription{
            .shape = Box{{0.05, 0.1, 1.0}},
            .position = {0.0, 0.0, 1.5},
            .orientation = Quaternion{std::cos(0.5 * tilt), 0.0, std::sin(0.5 * tilt), 0.0},
            .linearVelocity = {k % 2 == 0 ? 6.0 : -6.0, 0.5, -2.0},
            .angularVelocity = {0.0, k % 3 == 0 ? 5.0 : -3.0, 0.2},
            .friction = mu,
            .restitution = e});
        for (int i = 0; i < 90; ++i) {
          const StepReport r = world.update(kDt);
          const double contact = r.energy.normalWork + r.energy.frictionWork;
          worst = std::max(worst, (r.energy.change - r.energy.positionWork) / r.energy.scale);
          impacts += contact < -1e-3 * r.energy.scale ? 1 : 0;
          ASSERT_LT(std::abs(r.energy.closure()), 1e-9 * r.energy.scale);
        }
      }
    }
  }
  fmt::print("impacts: {} steps with a loss, worst gain {:.2g} of the energy scale\n", impacts,
             worst);
  EXPECT_GT(impacts, 100);
  EXPECT_LT(worst, 1e-9);
}

TEST(ExactImpact, obliqueBallLeavesAsTheClosedFormSays) {
  // e and µ: stick if v_t <= (7/2) µ (1 + e) v_n: v_t' = 5/7 v_t; else v_t' = v_t - µ (1 + e) v_n.
  const double e = 0.7, vn = 3.0, r = 0.2;
  for (const auto& [mu, vt] : {std::pair{0.3, 2.0}, std::pair{0.1, 5.0}}) {
    Settings settings = exactSettings();
    settings.gravity = {0.0, 0.0, 0.0};
    WorldModel world{settings};
    addFloor(world, mu, e);
    const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{r},
                                                        .position = {0.0, 0.0, 0.3},
                                                        .linearVelocity = {vt, 0.0, -vn},
                                                        .friction = mu,
                                                        .restitution = e});
    for (int i = 0; i < 10; ++i) world.update(kDt);
    const bool sticks = vt <= 3.5 * mu * (1.0 + e) * vn;
    const double expected = sticks ? 5.0 / 7.0 * vt : vt - mu * (1.0 + e) * vn;
    const double spin = sticks ? 5.0 / 7.0 * vt / r : 2.5 * mu * (1.0 + e) * vn / r;
    const InertialState& s = stateOf(world, ball);
    fmt::print(
        "oblique ({}): v_t {:.12g} of {:.12g}, v_n {:.12g} of {:.12g}, spin {:.12g} of {:.12g}\n",
        sticks ? "sticks" : "slides", s.velocity.x(), expected, s.velocity.z(), e * vn,
        s.angularVelocity.y(), spin);
    EXPECT_NEAR(s.velocity.x(), expected, 1e-11);
    EXPECT_NEAR(s.velocity.z(), e * vn, 1e-11);
    EXPECT_NEAR(s.angularVelocity.y(), spin, 1e-10);
  }
}

}  // namespace
}  // namespace msd_sim
