// A copy of a world that holds everything a world can hold is that world again: the same snapshot,
// the same answers, and the same bytes after each of 100 further steps.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/JointHandle.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldCopy.hpp"
#include "msd-sim/src/Physics/Constraints/DistanceConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

void run(WorldModel& world, int steps) {
  for (int i = 0; i < steps; ++i)
    ASSERT_NE(world.update(kDt).status, StepStatus::kFailed) << "step " << i;
}

/// Which features a method refuses.
bool takesSurfaces(Method method) {
  return method == Method::kFast;
}

/// A hinge, slider or other joint from the world to a capsule of its own, far from the rest.
JointId addSwing(WorldModel& world, JointDescription joint, int place) {
  const Coordinate at{12.0 + 1.5 * place, 0.0, 3.0};
  joint.name = "swing " + std::to_string(place);
  joint.bodyB = world.spawn(InertialDescription{.name = "of " + joint.name,
                                                .shape = Capsule{0.1, 0.3},
                                                .position = at + Coordinate{0.4, 0.0, 0.0},
                                                .angularVelocity = {0.0, 0.3, 0.2}});
  joint.anchor = at;
  joint.axis = {0.0, 1.0, 0.0};
  joint.axisB = {1.0, 0.0, 0.0};
  if (joint.kind == JointKind::kDistance || joint.kind == JointKind::kRope ||
      joint.kind == JointKind::kSpring) {
    joint.anchorB = at + Coordinate{0.4, 0.0, 0.0};
  }
  return world.spawn(joint);
}

/// Every kind of joint, every mode of a motor, stops, springs, friction, rotors, one that breaks,
/// one that is gone.
void addJoints(WorldModel& world) {
  constexpr double kNone = JointMotor::kUnset;
  const JointMotor motors[] = {
      {.mode = MotorMode::kVelocity, .target = 2.0, .maxForce = 5.0},
      {.mode = MotorMode::kVelocity, .target = -1.0, .damping = 0.7, .feedForward = 0.1},
      {.mode = MotorMode::kPosition, .target = 0.6, .frequency = 2.0, .dampingRatio = 0.5},
      {.mode = MotorMode::kPosition,
       .target = -0.4,
       .stiffness = 30.0,
       .damping = 2.0,
       .gear = 3.0,
       .rotorInertia = 0.01},
      {.mode = MotorMode::kForce, .target = 0.8, .stiffness = kNone}};
  int place = 0;
  for (const JointMotor& motor : motors) {
    for (const JointKind kind : {JointKind::kHinge, JointKind::kSlider}) {
      addSwing(world,
               {.kind = kind, .limit = JointLimit{-1.0, 1.2}, .motor = motor, .friction = 0.05},
               place++);
    }
  }
  for (const JointKind kind : {JointKind::kBall, JointKind::kCylindrical, JointKind::kUniversal,
                               JointKind::kFixed, JointKind::kDistance, JointKind::kRope}) {
    addSwing(world, {.kind = kind}, place++);
  }
  addSwing(world, {.kind = JointKind::kSpring, .length = 0.3, .stiffness = 80.0, .damping = 0.5},
           place++);
  addSwing(
      world,
      {.kind = JointKind::kHinge, .stiffness = 4.0, .damping = 0.1, .rest = 0.3, .armature = 0.02},
      place++);
  addSwing(world, {.kind = JointKind::kBall, .breakingForce = 1.0}, place++);
  world.remove(addSwing(world, {.kind = JointKind::kBall}, place++));
}

/// Bodies of every shape, some driven, damped, soft, carried, rolling, fast, filtered, forced,
/// gone.
void addBodies(WorldModel& world, Method method) {
  addHeap(world, 10);
  Random random{5};
  const auto spawn = [&](InertialDescription d) {
    d.position += Coordinate{-6.0, 0.0, 0.0};
    return world.spawn(d);
  };
  world.spawn(EnvironmentDescription{
      .shape = Plane{{0, 0, 1}, -0.4}, .friction = 0.6, .rollingResistance = 0.01});
  if (takesSurfaces(method)) {
    world.spawn(EnvironmentDescription{.name = "belt",
                                       .shape = Box{{1.0, 0.5, 0.1}},
                                       .position = {-6.0, 2.0, 0.0},
                                       .surfaceVelocity = {0.4, 0.0, 0.0}});
    spawn({.name = "carried", .shape = Box{{0.2, 0.2, 0.2}}, .position = {0.0, 2.0, 0.31}});
    spawn({.name = "soft",
           .shape = Sphere{0.3},
           .position = {0.0, 4.0, 0.2},
           .contactStiffness = 2e4,
           .contactDamping = 30.0});
    spawn({.name = "wheel",
           .shape = Sphere{0.2},
           .position = {0.0, 5.0, 0.0},
           .surfaceVelocity = {0.1, 0.0, 0.0}});
  }
  spawn({.name = "driven",
         .shape = Box{{0.4, 0.4, 0.05}},
         .position = {0.0, -2.0, 0.2},
         .kinematic = true});
  spawn({.name = "rider", .shape = Box{{0.1, 0.1, 0.1}}, .position = {0.0, -2.0, 0.36}});
  spawn({.name = "damped",
         .shape = lump(random, 12, 0.2),
         .position = {0.0, -4.0, 1.0},
         .linearVelocity = {1.0, 0.0, 0.0},
         .linearDamping = 0.4,
         .angularDamping = 0.9});
  spawn({.name = "roller",
         .shape = Cylinder{0.2, 0.2},
         .position = {0.0, -5.0, 0.1},
         .linearVelocity = {0.5, 0.5, 0.0},
         .rollingResistance = 0.02,
         .torsionalResistance = 0.01});
  spawn({.name = "bullet",
         .shape = Sphere{0.05},
         .position = {0.0, -6.0, 1.0},
         .linearVelocity = {30.0, 0.0, -20.0},
         .continuous = true});
  spawn({.name = "ghost", .shape = Sphere{0.1}, .position = {0.0, -7.0, 1.0}, .collides = false});
  spawn({.name = "choosy",
         .shape = Sphere{0.1},
         .position = {0.0, -8.0, 0.5},
         .filter = {.layer = 2, .mask = 5}});
  spawn({.name = "tired",
         .shape = Box{{0.2, 0.2, 0.2}},
         .position = {0.0, 7.0, -0.2},
         .restitution = 0.0});
  spawn({.name = "lively",
         .shape = Box{{0.2, 0.2, 0.2}},
         .position = {0.0, 8.0, -0.2},
         .maySleep = false});
  const BodyId held = spawn({.name = "held", .shape = Sphere{0.1}, .position = {4.0, 9.0, 2.0}});
  const Coordinate above{-2.0, 9.0, 3.0};
  world.addConstraint(std::make_unique<DistanceConstraint>(1.0, 0, 10.0, 10.0, above), held);
  world.remove(spawn({.shape = Sphere{0.1}, .position = {0.0, 0.0, 9.0}}));
}

WorldModel makeFullWorld(Method method) {
  Settings settings;
  settings.method = method;
  settings.combine = [](const SurfaceMaterial& a, const SurfaceMaterial& b) {
    SurfaceMaterial pair = a;
    pair.friction = std::sqrt(a.friction * b.friction);
    pair.restitution = std::min(a.restitution, b.restitution);
    pair.rollingResistance = a.rollingResistance + b.rollingResistance;
    pair.torsionalResistance = std::max(a.torsionalResistance, b.torsionalResistance);
    return pair;
  };
  WorldModel world{settings};
  addBodies(world, method);
  addJoints(world);
  world.addPotential(std::make_unique<GravityPotential>(Acceleration{0.05, 0.0, 0.0}));
  world.addPotential(std::make_unique<PointGravityPotential>(Coordinate{0, 0, 50}, 20.0, 1.0));
  world.addPotential(
      std::make_unique<AnchorSpringPotential>(Coordinate{0, 0, 5}, Coordinate{0, 0, 0}, 0.01, 0.2));
  world.setContactCallback([](ContactChange& contact) {
    if (contact.point.y() > 4.7 && contact.point.y() < 5.3) contact.friction *= 0.5;
  });
  return world;
}

/// What the user does between two steps, to be done to a world and its copy alike.
void meddle(WorldModel& world, int step) {
  const BodyId driven = *world.findBody("driven");
  world.moveTo(driven, Pose{{-6.0 + 0.01 * step, -2.0, 0.2}, Quaternion::Identity()}, kDt);
  if (step % 10 == 3) world.applyForce(*world.findBody("roller"), {3.0, 1.0, 0.0});
  if (step % 10 == 5) world.setMotorTarget(*world.findJoint("swing 4"), 0.1 * (step % 5));
  if (step % 25 == 7) world.handle("swing 17").setSpring(5.0 + step, 0.1);
}

void expectSameAnswers(const WorldModel& copy, const WorldModel& world) {
  ASSERT_TRUE(std::ranges::equal(copy.bodies(), world.bodies()));
  ASSERT_TRUE(std::ranges::equal(copy.joints(), world.joints()));
  for (const BodyId body : world.bodies()) {
    EXPECT_EQ(copy.name(body), world.name(body));
    EXPECT_EQ(copy.isAwake(body), world.isAwake(body));
    EXPECT_EQ(copy.island(body), world.island(body));
  }
  for (const JointId joint : world.joints()) {
    EXPECT_EQ(copy.isBroken(joint), world.isBroken(joint));
    EXPECT_EQ(copy.jointCoordinate(joint), world.jointCoordinate(joint));
    EXPECT_EQ(copy.jointVelocity(joint), world.jointVelocity(joint));
    EXPECT_EQ(copy.motorForce(joint), world.motorForce(joint));
    EXPECT_EQ(copy.jointReaction(joint).force, world.jointReaction(joint).force);
    EXPECT_EQ(copy.joint(joint).motor.has_value(), world.joint(joint).motor.has_value());
    EXPECT_EQ(copy.joint(joint).name, world.joint(joint).name);
  }
  ASSERT_EQ(copy.contacts().size(), world.contacts().size());
  for (std::size_t i = 0; i < world.contacts().size(); ++i) {
    EXPECT_EQ(copy.contacts()[i].bodyA, world.contacts()[i].bodyA);
    EXPECT_EQ(copy.contacts()[i].forceOnB, world.contacts()[i].forceOnB);
    EXPECT_EQ(copy.contacts()[i].point, world.contacts()[i].point);
  }
  EXPECT_EQ(copy.constraintForce(0), world.constraintForce(0));
  EXPECT_EQ(copy.events().size(), world.events().size());
  EXPECT_EQ(copy.lastReport().energy.change, world.lastReport().energy.change);
  EXPECT_EQ(copy.lastReport().contacts, world.lastReport().contacts);
  if (world.settings().method == Method::kExact) {
    EXPECT_EQ(copy.frictionProblem().contactCount(), world.frictionProblem().contactCount());
  }
}

TEST(CloneAll, ofEveryFeatureGoesOnWithTheSameBytes) {
  for (const Method method : {Method::kFast, Method::kExact, Method::kReference}) {
    SCOPED_TRACE(static_cast<int>(method));
    WorldModel world = makeFullWorld(method);
    for (const int until : {0, 7, 90}) {  // made, falling, some asleep and one joint broken
      SCOPED_TRACE(until);
      run(world, until);
      world.applyImpulseAt(*world.findBody("damped"), {0.1, 0.0, 0.0}, {0.0, 0.0, 0.5});
      world.applyForce(*world.findBody("rider"), {0.2, 0.0, 0.0});
      WorldModel copy = cloneWorld(world);
      ASSERT_EQ(copy.snapshot(), world.snapshot());
      expectSameAnswers(copy, world);
      for (int i = 0; i < 100; ++i) {
        meddle(world, i);
        meddle(copy, i);
        world.update(kDt);
        copy.update(kDt);
        ASSERT_EQ(copy.snapshot(), world.snapshot()) << "step " << i;
      }
      expectSameAnswers(copy, world);
      // What is made next gets the same ids in both.
      const InertialDescription next{.shape = Sphere{0.2}, .position = {9.0, 9.0, 9.0}};
      EXPECT_EQ(copy.spawn(next), world.spawn(next));
      const JointDescription joint{.bodyB = world.bodies().back(), .anchor = {9.0, 9.0, 9.0}};
      EXPECT_EQ(copy.spawn(joint), world.spawn(joint));
    }
    EXPECT_TRUE(world.isBroken(*world.findJoint("swing 18")));
  }
}

TEST(CloneAll, keepsWhatTheFirstWorldWouldSayOfItsSurfaces) {
  WorldModel world = makeFullWorld(Method::kFast);
  const Simulation& from = WorldAccess::of(world);
  WorldModel copy = cloneWorld(world);
  const Simulation& to = WorldAccess::of(copy);
  EXPECT_EQ(to.specialBodies, from.specialBodies);
  EXPECT_EQ(to.specialBodies, 3u);
  for (std::size_t i = 0; i < from.slots.size(); ++i) {
    EXPECT_EQ(to.slots[i].special, from.slots[i].special);
    EXPECT_EQ(to.slots[i].surfaceVelocity, from.slots[i].surfaceVelocity);
  }
  EXPECT_TRUE(to.contactCallback);
}

// Constraints of the user's own are the copy's own.
TEST(CloneAll, outlivesTheWorldItWasMadeFrom) {
  WorldModel copy;
  {
    WorldModel world = makeFullWorld(Method::kFast);
    run(world, 5);
    copy = cloneWorld(world);
  }
  run(copy, 20);
}

// Joints that were changed are described as they are, in a world that a snapshot is restored to.
TEST(CloneAll, describesJointsAsTheSnapshotHasThem) {
  WorldModel world = makeFullWorld(Method::kFast);
  WorldModel other = cloneWorld(world);
  world.handle("swing 17").setSpring(9.0, 0.2);
  world.handle("swing 17").setArmature(0.5);
  world.handle("swing 15").setLength(0.9);
  other.restore(world.snapshot());
  const JointDescription& hinge = other.handle("swing 17").description();
  EXPECT_EQ(hinge.stiffness, 9.0);
  EXPECT_EQ(hinge.rest, 0.2);
  EXPECT_EQ(hinge.armature, 0.5);
  EXPECT_EQ(other.handle("swing 15").description().length, 0.9);
}

// Where no step of this method has been taken there is no problem to tell of.
TEST(CloneAll, hasNoFrictionProblemBeforeItsFirstExactStep) {
  WorldModel world;
  addHeap(world, 10);
  run(world, 60);
  Settings settings = world.settings();
  settings.method = Method::kExact;
  world.setSettings(settings);
  EXPECT_EQ(world.frictionProblem().contactCount(), 0);
  run(world, 1);
  EXPECT_GT(world.frictionProblem().contactCount(), 0);
  const std::vector<std::byte> bytes = world.snapshot();
  world.restore(bytes);
  EXPECT_EQ(world.frictionProblem().contactCount(), 0);
}

}  // namespace
}  // namespace msd_sim::test
