// Sliding and resting with exact friction (method: exact, one step = 1/60 s unless said).
//
//   A block with speed v0 on a plane stops after v0²/(2µg), in a straight line, in every direction,
//   and does not lift: relaxed (convex) contact laws raise it by h µ v per step.
//   At rest the impulses of the support carry the weight: Σ f = m g.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kG = 9.81;

Settings exactSettings() {
  Settings s;
  s.gravity = {0.0, 0.0, -kG};
  s.method = Method::kExact;
  s.sleeping = false;
  return s;
}

void addFloor(WorldModel& world, double friction) {
  world.spawn(EnvironmentDescription{
      .name = "floor", .shape = Plane{}, .friction = friction, .restitution = 0.0});
}

BodyId addBlock(WorldModel& world, const Vector3D& half, const Coordinate& at, double friction,
                const CoordinateRate& velocity = {0.0, 0.0, 0.0}) {
  return world.spawn(InertialDescription{.shape = Box{half},
                                         .density = 1000.0,
                                         .position = at,
                                         .linearVelocity = velocity,
                                         .friction = friction,
                                         .restitution = 0.0});
}

TEST(ExactRest, blockStaysAndItsSupportCarriesTheWeight) {
  WorldModel world{exactSettings()};
  addFloor(world, 0.5);
  const BodyId block = addBlock(world, {0.5, 0.4, 0.3}, {0.0, 0.0, 0.3}, 0.5);
  StepReport report;
  for (int i = 0; i < 60; ++i) report = world.update(kDt);
  const InertialState& s = world.inertial(block).getInertialState();
  fmt::print("rest: z-0.3 {:.3g}, speed {:.3g}, certificate {:.3g} {:.3g} {:.3g} {:.3g}, its {}\n",
             s.position.z() - 0.3, s.velocity.norm(), report.certificate.naturalMap,
             report.certificate.velocityError, report.certificate.complementarity,
             report.certificate.coneViolation, report.iterations);
  EXPECT_EQ(report.status, StepStatus::kOk);
  EXPECT_LE(report.certificate.naturalMap, 1e-8);
  EXPECT_LT(std::abs(s.position.z() - 0.3), 1e-12);
  EXPECT_LT(s.velocity.norm(), 1e-9);
  EXPECT_LT(std::abs(report.energy.closure()), 1e-9);
}

TEST(ExactSliding, blockDoesNotLiftAndStopsAtTheCoulombDistance) {
  const double mu = 0.4, v0 = 3.0;
  WorldModel world{exactSettings()};
  addFloor(world, mu);
  const BodyId block = addBlock(world, {0.5, 0.4, 0.1}, {0.0, 0.0, 0.1}, mu, {v0, 0.0, 0.0});
  double lift = 0.0, worstWork = 0.0, closure = 0.0;
  for (int i = 0; i < 90; ++i) {
    const double before = world.inertial(block).getInertialState().position.z();
    const StepReport report = world.update(kDt);
    const double after = world.inertial(block).getInertialState().position.z();
    lift = std::max(lift, std::abs(after - before));
    worstWork = std::max(worstWork, std::abs(report.energy.normalWork));
    closure = std::max(closure, std::abs(report.energy.closure()));
    ASSERT_EQ(report.status, StepStatus::kOk);
  }
  const InertialState& s = world.inertial(block).getInertialState();
  const double expected = v0 * v0 / (2.0 * mu * kG);
  fmt::print("slide: distance {:.9g} of {:.9g} ({:.2g}), lift {:.2g}, side {:.2g}, normal work {:.2g}, closure {:.2g}\n",
             s.position.x(), expected, s.position.x() / expected - 1.0, lift, s.position.y(),
             worstWork, closure);
  EXPECT_LE(lift, 1e-12);
  EXPECT_NEAR(s.position.x(), expected, 1e-3 * expected);
}

TEST(ExactSliding, tumblingBoxKeepsTheLedgerClosed) {
  for (const double e : {0.0, 0.5, 1.0}) {
    WorldModel world{exactSettings()};
    world.spawn(EnvironmentDescription{.shape = Plane{}, .friction = 0.6, .restitution = e});
    const BodyId body = world.spawn(InertialDescription{.shape = Box{{0.5, 0.3, 0.2}},
                                                        .position = {0.0, 0.0, 2.0},
                                                        .linearVelocity = {2.0, 1.0, 0.0},
                                                        .angularVelocity = {3.0, 1.0, 2.0},
                                                        .friction = 0.6,
                                                        .restitution = e});
    double rise = 0.0, integrator = 0.0, worstNormal = 0.0, deepest = 0.0, position = 0.0;
    int bad = 0;
    for (int i = 0; i < 600; ++i) {
      const StepReport r = world.update(kDt);
      const double scale = r.energy.scale;
      rise = std::max(rise, r.energy.change);
      integrator = std::max(integrator, std::abs(r.energy.integratorError));
      worstNormal = std::max(worstNormal, r.energy.normalWork + r.energy.frictionWork);
      deepest = std::max(deepest, r.deepestPenetration);
      position += r.energy.positionWork;
      bad += r.status != StepStatus::kOk ? 1 : 0;
      EXPECT_LT(std::abs(r.energy.closure()), 1e-9 * scale);
    }
    const InertialState& s = world.inertial(body).getInertialState();
    fmt::print("tumble e {}: rise {:.3g} J, integrator {:.3g} J, contact work {:.3g} J, deepest "
               "{:.3g}, position work {:.3g}, bad {}, end speed {:.3g} z {:.6g}\n",
               e, rise, integrator, worstNormal, deepest, position, bad, s.velocity.norm(),
               s.position.z());
  }
}

}  // namespace
}  // namespace msd_sim
