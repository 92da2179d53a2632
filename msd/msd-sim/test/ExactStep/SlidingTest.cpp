// Sliding and resting with exact friction.
//
//   A block with speed v0 on a plane stops after v0²/(2µg), in a straight line, in every direction,
//   and does not lift: relaxed (convex) contact laws raise it by h µ v per step.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ExactWorlds.hpp"

namespace msd_sim {
namespace {

using namespace exact_worlds;

TEST(ExactRest, blockStaysAndTheStepIsCertified) {
  WorldModel world{exactSettings()};
  addFloor(world, 0.5);
  const BodyId block = addBlock(world, {.half = {0.5, 0.4, 0.3}, .at = {0.0, 0.0, 0.3}});
  StepReport report;
  for (int i = 0; i < 600; ++i) {
    report = world.update(kDt);
    ASSERT_EQ(report.status, StepStatus::kOk);
    ASSERT_LE(report.certificate.naturalMap, 1e-8);
    ASSERT_LE(report.certificate.velocityError, 1e-8);
  }
  const InertialState& s = stateOf(world, block);
  // Measured: 1e-13 m over 10 s, 2e-16 m/s.
  EXPECT_LT(std::abs(s.position.z() - 0.3), 1e-12);
  EXPECT_LT(s.velocity.norm(), 1e-12);
  EXPECT_LT(std::abs(report.energy.closure()), 1e-12);
}

TEST(ExactSliding, blockDoesNotLiftAndStopsAtTheCoulombDistance) {
  const double mu = 0.4, v0 = 3.0;
  WorldModel world{exactSettings()};
  addFloor(world, mu);
  const BodyId block = addBlock(
      world,
      {.half = {0.5, 0.4, 0.1}, .at = {0.0, 0.0, 0.1}, .friction = mu, .velocity = {v0, 0.0, 0.0}});
  double lift = 0.0, normalWork = 0.0, closure = 0.0;
  for (int i = 0; i < 90; ++i) {
    const StepReport report = world.update(kDt);
    ASSERT_EQ(report.status, StepStatus::kOk);
    lift = std::max(lift, std::abs(stateOf(world, block).position.z() - 0.1));
    normalWork = std::max(normalWork, std::abs(report.energy.normalWork));
    closure = std::max(closure, std::abs(report.energy.closure()));
  }
  const InertialState& s = stateOf(world, block);
  const double expected = v0 * v0 / (2.0 * mu * kG);
  fmt::print(
      "slide: distance {:.9g} of {:.9g} ({:.2g}), lift {:.2g} m, aside {:.2g} m, normal work "
      "{:.2g} J, closure {:.2g} J\n",
      s.position.x(), expected, s.position.x() / expected - 1.0, lift, s.position.y(), normalWork,
      closure);
  EXPECT_LE(lift, 1e-12);  // measured: 5e-13 over all 90 steps
  EXPECT_LE(std::abs(s.position.y()), 1e-12);
  EXPECT_NEAR(s.position.x(), expected, 1e-4 * expected);  // 8e-6: it stops inside a step
  EXPECT_LE(normalWork, 1e-9);
}

TEST(ExactSliding, stoppingDistanceIsTheSameInEveryDirection) {
  const double mu = 0.5, v0 = 2.0;
  double least = 1e300, most = 0.0, aside = 0.0;
  constexpr int kDirections = 24;
  for (int k = 0; k < kDirections; ++k) {
    const double phi = 2.0 * std::numbers::pi * k / kDirections + 0.01;
    const Vector3D along{std::cos(phi), std::sin(phi), 0.0};
    WorldModel world{exactSettings()};
    addFloor(world, mu);
    const BodyId block = addBlock(
        world,
        {.half = {0.5, 0.4, 0.05}, .at = {0.0, 0.0, 0.05}, .friction = mu, .velocity = v0 * along});
    for (int i = 0; i < 60; ++i) world.update(kDt);
    const Coordinate x = stateOf(world, block).position;
    const double distance = x.dot(along);
    least = std::min(least, distance);
    most = std::max(most, distance);
    aside = std::max(aside, (x - distance * along - Vector3D{0.0, 0.0, x.z()}).norm());
  }
  fmt::print("isotropy: spread {:.2g} of {:.9g} m, deflection {:.2g} m\n", most - least, most,
             aside);
  EXPECT_LE((most - least) / most, 1e-10);
  EXPECT_LE(aside, 1e-10);
}

TEST(ExactTumbling, energyNeverRisesAndCornersNeverSink) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double mu : {0.0, 0.3, 1.0}) {
      WorldModel world{exactSettings()};
      addFloor(world, mu, e);
      const BodyId body = world.spawn(InertialDescription{.shape = Box{{0.5, 0.3, 0.2}},
                                                          .position = {0.0, 0.0, 2.0},
                                                          .linearVelocity = {2.0, 1.0, 0.0},
                                                          .angularVelocity = {3.0, 1.0, 2.0},
                                                          .friction = mu,
                                                          .restitution = e});
      const double scale = world.inertial(body).getMass() * kG * 2.0;
      double rise = 0.0, integrator = 0.0, contact = 0.0, deepest = 0.0, guard = 0.0;
      int bad = 0;
      for (int i = 0; i < 400; ++i) {
        const StepReport r = world.update(kDt);
        rise = std::max(rise, r.energy.change);
        integrator = std::max(integrator, r.energy.integratorError);
        guard = std::min(guard, r.energy.integratorError);
        contact = std::max(contact, r.energy.normalWork + r.energy.frictionWork);
        deepest = std::max(deepest, r.deepestPenetration);
        bad += r.status != StepStatus::kOk ? 1 : 0;
        ASSERT_LT(std::abs(r.energy.closure()), 1e-9 * scale);
      }
      fmt::print(
          "tumbling e {} mu {}: rise {:.2g}, integrator +{:.2g} {:.2g}, contact work {:.2g} of "
          "mgh, deepest {:.2g} m, not converged {}\n",
          e, mu, rise / scale, integrator / scale, guard / scale, contact / scale, deepest, bad);
      EXPECT_LE(rise, 1e-12 * scale);  // measured: 1e-14
      EXPECT_LE(deepest, 1e-6);        // measured: 7e-7 in one landing, else 1e-10
      EXPECT_EQ(bad, 0);
    }
  }
}

}  // namespace
}  // namespace msd_sim
