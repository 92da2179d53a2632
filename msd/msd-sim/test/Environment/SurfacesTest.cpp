// Surfaces that move or give way, coefficients that change, and contacts that the user's own function changes
// (docs/theory/surfaces.md).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kG = 9.81;

struct Ground {
  double friction{0.5};
  double restitution{0.5};
  double contactStiffness{std::numeric_limits<double>::infinity()};
  double contactDamping{0.0};
  Vector3D surfaceVelocity{0, 0, 0};
};

/// A box of 1 kg and 0.2 m edges on a floor of 20 m.
struct BoxOnFloor {
  WorldModel world;
  BodyId floor, box;

  explicit BoxOnFloor(const Ground& ground, double height = 0.1,
                      const Settings& settings = {.sleeping = false})
      : world{settings} {
    floor = world.spawn(EnvironmentDescription{.shape = Box{{10, 10, 0.5}},
                                               .position = {0, 0, -0.5},
                                               .friction = ground.friction,
                                               .restitution = ground.restitution,
                                               .contactStiffness = ground.contactStiffness,
                                               .contactDamping = ground.contactDamping,
                                               .surfaceVelocity = ground.surfaceVelocity});
    box = world.spawn(InertialDescription{.shape = Box{{0.1, 0.1, 0.1}},
                                          .mass = 1.0,
                                          .position = {0, 0, height},
                                          .friction = 0.5,
                                          .restitution = 0.0});
  }
  const InertialState& state() const { return world.inertial(box).getInertialState(); }
  void run(double seconds) {
    for (int i = 0; i < std::lround(seconds / kDt); ++i) {
      const StepReport r = world.update(kDt);
      ASSERT_EQ(r.status, StepStatus::kOk);
      ASSERT_LT(std::fabs(r.energy.closure()), 1e-9);
    }
  }
};

TEST(Conveyor, acceleratesABoxByFrictionAndThenCarriesIt) {
  // μ = 0.5: μg t until the belt's 1 m/s are reached after 0.2039 s and 0.1019 m.
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0, .surfaceVelocity = {1, 0, 0}}};
  j.run(0.1);
  EXPECT_NEAR(j.state().velocity.x(), 0.5 * kG * 0.1, 1e-3);
  j.run(0.9);
  EXPECT_NEAR(j.state().velocity.x(), 1.0, 1e-6);
  EXPECT_NEAR(j.state().position.x(), 1.0 - 0.5 / (0.5 * kG), 2e-3);
  EXPECT_NEAR(j.state().position.z(), 0.1, 1e-4);
  EXPECT_LT(std::fabs(j.state().angularVelocity.norm()), 1e-4);
}

TEST(Conveyor, doesTheWorkThatTheLedgerSays) {
  // While it slips the belt gives μ m g s per second, half of which the box takes.
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0, .surfaceVelocity = {0, 1, 0}}};
  double external = 0.0, friction = 0.0;
  for (int i = 0; i < 60; ++i) {
    const StepReport r = j.world.update(kDt);
    external += r.energy.externalWork;
    friction += r.energy.frictionWork;
  }
  EXPECT_NEAR(external, 1.0, 1e-2);
  EXPECT_NEAR(friction, -0.5, 1e-2);
}

TEST(Conveyor, stopsAndTurnsRoundWhenTold) {
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0, .surfaceVelocity = {1, 0, 0}}, 0.1, Settings{}};
  j.run(1.0);
  j.world.setSurfaceVelocity(j.floor, {0, 0, 0});
  j.run(2.0);
  EXPECT_LT(j.state().velocity.norm(), 1e-6);
  j.world.setSurfaceVelocity(j.floor, {-0.5, 0, 0});  // wakes it
  j.run(1.0);
  EXPECT_NEAR(j.state().velocity.x(), -0.5, 1e-6);
}

TEST(Conveyor, slipsUnderABoxThatAWallHolds) {
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0, .surfaceVelocity = {1, 0, 0}}};
  j.world.spawn(EnvironmentDescription{
      .shape = Box{{0.1, 1, 1}}, .position = {0.2, 0, 1.0}, .friction = 0.0, .restitution = 0.0});
  j.run(2.0);
  EXPECT_NEAR(j.state().position.x(), 0.0, 1e-3);
  EXPECT_LT(j.state().velocity.norm(), 1e-3);
  Force force = Force::Zero();
  for (const ContactRecord& c : j.world.contacts(j.box)) {
    if (c.bodyA == j.floor || c.bodyB == j.floor) force += c.bodyB == j.box ? c.forceOnB : Force{-c.forceOnB};
  }
  EXPECT_NEAR(force.x(), 0.5 * kG, 0.05);
}

TEST(SoftContact, sinksInByItsLoad) {
  BoxOnFloor j{{.restitution = 0.0, .contactStiffness = 1000.0, .contactDamping = 40.0}};
  j.run(3.0);
  EXPECT_NEAR(j.state().position.z(), 0.1 - kG / 1000.0, 1e-5);
  EXPECT_LT(j.state().velocity.norm(), 2e-4);  // 6.1e-5: every step starts without a warm start
}

TEST(SoftContact, isASpringThatKeepsItsEnergy) {
  // A ball of 1 kg dropped on 2000 N/m: it comes back to its height, again and again.
  WorldModel world{Settings{.sleeping = false}};
  world.spawn(EnvironmentDescription{.shape = Box{{5, 5, 0.5}},
                                     .position = {0, 0, -0.5},
                                     .contactStiffness = 2000.0});
  const BodyId ball = world.spawn(
      InertialDescription{.shape = Sphere{0.1}, .mass = 1.0, .position = {0, 0, 0.6}, .restitution = 0.0});
  double highest = 0.0, deepest = 1.0;
  const double dt = 1.0 / 240.0;
  for (int i = 0; i < 240 * 4; ++i) {
    ASSERT_EQ(world.update(dt).status, StepStatus::kOk);
    const double z = world.inertial(ball).getInertialState().position.z();
    deepest = std::min(deepest, z);
    if (i > 240 * 3) highest = std::max(highest, z);
  }
  // ½kd² = mg(0.5 + d).
  const double w = kG / 2000.0;
  EXPECT_NEAR(0.1 - deepest, w + std::sqrt(w * w + w), 1e-3);
  EXPECT_NEAR(highest, 0.6, 0.02);
}

TEST(SoftContact, ofTwoSurfacesIsSpringsInARow) {
  BoxOnFloor j{{.restitution = 0.0, .contactStiffness = 1000.0, .contactDamping = 40.0}};
  SurfaceMaterial material = j.world.inertial(j.box).material();
  material.stiffness = 500.0;
  material.damping = 40.0;
  j.world.setMaterial(j.box, material);
  j.run(4.0);
  EXPECT_NEAR(j.state().position.z(), 0.1 - kG * (1.0 / 1000.0 + 1.0 / 500.0), 1e-4);
}

TEST(SoftContact, stillHasFriction) {
  // Slides from 2 m/s on μ = 0.5: v²/(2μg) = 0.4077 m.
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0, .contactStiffness = 1e4, .contactDamping = 100.0}};
  j.run(1.0);
  j.world.setVelocity(j.box, {2, 0, 0}, {0, 0, 0});
  const double start = j.state().position.x();
  j.run(2.0);
  EXPECT_NEAR(j.state().position.x() - start, 4.0 / (2.0 * 0.5 * kG), 0.02);
  EXPECT_LT(j.state().velocity.norm(), 5e-4);  // 1.5e-4
}

TEST(Material, canBeChangedWhileItRuns) {
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0}, 0.1, Settings{.gravity = {3, 0, -kG}}};
  j.run(2.0);  // tan 17° < 0.5: it holds, and sleeps
  EXPECT_NEAR(j.state().position.x(), 0.0, 1e-6);
  j.world.setMaterial(j.floor, {.friction = 0.0, .restitution = 0.0});
  j.run(1.0);
  EXPECT_NEAR(j.state().velocity.x(), 3.0, 1e-2);
  EXPECT_THROW(j.world.setMaterial(j.floor, {.friction = -1.0}), std::invalid_argument);
}

TEST(ContactCallback, mayLetABodyThroughAndChangeFriction) {
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0}, 0.3};
  int calls = 0;
  j.world.setContactCallback([&](ContactChange& c) {
    ++calls;
    EXPECT_NEAR(std::fabs(c.normal.z()), 1.0, 1e-9);
    EXPECT_EQ(c.friction, 0.5);
    c.enabled = false;
  });
  j.run(0.5);
  EXPECT_GT(calls, 0);
  EXPECT_NEAR(j.state().velocity.z(), -kG * 0.5, 1e-9);  // it falls as if there were no floor
  BoxOnFloor k{{.friction = 0.5, .restitution = 0.0}};
  k.run(0.5);
  k.world.setVelocity(k.box, {1, 0, 0}, {0, 0, 0});
  k.world.setContactCallback([](ContactChange& c) { c.friction = 0.0; });
  k.run(1.0);
  EXPECT_NEAR(k.state().velocity.x(), 1.0, 1e-9);
  k.world.setContactCallback({});
  k.run(1.0);
  EXPECT_LT(k.state().velocity.norm(), 1e-3);
}

TEST(Surfaces, areRestoredFromSnapshots) {
  BoxOnFloor j{{.friction = 0.5, .restitution = 0.0, .surfaceVelocity = {1, 0, 0}}};
  j.run(0.1);
  const auto bytes = j.world.snapshot();
  j.run(0.3);
  const Hash128 later = j.world.stateHash();
  j.world.setMaterial(j.floor, {.friction = 0.1});
  j.world.setSurfaceVelocity(j.floor, {0, 3, 0});
  j.run(0.1);
  j.world.restore(bytes);
  EXPECT_EQ(j.world.environment(j.floor).material().friction, 0.5);
  j.run(0.3);
  EXPECT_EQ(j.world.stateHash(), later);
}

TEST(Surfaces, areRefusedInExactMode) {
  WorldModel world{Settings{.method = Method::kExact}};
  EXPECT_THROW(world.spawn(EnvironmentDescription{.shape = Box{{1, 1, 1}}, .surfaceVelocity = {1, 0, 0}}),
               std::invalid_argument);
  EXPECT_THROW(world.spawn(InertialDescription{.shape = Box{{1, 1, 1}}, .contactStiffness = 1000.0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
