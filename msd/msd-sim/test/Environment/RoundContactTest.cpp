// Contacts of round shapes between two tests (docs/theory/collision.md, K-11) and within a step that turns
// them far (K-12).

#include <gtest/gtest.h>

#include <cmath>

#include "Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

/// A quarter turn that lays a capsule's axis along x.
Quaternion alongX() { return Quaternion{Eigen::AngleAxisd{std::acos(0.0), Vector3D::UnitY()}}; }

// Rolling without slip along a straight rail takes no work: v and ω = v/r stay. So slow a ball is tested
// every few steps; a normal that lagged behind by the way since the last test would push it (5.0 to 6.7 mm/s).
TEST(RoundContact, aBallKeepsItsSpeedAlongARail) {
  WorldModel world{awake()};
  world.spawn(EnvironmentDescription{.shape = Capsule{0.2, 5.0},
                                     .position = {0.0, 0.0, -0.2},
                                     .orientation = alongX()});
  const double r = 0.3, v = 5e-3;
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{r},
                                                      .position = {-2.0, 0.0, r},
                                                      .linearVelocity = {v, 0.0, 0.0},
                                                      .angularVelocity = {0.0, v / r, 0.0},
                                                      .restitution = 0.0});
  for (int i = 0; i < 60; ++i) world.update(kDt);
  const InertialState& s = stateOf(world, ball);
  EXPECT_NEAR(s.velocity.x(), v, 1e-6 * v);
  EXPECT_NEAR(s.position.x(), -2.0 + v, 1e-6 * v);
  EXPECT_NEAR(s.position.z(), r, 1e-4);
  ASSERT_EQ(world.contacts(ball).size(), 1u);
  const ContactRecord c = world.contacts(ball)[0];
  EXPECT_NEAR(c.point.x(), s.position.x(), 1e-6 * r);
  EXPECT_NEAR(std::abs(c.normal.z()), 1.0, 1e-9);
}

// The record says where the bodies touch: it must be what a fresh look at the poses gives.
TEST(RoundContact, aRollingCapsuleTouchesUnderItsAxis) {
  WorldModel world{awake()};
  addFloor(world);
  const double r = 0.25, v = 0.7;
  const BodyId roller = world.spawn(InertialDescription{.shape = Capsule{r, 0.5},
                                                        .position = {0.0, 0.0, r},
                                                        .orientation = alongX(),
                                                        .linearVelocity = {0.0, v, 0.0},
                                                        .angularVelocity = {-v / r, 0.0, 0.0},
                                                        .restitution = 0.0});
  for (int i = 0; i < 120; ++i) {
    world.update(kDt);
    const Coordinate at = stateOf(world, roller).position;
    ASSERT_EQ(world.contacts(roller).size(), 2u);
    for (const ContactRecord& c : world.contacts(roller)) {
      EXPECT_NEAR(c.point.y(), at.y(), 1e-9);
      EXPECT_NEAR(c.gap, at.z() - r, 1e-12);
    }
  }
  EXPECT_NEAR(stateOf(world, roller).velocity.y(), v, 1e-6);
}

// A bar that turns under a ball which moves along it: the point of contact runs along the bar's axis.
TEST(RoundContact, aBallDoesNotSinkIntoATurningBar) {
  WorldModel world{awake()};
  const BodyId bar = world.spawn(InertialDescription{.shape = Capsule{0.1, 1.0},
                                                     .orientation = alongX(),
                                                     .angularVelocity = {0.0, -8.0, 0.0},
                                                     .restitution = 0.0});
  const BodyId ball = world.spawn(InertialDescription{.shape = Sphere{0.2},
                                                      .position = {0.3, 0.0, 0.3},
                                                      .linearVelocity = {5.0, 0.0, 0.0},
                                                      .restitution = 0.0});
  double deepest = 0.0;
  for (int i = 0; i < 6; ++i) {
    world.update(kDt);
    const InertialState& b = stateOf(world, bar);
    const Vector3D axis = b.orientation * Vector3D::UnitZ();
    const Vector3D d = stateOf(world, ball).position - b.position;
    const double along = std::min(std::max(axis.dot(d), -1.0), 1.0);
    deepest = std::max(deepest, 0.3 - (d - along * axis).norm());
  }
  EXPECT_LT(deepest, 6e-3);  // measured 4.1e-3; 2.1e-2 with the nearest points of the step's beginning
}

}  // namespace
}  // namespace msd_sim::test
