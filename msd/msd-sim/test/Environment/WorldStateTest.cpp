// Bodies by id, forces, impulses, kinematic motion, removal, and what happens to bad input.

#include <gtest/gtest.h>

#include <limits>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Bodies, areFoundByIdAndName) {
  WorldModel world;
  const BodyId floor = addFloor(world);
  const BodyId a = world.spawn(InertialDescription{.name = "a", .shape = Sphere{0.1}});
  const BodyId twin = world.spawn(InertialDescription{.name = "a", .shape = Sphere{0.2}});
  EXPECT_EQ(world.findBody("a"), a);
  EXPECT_EQ(world.findBody("b"), std::nullopt);
  EXPECT_EQ(world.bodies().size(), 3u);
  EXPECT_TRUE(world.isEnvironment(floor));
  EXPECT_FALSE(world.isEnvironment(a));
  EXPECT_FALSE(world.isAwake(floor));
  EXPECT_EQ(world.name(floor), "floor");
  world.remove(a);
  EXPECT_FALSE(world.contains(a));
  EXPECT_EQ(world.findBody("a"), twin);
  EXPECT_THROW((void)world.asset(a), std::out_of_range);
  EXPECT_THROW(world.applyForce(a, {1.0, 0.0, 0.0}), std::out_of_range);
  const BodyId next = world.spawn(InertialDescription{.name = "c", .shape = Sphere{0.1}});
  EXPECT_EQ(next.index, a.index);  // the slot is used again,
  EXPECT_NE(next, a);              // under another name
  EXPECT_FALSE(world.contains(a));
  EXPECT_TRUE(world.contains(next));
  EXPECT_FALSE(world.contains(BodyId{}));
}

TEST(Forces, actForOneStepAndAreWorkInTheLedger) {
  Settings settings;
  settings.gravity.setZero();
  WorldModel world{settings};
  const BodyId id = world.spawn(InertialDescription{.shape = Sphere{0.5}, .mass = 2.0});
  world.applyForce(id, {6.0, 0.0, 0.0});
  const StepReport pushed = world.update(0.1);
  EXPECT_NEAR(world.inertial(id).getInertialState().velocity.x(), 0.3, 1e-15);
  EXPECT_NEAR(world.inertial(id).getInertialState().position.x(), 0.015, 1e-15);
  EXPECT_NEAR(pushed.energy.externalWork, 0.5 * 2.0 * 0.09, 1e-15);
  EXPECT_LE(std::abs(pushed.energy.closure()), 1e-16);
  world.update(0.1);
  EXPECT_NEAR(world.inertial(id).getInertialState().velocity.x(), 0.3, 1e-15);

  // J at an arm of 0.5 m: v = J/m, ω = 0.5 J/I with I = ⅖ m r².
  world.setVelocity(id, CoordinateRate::Zero(), AngularRate::Zero());
  const Coordinate centre = world.inertial(id).getInertialState().position;
  world.applyImpulseAt(id, {0.0, 4.0, 0.0}, centre + Vector3D{0.5, 0.0, 0.0});
  const InertialState& s = world.inertial(id).getInertialState();
  EXPECT_NEAR(s.velocity.y(), 2.0, 1e-15);
  EXPECT_NEAR(s.angularVelocity.z(), 2.0 / (0.4 * 2.0 * 0.25), 1e-13);
  const StepReport kicked = world.update(0.1);
  const double gained = world.inertial(id).kineticEnergy() - pushed.energy.kinetic;
  EXPECT_NEAR(kicked.energy.externalWork, gained, 1e-13);
  EXPECT_LE(std::abs(kicked.energy.closure()), 1e-13);
}

TEST(Forces, atAPointTurnTheBody) {
  Settings settings;
  settings.gravity.setZero();
  WorldModel world{settings};
  const BodyId id = world.spawn(InertialDescription{.shape = Sphere{0.5}, .mass = 2.0});
  world.applyForceAt(id, {0.0, 3.0, 0.0}, {0.5, 0.0, 0.0});
  const StepReport report = world.update(0.01);
  EXPECT_NEAR(report.energy.externalWork, world.inertial(id).kineticEnergy(), 1e-16);
  EXPECT_LE(std::abs(report.energy.closure()), 1e-17);
  EXPECT_NEAR(world.inertial(id).getInertialState().angularVelocity.z(),
              0.01 * 1.5 / (0.4 * 2.0 * 0.25), 1e-14);
}

TEST(BadInput, isRefusedWithTheNameOfTheQuantity) {
  WorldModel world;
  const BodyId floor = addFloor(world);
  const BodyId ball = world.spawn(InertialDescription{.name = "ball", .shape = Sphere{0.1}});
  const BodyId lift = world.spawn(InertialDescription{
      .name = "lift", .shape = Box{{1, 1, 1}}, .position = {5, 5, 5}, .kinematic = true});
  const auto before = world.stateHash();
  const auto refuses = [&](const char* word, const std::function<void()>& act) {
    try {
      act();
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
    }
  };
  refuses("force", [&] { world.applyForce(ball, {kNan, 0, 0}); });
  refuses("point", [&] { world.applyForceAt(ball, {1, 0, 0}, {0, kNan, 0}); });
  refuses("torque", [&] { world.applyTorque(ball, {0, 0, 1.0 / 0.0}); });
  refuses("impulse", [&] { world.applyImpulseAt(ball, {kNan, 0, 0}, {0, 0, 0}); });
  refuses("environment", [&] { world.applyForce(floor, {1, 0, 0}); });
  refuses("kinematic", [&] { world.applyForce(lift, {1, 0, 0}); });
  refuses("kinematic", [&] { world.moveTo(ball, Pose{}, kDt); });
  refuses("dt", [&] { world.moveTo(lift, Pose{}, 0.0); });
  refuses("orientation", [&] {
    Pose pose;
    pose.orientation = Quaternion{2, 0, 0, 0};
    world.moveTo(lift, pose, kDt);
  });
  refuses("linear", [&] { world.setVelocity(ball, {kNan, 0, 0}, {0, 0, 0}); });
  refuses("angular", [&] { world.setVelocity(ball, {0, 0, 0}, {kNan, 0, 0}); });
  refuses("position", [&] {
    InertialState state;
    state.position.x() = kNan;
    world.setState(ball, state);
  });
  refuses("environment", [&] { world.setState(floor, InertialState{}); });
  refuses("dt", [&] { world.update(-0.1); });
  refuses("dt", [&] { world.update(kNan); });
  refuses("dt", [&] { world.update(2.0); });
  refuses("dt", [&] { world.update(1e-12); });
  refuses("dt", [&] { (void)world.computeVelocityBias(-1.0); });
  refuses("potential", [&] { world.addPotential(nullptr); });
  refuses("gravity", [&] {
    Settings settings;
    settings.gravity.x() = kNan;
    world.setSettings(settings);
  });
  refuses("direction", [&] { (void)world.rayCast(Ray{.direction = {0, 0, 0}}); });
  refuses("origin", [&] { (void)world.rayCast(Ray{.origin = {kNan, 0, 0}}); });
  refuses("maxDistance", [&] { (void)world.closestPoint({0, 0, 0}, -1.0); });
  EXPECT_EQ(world.stateHash(), before);
  EXPECT_EQ(world.stepCount(), 0u);
}

TEST(UpdateZero, looksWithoutMoving) {
  WorldModel world;
  addFloor(world);
  const BodyId cube = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}}, .position = {0, 0, 0.499}, .linearVelocity = {0, 0, -1}});
  const auto before = world.stateHash();
  const StepReport report = world.update(0.0);
  EXPECT_EQ(world.stateHash(), before);
  EXPECT_EQ(world.stepCount(), 0u);
  EXPECT_EQ(report.contacts, 4u);
  EXPECT_NEAR(report.deepestPenetration, 1e-3, 1e-12);
  EXPECT_NEAR(report.energy.kinetic, 0.5 * world.inertial(cube).getMass(), 1e-9);
  EXPECT_EQ(report.energy.change, 0.0);
  const auto contacts = world.contacts(cube);
  ASSERT_EQ(contacts.size(), 4u);
  for (const ContactRecord& c : contacts) {
    EXPECT_NEAR(c.gap, -1e-3, 1e-12);
    EXPECT_EQ(c.forceOnB.norm(), 0.0);
    EXPECT_EQ(c.state, ContactState::kOpen);
  }
}

TEST(UpdateZero, doesNotDisturbTheSimulation) {
  WorldModel a, b;
  addWall(a, 3, 3);
  addWall(b, 3, 3);
  for (int i = 0; i < 60; ++i) {
    a.update(kDt);
    b.update(kDt);
    b.update(0.0);
    ASSERT_EQ(a.stateHash(), b.stateHash()) << i;
  }
}

TEST(Kinematic, reachesItsTargetExactlyAndStops) {
  WorldModel world;
  const BodyId id = world.spawn(
      InertialDescription{.shape = Box{{0.5, 0.2, 0.1}}, .position = {1, 2, 3}, .kinematic = true});
  Pose pose{{1.5, 2.25, 2.0}, Quaternion{0.8, 0.0, 0.6, 0.0}};
  world.moveTo(id, pose, kDt);
  world.update(kDt);
  const Pose& frame = world.asset(id).pose();
  EXPECT_LT((frame.position - pose.position).norm(), 1e-15);
  EXPECT_EQ(frame.orientation.coeffs(), pose.orientation.coeffs());
  EXPECT_NEAR(world.inertial(id).getInertialState().velocity.x(), 30.0, 1e-12);
  world.update(kDt);
  EXPECT_LT((world.asset(id).pose().position - pose.position).norm(), 1e-15);
  EXPECT_EQ(world.inertial(id).getInertialState().velocity.norm(), 0.0);
}

TEST(Kinematic, pushesWhatIsInItsWayAndTheWorkIsExternal) {
  Settings settings;
  settings.sleeping = false;
  WorldModel world{settings};
  addFloor(world);
  const BodyId piston = world.spawn(InertialDescription{.shape = Box{{0.1, 0.5, 0.5}},
                                                        .position = {-1.0, 0.0, 0.6},
                                                        .linearVelocity = {0.5, 0.0, 0.0},
                                                        .friction = 0.0,
                                                        .kinematic = true});
  const BodyId cube = world.spawn(InertialDescription{
      .shape = Box{{0.25, 0.25, 0.25}}, .position = {0.0, 0.0, 0.25}, .restitution = 0.0});
  double external = 0.0, friction = 0.0, integrator = 0.0;
  for (int i = 0; i < 240; ++i) {
    const StepReport r = world.update(kDt);
    external += r.energy.externalWork;
    friction += r.energy.frictionWork;
    integrator += r.energy.integratorError;
    ASSERT_LE(std::abs(r.energy.closure()), 1e-9 * 100.0);
  }
  const double x = world.inertial(cube).getInertialState().position.x();
  EXPECT_NEAR(x, -1.0 + 4.0 * 0.5 + 0.1 + 0.25, 1e-3);  // pushed to where the piston is
  EXPECT_NEAR(world.inertial(piston).getInertialState().position.x(), 1.0, 1e-12);
  EXPECT_NEAR(world.inertial(cube).getInertialState().velocity.x(), 0.5, 1e-3);
  // μ m g times the way it was pushed.
  const double work = 0.5 * world.inertial(cube).getMass() * 9.81 * x;
  EXPECT_NEAR(-friction, work, 0.02 * work);
  EXPECT_NEAR(external, -friction + world.inertial(cube).kineticEnergy(), 0.03 * work);
  EXPECT_LT(std::abs(integrator), 0.02 * work);
}

// A ball at rest is met by a kinematic one at speed v and goes on with it: the impulse m v does the work
// m v · v, of which half is kinetic energy and half is lost. Which body was made first does not matter.
TEST(Kinematic, workDoesNotDependOnWhichBodyWasMadeFirst) {
  for (const bool pusherFirst : {true, false}) {
    WorldModel world{Settings{.gravity = {0, 0, 0}, .sleeping = false}};
    const auto spawnPusher = [&] {
      world.spawn(InertialDescription{.shape = Sphere{0.5},
                                      .position = {-1.1, 0.0, 0.0},
                                      .linearVelocity = {2.0, 0.0, 0.0},
                                      .restitution = 0.0,
                                      .kinematic = true});
    };
    if (pusherFirst) spawnPusher();
    const BodyId ball =
        world.spawn(InertialDescription{.shape = Sphere{0.5}, .mass = 3.0, .restitution = 0.0});
    if (!pusherFirst) spawnPusher();
    double external = 0.0, normal = 0.0;
    for (int i = 0; i < 20; ++i) {
      const StepReport r = world.update(kDt);
      external += r.energy.externalWork;
      normal += r.energy.normalWork;
      EXPECT_LT(std::abs(r.energy.closure()), 1e-12);
    }
    EXPECT_NEAR(world.inertial(ball).getInertialState().velocity.x(), 2.0, 1e-9);
    EXPECT_NEAR(external, 3.0 * 2.0 * 2.0, 1e-6) << pusherFirst;
    EXPECT_NEAR(normal, -0.5 * 3.0 * 2.0 * 2.0, 1e-6);
  }
}

TEST(Removal, wakesAndDropsWhatLeantOnTheBody) {
  WorldModel world;
  addFloor(world);
  const BodyId lower = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}}, .position = {0, 0, 0.5}, .restitution = 0.0});
  const BodyId upper = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.5}}, .position = {0, 0, 1.5}, .restitution = 0.0});
  for (int i = 0; i < 120; ++i) world.update(kDt);
  ASSERT_FALSE(world.isAwake(upper));
  world.remove(lower);
  EXPECT_TRUE(world.isAwake(upper));
  world.update(kDt);
  bool ended = false;
  for (const ContactEvent& e : world.events()) {
    ended = ended || (e.kind == ContactEventKind::kEnd && e.bodyA == lower && e.bodyB == upper);
  }
  EXPECT_TRUE(ended);
  for (int i = 0; i < 120; ++i) world.update(kDt);
  EXPECT_NEAR(world.inertial(upper).getInertialState().position.z(), 0.5, 1e-3);
  for (int i = 0; i < 100; ++i) {  // slots are used again and again
    const BodyId id = world.spawn(InertialDescription{.shape = Sphere{0.2}, .position = {0, 0, 3}});
    world.update(kDt);
    world.remove(id);
  }
  EXPECT_LE(WorldAccess::of(world).slots.size(), 5u);
  EXPECT_EQ(world.bodies().size(), 2u);
}

TEST(NonFinite, stepIsReportedAndUndone) {
  class Bad final : public PotentialEnergy {
   public:
    [[nodiscard]] Force computeForce(const InertialState& s, double) const override {
      return s.position.z() < 0.9 ? Force{kNan, 0, 0} : Force::Zero();
    }
    [[nodiscard]] double computeEnergy(const InertialState&, double) const override { return 0.0; }
  };
  WorldModel world;
  world.addPotential(std::make_unique<Bad>());
  const BodyId id = world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = {0, 0, 1}});
  StepReport report;
  int good = 0;
  for (; good < 100; ++good) {
    report = world.update(kDt);
    if (report.status != StepStatus::kOk) break;
  }
  EXPECT_EQ(report.status, StepStatus::kFailed);
  EXPECT_EQ(report.failedBody, id);
  const auto stuck = world.stateHash();
  EXPECT_EQ(world.stepCount(), static_cast<std::uint64_t>(good));
  world.update(kDt);
  EXPECT_EQ(world.stateHash(), stuck);
  InertialState state = world.inertial(id).getInertialState();
  state.position.z() = 10.0;
  world.setState(id, state);
  EXPECT_EQ(world.update(kDt).status, StepStatus::kOk);
}

TEST(Settings, canChangeBetweenSteps) {
  WorldModel world;
  addWall(world, 3, 3);
  for (int i = 0; i < 10; ++i) world.update(kDt);
  Settings settings = world.settings();
  settings.threads = 3;
  settings.gravity = {0.0, 0.0, -1.6};
  settings.substeps = 8;
  world.setSettings(settings);
  EXPECT_EQ(world.settings().threads, 3);
  EXPECT_EQ(world.update(kDt).substeps, 8u);
}

// What is refused changes nothing: neither the threads nor who sleeps.
TEST(Settings, thatAreRefusedChangeNothing) {
  WorldModel world;
  addFloor(world);
  const BodyId ball = world.spawn(InertialDescription{
      .name = "ball", .shape = Sphere{0.5}, .position = {0, 0, 0.5}, .contactStiffness = 1e7, .contactDamping = 1e5});
  for (int i = 0; i < 120; ++i) world.update(kDt);
  ASSERT_FALSE(world.isAwake(ball));
  Settings settings = world.settings();
  settings.method = Method::kExact;  // knows no surfaces that give way
  settings.gravity = {0.0, 0.0, -1.6};
  settings.threads = 2;
  EXPECT_THROW(world.setSettings(settings), std::invalid_argument);
  EXPECT_EQ(world.settings().threads, 1);
  EXPECT_FALSE(world.isAwake(ball));
  settings.method = Method::kFast;
  world.setSettings(settings);
  EXPECT_TRUE(world.isAwake(ball));  // what rests under one gravity need not under another
}

// v_frame = v_centre - ω × R c, with the centre of mass c away from the frame's origin.
TEST(Bodies, velocityOfTheFrameIsTheOneTheyWereGiven) {
  WorldModel world{Settings{.gravity = {0, 0, 0}}};
  const BodyId id = world.spawn(InertialDescription{.shape = Sphere{0.5},
                                                    .mass = 1.0,
                                                    .centreOfMass = Coordinate{0.2, 0.1, 0.0},
                                                    .orientation = Quaternion{0.6, 0.0, 0.0, 0.8},
                                                    .linearVelocity = {1.0, 2.0, 3.0},
                                                    .angularVelocity = {0.0, 0.0, 5.0}});
  EXPECT_NEAR((world.frameVelocity(id) - Vector3D{1.0, 2.0, 3.0}).norm(), 0.0, 1e-15);
  // R c = (-0.28 0.2 - 0.96 0.1, 0.96 0.2 - 0.28 0.1, 0): the centre moves by ω × R c more.
  const Vector3D arm{-0.28 * 0.2 - 0.96 * 0.1, 0.96 * 0.2 - 0.28 * 0.1, 0.0};
  const Vector3D centre = Vector3D{1.0, 2.0, 3.0} + Vector3D{0.0, 0.0, 5.0}.cross(arm);
  EXPECT_NEAR((world.inertial(id).getInertialState().velocity - centre).norm(), 0.0, 1e-15);
}

}  // namespace
}  // namespace msd_sim::test
