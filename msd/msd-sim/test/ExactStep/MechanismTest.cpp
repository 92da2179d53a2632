// Mechanisms in exact mode: joints, stops, motors and contacts are one problem
// (docs/theory/exact-contact.md, section 10). "Joint error" is the largest distance of anchors or
// tilt of axes in any step, measured from the bodies' states alone.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "MechanismWorlds.hpp"

namespace msd_sim {
namespace {

using namespace mechanisms;

constexpr double kDt = 1.0 / 60.0;
constexpr double kJoint = 1e-6;      ///< [m]
constexpr double kDeepest = 5e-3;    ///< [m]
constexpr double kRise = 1e-4;       ///< of the largest kinetic energy, where something dissipates
constexpr double kSwing = 5e-3;      ///< the same, up and down, where nothing does

void print(const char* name, const Trial& t) {
  fmt::print(
      "{}: joints {:.1e} m, penetration {:.1e} m, T + V rises {:.1e} and spans {:.1e} of {:.3g} J, "
      "worst row {:.1e} m/s, {} steps not ok, at most {} substeps\n",
      name, t.jointError, t.penetration, t.riseShare(), t.spanShare(), t.peak, t.bilateral,
      t.failed, t.substeps);
}

TEST(ExactMechanism, hingedLinksSwingWithClosedJointsAndKeepTheirEnergy) {
  TestMechanism m{settingsOf(Method::kExact)};
  addSwing(m, 5);
  const Trial t = watch(m, 600, kDt);
  print("5 hinged links", t);
  EXPECT_LT(t.jointError, kJoint);       // 3e-12
  EXPECT_LT(t.spanShare(), kSwing);      // 1.7e-3
  EXPECT_EQ(t.failed, 0);
  EXPECT_NEAR(t.reported, t.jointError, 1e-9);
}

TEST(ExactMechanism, swingingChainDoesNotDrift) {
  TestMechanism m{settingsOf(Method::kExact)};
  addSwing(m, 8);
  const Trial t = watch(m, 1200, 1.0 / 240.0);
  print("8 hinged links at 240 Hz", t);
  fmt::print("drift {:.1e} of the largest kinetic energy\n", t.driftShare());
  EXPECT_LT(std::abs(t.driftShare()), 1e-3);
  EXPECT_LT(t.jointError, kJoint);
  EXPECT_EQ(t.failed, 0);
}

TEST(ExactMechanism, droppedChainStaysTogetherAndGainsNothing) {
  for (const double restitution : {0.0, 0.5}) {
    TestMechanism m{settingsOf(Method::kExact)};
    addDroppedChain(m, 6, 1.0, restitution);
    const Trial t = watch(m, 150, kDt);
    print(fmt::format("dropped chain, e = {}", restitution).c_str(), t);
    EXPECT_LT(t.jointError, kJoint);
    EXPECT_LT(t.penetration, kDeepest);
    EXPECT_LT(t.riseShare(), kRise);
  }
}

TEST(ExactMechanism, gripperLiftsItsBoxAtTheSpeedOfItsMotor) {
  // The fingers close 0.03 m at 0.2 m/s while the carriage rises at 0.05 m/s: after 4 s the box has
  // been carried for 4 s - 0.15 s. Two fingers of 40 N with µ = 0.8 could hold 64 N; the box weighs 9.81 N.
  TestMechanism m{settingsOf(Method::kExact)};
  const Gripper g = addGripper(m);
  const Trial t = watch(m, 240, kDt);
  print("gripper", t);
  const double height = m.world.inertial(g.box).getInertialState().position.z();
  EXPECT_NEAR(height, 0.05 + 0.05 * (4.0 - 0.15), 1e-3);  // 0.2425, to the step of the closing
  EXPECT_LT(t.jointError, kJoint);                        // 5e-15
  EXPECT_LT(t.penetration, kDeepest);                     // 1e-14
  EXPECT_EQ(t.failed, 0);
  EXPECT_GT(t.bilateral, 0.0);  // joints and motors are part of the certificate
  EXPECT_LT(t.bilateral, 1e-8);
}

TEST(ExactMechanism, fingerPressesABoxOnTheWallWithTheForceOfItsMotor) {
  // Statics: the floor's friction, at most µ m g = 4.905 N, may carry a part of the motor's 10 N;
  // what is left, 5.095 to 10 N, the wall feels.
  TestMechanism m{settingsOf(Method::kExact)};
  const BodyId box = addFinger(m);
  const Trial t = watch(m, 240, kDt);
  print("finger", t);
  double wall = 0.0, finger = 0.0;
  for (const ContactRecord& c : m.world.contacts(box)) {
    const double along = c.forceOnB.dot(c.normal);
    if (std::abs(c.normal.x()) < 0.5) continue;
    (m.world.isEnvironment(c.bodyA) || m.world.isEnvironment(c.bodyB) ? wall : finger) += along;
  }
  fmt::print("finger {:.6f} N, wall {:.6f} N\n", finger, wall);
  EXPECT_NEAR(finger, 10.0, 1e-6);
  EXPECT_GE(wall, 10.0 - 0.5 * kG - 1e-6);
  EXPECT_LE(wall, 10.0 + 0.5 * kG + 1e-6);
  EXPECT_NEAR(m.world.inertial(box).getInertialState().position.x(), 0.7, 1e-9);
  EXPECT_LT(t.jointError, kJoint);
  EXPECT_EQ(t.failed, 0);
}

TEST(ExactMechanism, heavyBallOnLightLinksStaysOnItsChain) {
  // 200 : 1; across its pull of 2 to 4 kN a link of 1 kg and 0.3 m swings at some 80 Hz.
  TestMechanism m{settingsOf(Method::kExact)};
  addWreckingBall(m, 0, 0);
  const Trial t = watch(m, 120, kDt);
  print("ball on ten links", t);
  EXPECT_LT(t.jointError, kJoint);
  EXPECT_LT(t.spanShare(), kSwing);
  EXPECT_EQ(t.failed, 0);
}

TEST(ExactMechanism, jointTornByHandIsClosedByTheEndOfTheStepOrSaysSo) {
  TestMechanism m{settingsOf(Method::kExact)};
  addSwing(m, 2);
  (void)m.world.update(kDt);
  InertialState state = m.world.inertial(m.links[1]).getInertialState();
  state.position.z() += 0.3;
  m.world.setState(m.links[1], state);
  const StepReport torn = m.world.update(kDt);
  EXPECT_TRUE(torn.status != StepStatus::kOk || torn.jointError < kJoint);
  EXPECT_NEAR(torn.jointError, m.jointError(), 1e-9);
  StepReport last;
  for (int i = 0; i < 60; ++i) last = m.world.update(kDt);
  EXPECT_EQ(last.status, StepStatus::kOk);
  EXPECT_LT(m.jointError(), kJoint);
}

TEST(ExactMechanism, sameBitsForAnyNumberOfThreads) {
  const auto hashOf = [](int threads) {
    Settings settings = settingsOf(Method::kExact);
    settings.threads = threads;
    TestMechanism m{settings};
    addFloor(m);
    for (int c = 0; c < 12; ++c) {  // chains side by side, apart
      BodyId last{};
      for (int i = 0; i < 4; ++i) {
        const BodyId bone = m.world.spawn(
            InertialDescription{.shape = Capsule{0.1, 0.3},
                                .position = {3.0 * c, 0, 0.9 + i},
                                .linearVelocity = {0.1 * c - 0.5, 0.2 * i, 0},
                                .restitution = 0.0});
        if (i > 0) m.join({.bodyA = last, .bodyB = bone, .anchor = {3.0 * c, 0, 0.4 + i}});
        last = bone;
      }
    }
    for (int i = 0; i < 45; ++i) (void)m.world.update(kDt);
    return m.world.stateHash();
  };
  const Hash128 one = hashOf(1);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(hashOf(threads), one) << threads;
}

}  // namespace
}  // namespace msd_sim
