// Motors with gains, forces and gears; rotors, dampers and springs on the free coordinate; changes
// while the world runs. Formulas stand beside each test.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "JointScenes.hpp"
#include "msd-sim/src/Environment/JointHandle.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

constexpr double kPi = std::numbers::pi;
constexpr double kDt = 1.0 / 60.0;
const Settings kWeightless{.gravity = {0, 0, 0}, .sleeping = false};

/// A body of 2 kg on a slider along x from the world, or of 0.1 kg·m² on a hinge about z.
struct Single {
  WorldModel world;
  BodyId id;
  JointId joint;

  Single(const Settings& settings, JointDescription d, double speed = 0.0) : world{settings} {
    InertialDescription b = body("b", {0, 0, 0}, 2.0, {0.3, 0.2, 0.1}, 0.5);
    b.linearVelocity = {speed, 0, 0};
    b.angularVelocity = {0, 0, speed};
    id = world.spawn(b);
    d.name = "drive";
    d.bodyB = id;
    d.axis = d.kind == JointKind::kSlider ? Vector3D{1, 0, 0} : Vector3D{0, 0, 1};
    joint = world.spawn(d);
  }
  JointHandle handle() { return world.handle(joint); }
  void run(double seconds, double dt = kDt) {
    for (int i = 0; i < std::lround(seconds / dt); ++i) {
      const StepReport r = world.update(dt);
      ASSERT_EQ(r.status, StepStatus::kOk);
      ASSERT_LT(std::fabs(r.energy.closure()), 1e-9);
    }
  }
};

/// An arm of `count` links of 2 kg and 0.3 m, stretched along x, hinges about y.
struct Arm {
  WorldModel world;
  std::vector<JointId> joints;
  std::vector<BodyId> links;
  static constexpr double kLength = 0.3, kMass = 2.0;

  explicit Arm(const JointMotor& motor, int count = 6, const Settings& settings = {.sleeping = false})
      : world{settings} {
    BodyId last{};
    for (int i = 0; i < count; ++i) {
      const BodyId link = world.spawn(rod({i * kLength, 0, 0}, {(i + 1) * kLength, 0, 0}, kMass, 0.05));
      joints.push_back(world.spawn(JointDescription{.name = "joint" + std::to_string(i),
                                                    .kind = JointKind::kHinge,
                                                    .bodyA = last,
                                                    .bodyB = link,
                                                    .anchor = {i * kLength, 0, 0},
                                                    .axis = {0, 1, 0},
                                                    .motor = motor}));
      links.push_back(link);
      last = link;
    }
  }
  double angle(std::size_t i) const { return world.jointCoordinate(joints[i]); }
  /// Torque about hinge i of the weight of what it carries, with the links where they are. Positive
  /// angles about y lower the arm.
  double weight(std::size_t i) const {
    const Coordinate hinge =
        pointOf(world, links[i], {-0.5 * kLength, 0, 0});
    double torque = 0.0;
    for (std::size_t k = i; k < links.size(); ++k) {
      const Coordinate& x = world.inertial(links[k]).getInertialState().position;
      torque += kMass * 9.81 * (x.x() - hinge.x());
    }
    return torque;
  }
};

TEST(Arm, sagsAsStaticsSaysForItsGains) {
  // At rest k q_i = weight about hinge i, at the angles it has.
  Arm arm{{.mode = MotorMode::kPosition, .stiffness = 800.0, .damping = 60.0}};
  for (int i = 0; i < 900; ++i) ASSERT_EQ(arm.world.update(kDt).status, StepStatus::kOk);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(std::fabs(arm.world.jointVelocity(arm.joints[i])), 1e-6);
    EXPECT_NEAR(arm.angle(i), arm.weight(i) / 800.0, 1e-3) << i;
    EXPECT_NEAR(arm.world.motorForce(arm.joints[i]), -arm.weight(i), 1e-3);
  }
  EXPECT_GT(arm.angle(0), 0.08);  // it does sag
}

TEST(Arm, holdsItsPlaceAtTheDefaultFrequency) {
  for (const double most : {std::numeric_limits<double>::infinity(), 200.0}) {
    Arm arm{{.mode = MotorMode::kPosition, .maxForce = most}};
    double worst = 0.0;
    for (int i = 0; i < 600; ++i) {
      ASSERT_EQ(arm.world.update(kDt).status, StepStatus::kOk);
      for (std::size_t k = 0; k < 6; ++k) worst = std::max(worst, std::fabs(arm.angle(k)));
    }
    EXPECT_LT(worst, 1e-2);
    EXPECT_LT(arm.world.lastReport().jointError, 1e-9);
  }
}

TEST(Arm, reachesAnotherPoseAtTheDefaultFrequencyAndHoldsIt) {
  Arm arm{{.mode = MotorMode::kPosition}};
  const double pose[] = {-0.6, 0.4, -0.3, 0.5, -0.7, 0.2};
  for (std::size_t k = 0; k < 6; ++k) arm.world.handle(arm.joints[k]).setTarget(pose[k]);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(arm.world.update(kDt).status, StepStatus::kOk);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(arm.angle(k), pose[k], 1e-3) << k;
}

TEST(TunedMotor, swingsWithItsFrequencyAndTheMechanismBehindIt) {
  // Undamped, without weight. The other five hinges are held by velocity motors: the arm is one rod
  // of 12 kg and 1.8 m about its end, however small the link beside the hinge is.
  Arm arm{{.mode = MotorMode::kVelocity}, 6, kWeightless};
  arm.world.handle(arm.joints[0])
      .setMotor(JointMotor{.mode = MotorMode::kPosition,
                           .target = 0.1,
                           .frequency = 2.0,
                           .dampingRatio = 0.0});
  const double dt = 1.0 / 240.0;
  for (int i = 1; i <= 480; ++i) {
    arm.world.update(dt);
    EXPECT_NEAR(arm.angle(0), 0.1 * (1.0 - std::cos(2.0 * kPi * 2.0 * i * dt)), 2e-3);
  }
}

TEST(Motors, inForceModePushWithTheirForce) {
  Single slider{kWeightless,
                {.kind = JointKind::kSlider, .motor = JointMotor{.mode = MotorMode::kForce, .target = 3.0}}};
  slider.run(1.0);
  EXPECT_NEAR(slider.handle().velocity(), 1.5, 1e-9);
  EXPECT_NEAR(slider.handle().position(), 0.75, 1e-9);
  EXPECT_NEAR(slider.handle().motorForce(), 3.0, 1e-9);
  slider.handle().setTarget(-6.0);
  slider.run(0.5);
  EXPECT_NEAR(slider.handle().velocity(), 0.0, 1e-9);
  slider.handle().setMaxForce(1.0);  // no more than its strength
  slider.run(1.0);
  EXPECT_NEAR(slider.handle().velocity(), -0.5, 1e-9);
}

TEST(Motors, withADampingReachTheirSpeedSoftly) {
  // 2 kg, c = 4: u = 3 (1 - exp(-2 t)).
  Single slider{kWeightless,
                {.kind = JointKind::kSlider,
                 .motor = JointMotor{.mode = MotorMode::kVelocity, .target = 3.0, .damping = 4.0}}};
  slider.run(1.0);
  // Damping is implicit in each phase, first order in h: 1.7e-3 measured.
  EXPECT_NEAR(slider.handle().velocity(), 3.0 * (1.0 - std::exp(-2.0)), 2e-3);
}

TEST(Gear, multipliesForceAndDividesWay) {
  // gear 5: force 2 counts 10 on 2 kg; rotor 0.1 counts 2.5, so that the acceleration is 10/4.5.
  Single slider{kWeightless,
                {.kind = JointKind::kSlider,
                 .motor = JointMotor{
                     .mode = MotorMode::kForce, .target = 2.0, .gear = 5.0, .rotorInertia = 0.1}}};
  slider.run(1.0);
  EXPECT_NEAR(slider.handle().velocity(), 10.0 / 4.5, 1e-9);
  EXPECT_NEAR(slider.handle().motorForce(), 10.0, 1e-9);
  // A target of the motor is gear times that of the joint.
  Single turned{kWeightless,
                {.kind = JointKind::kHinge,
                 .motor = JointMotor{.mode = MotorMode::kPosition,
                                     .target = 2.0,
                                     .stiffness = 1.0,
                                     .damping = 0.3,
                                     .gear = -4.0}}};
  turned.run(10.0);
  EXPECT_NEAR(turned.handle().position(), -0.5, 1e-6);
}

TEST(Armature, countsAsInertiaOfTheCoordinate) {
  // 2 kg and 3 kg of armature under 10 N: 2 m/s².
  Single slider{kWeightless, {.kind = JointKind::kSlider, .armature = 3.0}};
  for (int i = 0; i < 60; ++i) {
    slider.world.applyForce(slider.id, {10, 0, 0});
    const StepReport r = slider.world.update(kDt);
    ASSERT_LT(std::fabs(r.energy.closure()), 1e-9);
    ASSERT_LT(std::fabs(r.energy.jointWork), 1e-9);  // a rotor takes nothing
  }
  EXPECT_NEAR(slider.handle().velocity(), 2.0, 1e-9);
  EXPECT_NEAR(slider.world.lastReport().energy.kinetic, 0.5 * 5.0 * 4.0, 1e-6);
}

TEST(Armature, slowsAPendulumAndKeepsItsEnergy) {
  // Bead of 1 kg at 1 m, armature 3: θ'' = -g/4 θ for small swings, period 2π sqrt(4/g).
  WorldModel world{Settings{.sleeping = false}};
  const double angle = 0.02;
  const BodyId mass = world.spawn(bead("mass", {std::sin(angle), 0, -std::cos(angle)}));
  const JointId hinge = world.spawn(JointDescription{.kind = JointKind::kHinge,
                                                     .bodyB = mass,
                                                     .anchor = {0, 0, 0},
                                                     .axis = {0, -1, 0},
                                                     .armature = 3.0});
  const double omega = std::sqrt(9.81 / 4.0);
  double least = 1e9, most = -1e9;
  for (int i = 1; i <= 1200; ++i) {
    const StepReport r = world.update(kDt);
    least = std::min(least, r.energy.kinetic + r.energy.potential);
    most = std::max(most, r.energy.kinetic + r.energy.potential);
    EXPECT_NEAR(world.jointCoordinate(hinge) + angle, angle * std::cos(omega * i * kDt), 2e-5) << i;
  }
  EXPECT_LT(most - least, 1e-3 * 9.81 * (1.0 - std::cos(angle)));
}

TEST(Damping, ofAFreeCoordinateDecaysAsExp) {
  // 0.1 kg·m² and 0.05 N·m·s/rad: exp(-t/2).
  Single hinge{kWeightless, {.kind = JointKind::kHinge, .damping = 0.05}, 2.0};
  hinge.run(2.0);
  EXPECT_NEAR(hinge.handle().velocity(), 2.0 * std::exp(-1.0), 5e-4);  // 3.8e-4, first order in h
}

TEST(Springs, ofAFreeCoordinateSwingAboutTheirRest) {
  // 2 kg, 50 N/m, from 0 with rest 0.1.
  Single slider{kWeightless, {.kind = JointKind::kSlider, .stiffness = 50.0, .rest = 0.1}};
  for (int i = 1; i <= 600; ++i) {
    const StepReport r = slider.world.update(1.0 / 240.0);
    EXPECT_NEAR(slider.handle().position(), 0.1 * (1.0 - std::cos(5.0 * i / 240.0)), 1e-4);
    EXPECT_NEAR(r.energy.kinetic + r.energy.potential, 0.25, 1e-9);
  }
}

TEST(Joint, canBeChangedWhileItRuns) {
  Settings settings{.sleeping = true};
  settings.gravity = {-10, 0, 0};
  Single slider{settings, {.kind = JointKind::kSlider, .limit = JointLimit{-0.5, 0.5}}};
  slider.run(3.0);
  EXPECT_NEAR(slider.handle().position(), -0.5, 1e-9);
  slider.handle().setLimit(JointLimit{-0.8, 0.5});  // wakes it
  slider.run(3.0);
  EXPECT_NEAR(slider.handle().position(), -0.8, 1e-9);
  slider.handle().setMotor(JointMotor{.mode = MotorMode::kVelocity, .target = 0.25});
  slider.run(1.0);
  EXPECT_NEAR(slider.handle().position(), -0.55, 1e-6);
  EXPECT_NEAR(slider.handle().motorForce(), 20.0, 1e-6);
  slider.handle().setMotor(std::nullopt);
  slider.handle().setFriction(30.0);
  slider.run(1.0);
  EXPECT_NEAR(slider.handle().velocity(), 0.0, 1e-9);
  slider.handle().setFriction(10.0);  // 20 N of weight less 10 on 2 kg
  slider.run(0.1);
  EXPECT_NEAR(slider.handle().velocity(), -0.5, 1e-9);
  EXPECT_THROW(slider.handle().setTarget(1.0), std::invalid_argument);
  EXPECT_THROW(slider.handle().setFriction(-1.0), std::invalid_argument);
  EXPECT_EQ(slider.world.findJoint("drive"), slider.joint);
  EXPECT_THROW((void)slider.world.handle("door"), std::out_of_range);
}

TEST(Joint, changesOfARopeLetItOut) {
  WorldModel world{Settings{.sleeping = false}};
  const BodyId mass = world.spawn(bead("mass", {0, 0, -1}));
  const JointId rope = world.spawn(JointDescription{.kind = JointKind::kRope,
                                                    .bodyB = mass,
                                                    .anchor = {0, 0, 0},
                                                    .anchorB = Coordinate{0, 0, -1}});
  for (int i = 0; i < 30; ++i) world.update(kDt);
  world.handle(rope).setLength(1.5);
  for (int i = 0; i < 120; ++i) world.update(kDt);
  EXPECT_NEAR(world.inertial(mass).getInertialState().position.z(), -1.5, 1e-9);
}

TEST(Joint, snapshotsHoldWhatWasChanged) {
  Arm arm{{.mode = MotorMode::kPosition}};
  arm.world.handle(arm.joints[2]).setTarget(0.3);
  arm.world.handle(arm.joints[1]).setGains(500.0, 20.0);
  for (int i = 0; i < 20; ++i) arm.world.update(kDt);
  const auto bytes = arm.world.snapshot();
  for (int i = 0; i < 20; ++i) arm.world.update(kDt);
  const Hash128 later = arm.world.stateHash();
  arm.world.handle(arm.joints[2]).setTarget(-0.3);
  arm.world.handle(arm.joints[1]).setMotor(std::nullopt);
  arm.world.update(kDt);
  arm.world.restore(bytes);
  EXPECT_EQ(arm.world.joint(arm.joints[2]).motor->target, 0.3);
  EXPECT_EQ(arm.world.joint(arm.joints[1]).motor->stiffness, 500.0);
  for (int i = 0; i < 20; ++i) arm.world.update(kDt);
  EXPECT_EQ(arm.world.stateHash(), later);
}

TEST(Motors, refuseWhatMakesNoSense) {
  WorldModel world;
  const BodyId b = world.spawn(bead("b", {0, 0, 0}));
  const auto make = [&](const JointMotor& motor) {
    world.spawn(JointDescription{.kind = JointKind::kHinge, .bodyB = b, .motor = motor});
  };
  EXPECT_THROW(make({.gear = 0.0}), std::invalid_argument);
  EXPECT_THROW(make({.rotorInertia = -1.0}), std::invalid_argument);
  EXPECT_THROW(make({.mode = MotorMode::kPosition, .damping = 1.0}), std::invalid_argument);
  EXPECT_THROW(make({.mode = MotorMode::kPosition, .stiffness = -1.0}), std::invalid_argument);
  EXPECT_THROW(make({.target = std::nan("")}), std::invalid_argument);
  EXPECT_THROW(world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = b, .armature = 1.0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
