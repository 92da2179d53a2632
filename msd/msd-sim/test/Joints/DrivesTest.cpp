// Free coordinates, stops, motors, friction, springs, ropes, breaking.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "JointScenes.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

const Settings kWeightless{.gravity = {0, 0, 0}, .sleeping = false};
constexpr double kDt = 1.0 / 120.0;

/// A body of 2 kg and inertia (0.3, 0.2, 0.1) at (1, 0, 0), joined to the world at the origin.
struct Joined {
  WorldModel world;
  BodyId id;
  JointId joint;

  Joined(const Settings& settings, JointDescription d, const Vector3D& v = {0, 0, 0},
         const Vector3D& w = {0, 0, 0})
      : world{settings} {
    InertialDescription b = body("b", {1, 0, 0}, 2.0, {0.3, 0.2, 0.1}, 0.5);
    b.linearVelocity = v;
    b.angularVelocity = w;
    id = world.spawn(b);
    d.bodyB = id;
    joint = world.spawn(d);
  }
  const InertialState& state() const { return world.inertial(id).getInertialState(); }
  void run(double seconds) {
    for (int i = 0; i < std::lround(seconds / kDt); ++i) {
      ASSERT_EQ(world.update(kDt).status, StepStatus::kOk);
    }
  }
};

TEST(FreeCoordinates, ofEachKindMoveAndTheOthersDoNot) {
  // All are given the same velocities. What the joint leaves free goes on, the rest is stopped.
  const Vector3D v{0.3, 0.4, 0.5}, w{0.1, 0.2, 0.7};
  const auto after = [&](JointKind kind) {
    Joined j{kWeightless,
             {.kind = kind, .anchor = {1, 0, 0}, .axis = {0, 0, 1}, .axisB = {1, 0, 0}},
             v,
             w};
    j.run(1.0);
    return std::pair{j.state(), j.world.lastReport().jointError};
  };
  EXPECT_LT(after(JointKind::kFixed).first.velocity.norm(), 1e-12);
  EXPECT_LT(after(JointKind::kFixed).first.angularVelocity.norm(), 1e-12);
  EXPECT_LT(after(JointKind::kBall).first.velocity.norm(), 1e-12);
  EXPECT_GT(after(JointKind::kBall).first.angularVelocity.norm(), 0.5);
  const InertialState hinge = after(JointKind::kHinge).first;
  EXPECT_NEAR(hinge.angularVelocity.z(), 0.7, 1e-9);
  EXPECT_LT(hinge.angularVelocity.head<2>().norm(), 1e-9);
  const InertialState slider = after(JointKind::kSlider).first;
  EXPECT_NEAR(slider.velocity.z(), 0.5, 1e-9);
  EXPECT_LT(slider.angularVelocity.norm(), 1e-9);
  const InertialState cylinder = after(JointKind::kCylindrical).first;
  EXPECT_NEAR(cylinder.velocity.z(), 0.5, 1e-9);
  EXPECT_NEAR(cylinder.angularVelocity.z(), 0.7, 1e-9);
  EXPECT_LT(cylinder.velocity.head<2>().norm(), 1e-9);
  for (const JointKind kind :
       {JointKind::kFixed, JointKind::kBall, JointKind::kHinge, JointKind::kSlider,
        JointKind::kCylindrical, JointKind::kUniversal}) {
    EXPECT_LT(after(kind).second, 1e-9);
  }
}

TEST(UniversalJoint, keepsItsAxesSquare) {
  Joined j{
      kWeightless,
      {.kind = JointKind::kUniversal, .anchor = {0, 0, 0}, .axis = {0, 0, 1}, .axisB = {1, 0, 0}},
      {0, 1.0, 0},
      {0.5, -0.5, 1.0}};
  for (int i = 0; i < 240; ++i) {
    j.world.update(kDt);
    const Vector3D axisB = j.state().orientation * Vector3D::UnitX();
    EXPECT_NEAR(axisB.z(), 0.0, 1e-9);
    EXPECT_LT(pointOf(j.world, j.id, {-1, 0, 0}).norm(), 1e-9);
  }
}

TEST(Limits, holdTheCoordinateInItsRange) {
  for (const JointKind kind : {JointKind::kHinge, JointKind::kSlider, JointKind::kCylindrical}) {
    for (const double sign : {-1.0, 1.0}) {
      Joined j{
          kWeightless,
          {.kind = kind, .anchor = {1, 0, 0}, .axis = {0, 0, 1}, .limit = JointLimit{-0.25, 0.25}},
          {0, 0, sign * 1.0},
          {0, 0, sign * 1.0}};
      double most = 0.0;
      for (int i = 0; i < 120; ++i) {
        j.world.update(kDt);
        most = std::max(most, std::fabs(j.world.jointCoordinate(j.joint)));
      }
      EXPECT_NEAR(j.world.jointCoordinate(j.joint), sign * 0.25, 1e-9);
      EXPECT_LT(most, 0.25 + 1e-9);  // no overshoot: the stop acts before it is passed
      if (kind == JointKind::kSlider) {
        EXPECT_LT(std::fabs(j.state().velocity.z()), 1e-9);
      }
    }
  }
}

TEST(Limits, countTurns) {
  Joined j{kWeightless,
           {.kind = JointKind::kHinge, .anchor = {1, 0, 0}, .axis = {0, 0, 1}},
           {0, 0, 0},
           {0, 0, 7.0}};
  j.run(2.0);
  EXPECT_NEAR(j.world.jointCoordinate(j.joint), 14.0, 1e-3);  // 2.2 turns
}

TEST(Motors, reachTheirSpeedWithNoMoreThanTheirForce) {
  Joined strong{kWeightless,
                {.kind = JointKind::kHinge,
                 .anchor = {1, 0, 0},
                 .axis = {0, 0, 1},
                 .motor = JointMotor{.target = 3.0}}};
  strong.run(0.1);
  EXPECT_NEAR(strong.state().angularVelocity.z(), 3.0, 1e-9);
  // 0.05 N·m on 0.1 kg·m²: 0.5 rad/s².
  Joined weak{kWeightless,
              {.kind = JointKind::kHinge,
               .anchor = {1, 0, 0},
               .axis = {0, 0, 1},
               .motor = JointMotor{.target = 3.0, .maxForce = 0.05}}};
  weak.run(1.0);
  EXPECT_NEAR(weak.state().angularVelocity.z(), 0.5, 1e-9);
  EXPECT_NEAR(weak.world.jointReaction(weak.joint).torque.z(), 0.05, 1e-9);
  // Work of the motor is the kinetic energy gained.
  double work = 0.0;
  for (int i = 0; i < 120; ++i) {
    const StepReport r = weak.world.update(kDt);
    work += r.energy.jointWork;
    EXPECT_LT(std::fabs(r.energy.closure()), 1e-12);
  }
  EXPECT_NEAR(work, 0.5 * 0.1 * (1.0 - 0.25), 1e-9);
}

TEST(Motors, inPositionModeSwingInWithTheirFrequency) {
  // Critically damped at 2 Hz: x = X (1 - (1 + ωt) exp(-ωt)).
  for (const double most : {std::numeric_limits<double>::infinity(), 1e6}) {
    Joined j{kWeightless,
             {.kind = JointKind::kSlider,
              .anchor = {1, 0, 0},
              .axis = {0, 1, 0},
              .motor = JointMotor{.mode = MotorMode::kPosition,
                                  .target = 0.3,
                                  .maxForce = most,
                                  .frequency = 2.0,
                                  .dampingRatio = 1.0}}};
    const double omega = 2.0 * 3.14159265358979 * 2.0;
    for (int i = 1; i <= 120; ++i) {
      j.world.update(kDt);
      const double t = i * kDt;
      EXPECT_NEAR(j.world.jointCoordinate(j.joint),
                  0.3 * (1.0 - (1.0 + omega * t) * std::exp(-omega * t)),
                  1e-3);  // 5.1e-4 measured, falls with h²
    }
  }
}

TEST(JointFriction, stopsWhatItCanAndHoldsIt) {
  // 0.4 N on 2 kg: from 0.1 m/s to rest in 0.5 s and 0.025 m.
  Joined j{kWeightless,
           {.kind = JointKind::kSlider, .anchor = {1, 0, 0}, .axis = {0, 0, 1}, .friction = 0.4},
           {0, 0, 0.1}};
  j.run(0.25);
  EXPECT_NEAR(j.state().velocity.z(), 0.05, 1e-9);
  j.run(1.0);
  EXPECT_NEAR(j.state().velocity.z(), 0.0, 1e-12);
  EXPECT_NEAR(j.world.jointCoordinate(j.joint), 0.025, 1e-4);
  // Less than its strength does not move it.
  for (int i = 0; i < 60; ++i) {
    j.world.applyForce(j.id, {0, 0, 0.39});
    j.world.update(kDt);
  }
  EXPECT_LT(std::fabs(j.state().velocity.z()), 1e-12);
}

TEST(Springs, oscillateWithTheirPeriodAndKeepTheirEnergy) {
  // 50 N/m on 2 kg: ω = 5 rad/s.
  Joined j{kWeightless,
           {.kind = JointKind::kSpring,
            .anchor = {0, 0, 0},
            .anchorB = Coordinate{1, 0, 0},
            .length = 0.8,
            .stiffness = 50.0}};
  double least = 1e9, most = -1e9;
  for (int i = 1; i <= 600; ++i) {
    const StepReport r = j.world.update(kDt);
    EXPECT_NEAR(j.state().position.x(), 0.8 + 0.2 * std::cos(5.0 * i * kDt), 1e-3);
    least = std::min(least, r.energy.kinetic + r.energy.potential);
    most = std::max(most, r.energy.kinetic + r.energy.potential);
    EXPECT_LT(std::fabs(r.energy.closure()), 1e-12);
  }
  EXPECT_LT(most - least, 1e-9);  // implicit midpoint: linear springs keep their energy
}

// The ledger holds the spring's energy from the moment it is made: what a step reports as its change leads from
// the energy before to the energy after it, also where the spring breaks and its energy is gone.
TEST(Springs, enterTheBooksWhenMadeAndLeaveThemWhenTheyBreak) {
  Settings settings{.sleeping = false};
  settings.gravity = {0, 0, -10};
  const JointDescription spring{.kind = JointKind::kSpring,
                                .anchor = {0, 0, 0},
                                .anchorB = Coordinate{1, 0, 0},
                                .length = 0.8,
                                .stiffness = 50.0,
                                .breakingForce = 11.0};  // it starts with 10 N, and the body falls
  Joined j{settings, spring};
  double energy = 0.5 * 50.0 * 0.2 * 0.2;
  for (int i = 0; i < 120; ++i) {
    const StepReport r = j.world.update(kDt);
    EXPECT_NEAR(r.energy.kinetic + r.energy.potential - r.energy.change, energy, 1e-11) << i;
    EXPECT_LT(std::fabs(r.energy.closure()), 1e-12);
    energy = r.energy.kinetic + r.energy.potential;
  }
  EXPECT_TRUE(j.world.isBroken(j.joint));
}

TEST(Springs, areStableHoweverStiff) {
  Joined j{kWeightless,
           {.kind = JointKind::kSpring,
            .anchor = {0, 0, 0},
            .anchorB = Coordinate{1, 0, 0},
            .length = 0.9,
            .stiffness = 1e9}};
  const double start = 0.5 * 1e9 * 0.01;
  for (int i = 0; i < 600; ++i) {
    const StepReport r = j.world.update(kDt);
    ASSERT_LT(r.energy.kinetic + r.energy.potential, start * (1.0 + 1e-6));
  }
}

TEST(Springs, ofNoLengthPassThroughTheirAnchor) {
  Joined j{kWeightless,
           {.kind = JointKind::kSpring,
            .anchor = {0, 0, 0},
            .anchorB = Coordinate{1, 0, 0},
            .length = 0.0,
            .stiffness = 50.0}};
  for (int i = 1; i <= 240; ++i) {
    j.world.update(kDt);
    EXPECT_NEAR(j.state().position.x(), std::cos(5.0 * i * kDt), 2e-3);
  }
}

TEST(Ropes, areSlackUntilTheyAreTaut) {
  Settings settings{.sleeping = false};
  settings.gravity = {0, 0, -10};
  Joined j{settings,
           {.kind = JointKind::kRope,
            .anchor = {1, 0, 0},
            .anchorB = Coordinate{1, 0, 0},
            .length = 1.25}};
  j.run(0.45);
  EXPECT_NEAR(j.state().position.z(), -5.0 * 0.45 * 0.45, 1e-9);  // free fall
  EXPECT_EQ(j.world.jointReaction(j.joint).force.norm(), 0.0);
  j.run(2.0);
  EXPECT_NEAR(j.state().position.z(), -1.25, 1e-9);
  EXPECT_NEAR(j.world.jointReaction(j.joint).force.z(), 20.0, 1e-6);
}

TEST(Ropes, reportHowFarTheyAreTooLong) {
  Joined j{kWeightless,
           {.kind = JointKind::kRope,
            .anchor = {0, 0, 0},
            .anchorB = Coordinate{1, 0, 0},
            .length = 1.25}};
  EXPECT_EQ(j.world.update(kDt).jointError, 0.0);  // slack
  InertialState far = j.state();
  far.position.x() = 2.0;
  j.world.setState(j.id, far);
  EXPECT_GT(j.world.update(kDt).jointError, 0.1);  // on its way back, not there in one step
}

TEST(Reactions, carryTheWeightAndTheTorqueOfTheArm) {
  Settings settings{.sleeping = false};
  settings.gravity = {0, 0, -10};
  Joined j{settings, {.kind = JointKind::kFixed, .anchor = {0, 0, 0}}};
  j.run(0.1);
  const JointReaction r = j.world.jointReaction(j.joint);
  EXPECT_LT((r.force - Vector3D{0, 0, 20}).norm(), 1e-6);
  EXPECT_LT((r.torque - Vector3D{0, -20, 0}).norm(), 1e-6);  // about the anchor, 1 m away
}

TEST(Breaking, happensAboveTheStrengthAndNotBelow) {
  Settings settings{.sleeping = false};
  settings.gravity = {0, 0, -10};
  Joined holds{settings, {.kind = JointKind::kBall, .anchor = {1, 0, 0.0}, .breakingForce = 20.1}};
  holds.run(0.5);
  EXPECT_FALSE(holds.world.isBroken(holds.joint));
  Joined breaks{settings, {.kind = JointKind::kBall, .anchor = {1, 0, 0.0}, .breakingForce = 19.9}};
  breaks.run(0.5);
  EXPECT_TRUE(breaks.world.isBroken(breaks.joint));
  EXPECT_LT(breaks.state().position.z(), -1.0);
  EXPECT_EQ(breaks.world.jointReaction(breaks.joint).force.norm(), 0.0);
  Joined torque{settings, {.kind = JointKind::kFixed, .anchor = {0, 0, 0}, .breakingTorque = 19.9}};
  torque.run(0.1);
  EXPECT_TRUE(torque.world.isBroken(torque.joint));
}

}  // namespace
}  // namespace msd_sim
