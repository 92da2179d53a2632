// Three methods, one model: what all of them must do alike. Values measured stand beside
// tolerances.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_sim {
namespace {

constexpr double kG = 9.81;

class EveryMethod : public testing::TestWithParam<Method> {
 protected:
  [[nodiscard]] static Settings settings(const Acceleration& gravity = {0, 0, -kG}) {
    return Settings{.gravity = gravity, .method = GetParam(), .sleeping = false};
  }
  [[nodiscard]] static bool isReference() { return GetParam() == Method::kReference; }
};

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         testing::Values(Method::kFast, Method::kExact, Method::kReference),
                         [](const auto& p) { return std::string{methodName(p.param)}; });

const InertialState& stateOf(const WorldModel& world, BodyId body) {
  return world.inertial(body).getInertialState();
}

BodyId addFloor(WorldModel& world, double mu, double e) {
  return world.spawn(EnvironmentDescription{
      .shape = Box{{50, 50, 1}}, .position = {0, 0, -1}, .friction = mu, .restitution = e});
}

/// What is left where impulses cancel in a world whose bodies have no energy [J]: rounding, 9.1e-17
/// J measured.
constexpr double kRounding = 1e-15;

/// The ledger closes in every step, to 1e-9 of the scene's energies.
void step(WorldModel& world, double dt) {
  const StepReport report = world.update(dt);
  ASSERT_EQ(report.status, StepStatus::kOk);
  ASSERT_LE(std::abs(report.energy.closure()), 1e-9 * report.energy.scale + kRounding);
}

TEST_P(EveryMethod, contactForcesCarryTheWeight) {
  WorldModel world{settings()};
  const BodyId floor = addFloor(world, 0.6, 0.0);
  for (int i = 0; i < 3; ++i) {
    world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}},
                                    .mass = 2.0,
                                    .position = {0, 0, i + 0.5},
                                    .friction = 0.6,
                                    .restitution = 0.0});
  }
  for (int i = 0; i < 120; ++i) step(world, 1.0 / 60.0);
  Force sum = Force::Zero();
  for (const ContactRecord& c : world.contacts(floor))
    sum += c.bodyA == floor ? c.forceOnB : Force{-c.forceOnB};
  EXPECT_NEAR(sum.z(), 6.0 * kG, 1e-5 * 6.0 * kG);
  EXPECT_LT(std::hypot(sum.x(), sum.y()), 1e-4 * 6.0 * kG);
  EXPECT_EQ(world.lastReport().islands, 1u);
}

TEST_P(EveryMethod, slidingStopsAtTheCoulombDistance) {
  WorldModel world{settings()};
  addFloor(world, 0.4, 0.0);
  const BodyId block = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.1}},
                                                       .position = {0, 0, 0.1},
                                                       .linearVelocity = {3, 0, 0},
                                                       .friction = 0.4,
                                                       .restitution = 0.0});
  for (int i = 0; i < 240; ++i) step(world, 1.0 / 240.0);
  const double expected = 9.0 / (2.0 * 0.4 * kG);  // 1.1468 m
  // Reference: short by ½ v dt = 6.2e-3 m, first order in time.
  EXPECT_NEAR(stateOf(world, block).position.x(), expected, isReference() ? 6.5e-3 : 1e-4);
  EXPECT_LT(stateOf(world, block).velocity.norm(), 1e-6);
}

TEST_P(EveryMethod, pendulumSwingsInItsPeriod) {
  // Small swings of a ball on a rod: T = 2π √((l² + ⅖ r²)/(g l)).
  WorldModel world{settings()};
  const double angle = 0.05, radius = 0.1;
  const BodyId bob =
      world.spawn(InertialDescription{.shape = Sphere{radius},
                                      .position = {std::sin(angle), 0, -std::cos(angle)},
                                      .collides = false});
  world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = bob, .anchor = {0, 0, 0}});
  const double period = 2.0 * std::numbers::pi * std::sqrt((1.0 + 0.4 * radius * radius) / kG) *
                        (1.0 + angle * angle / 16.0);
  const double dt = period / 400.0;
  for (int i = 0; i < 400; ++i) step(world, dt);
  EXPECT_NEAR(stateOf(world, bob).position.x(), std::sin(angle), isReference() ? 5e-4 : 1e-5);
  EXPECT_LT(world.lastReport().jointError, 1e-9);
}

TEST_P(EveryMethod, motorTurnsAndLimitsStop) {
  WorldModel world{settings({0, 0, 0})};
  const auto hinge = [&](double y, std::optional<JointMotor> motor,
                         std::optional<JointLimit> limit) {
    const BodyId door = world.spawn(InertialDescription{
        .shape = Box{{0.5, 0.05, 0.5}}, .position = {0.5, y, 0}, .collides = false});
    return world.spawn(JointDescription{.kind = JointKind::kHinge,
                                        .bodyB = door,
                                        .anchor = {0, y, 0},
                                        .axis = {0, 0, 1},
                                        .limit = limit,
                                        .motor = motor});
  };
  const JointId driven = hinge(0.0, JointMotor{.target = 1.0}, std::nullopt);
  const JointId stopped =
      hinge(5.0, JointMotor{.target = 1.0, .maxForce = 500.0}, JointLimit{-0.2, 0.3});
  for (int i = 0; i < 120; ++i) step(world, 1.0 / 120.0);
  EXPECT_NEAR(world.jointCoordinate(driven), 1.0, 1e-2);
  EXPECT_NEAR(world.jointCoordinate(stopped), 0.3, 1e-3);
  EXPECT_NEAR(std::abs(world.jointReaction(stopped).torque.z()), 0.0, 1.0);  // motor and stop
}

/// A link of 2 kg on a hinge, stretched out: its weight turns with m g l about the hinge.
JointId addLink(WorldModel& world, double y, const JointMotor& motor) {
  const BodyId link = world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.04, 0.04}}, .mass = 2.0, .position = {0.5, y, 0}, .collides = false});
  return world.spawn(JointDescription{.kind = JointKind::kHinge,
                                      .bodyB = link,
                                      .anchor = {0, y, 0},
                                      .axis = {0, -1, 0},
                                      .motor = motor});
}

TEST_P(EveryMethod, motorsWithGainsSagAsStaticsSays) {
  // stiffness·(0 − q) carries m g l cos q. A motor tuned to a frequency carries the load and
  // stands.
  WorldModel world{settings()};
  const JointId sags =
      addLink(world, 0.0, {.mode = MotorMode::kPosition, .stiffness = 400.0, .damping = 80.0});
  const JointId stands = addLink(world, 2.0, {.mode = MotorMode::kPosition});
  const JointId weak =
      addLink(world, 4.0,
              {.mode = MotorMode::kPosition, .maxForce = 4.0, .stiffness = 400.0, .damping = 80.0});
  const JointId geared = addLink(world, 6.0,
                                 {.mode = MotorMode::kPosition,
                                  .stiffness = 4.0,
                                  .damping = 0.8,
                                  .gear = 10.0,
                                  .rotorInertia = 1e-3});
  for (int i = 0; i < 240; ++i) {
    step(world, 1.0 / 60.0);
    if (i == 29) {
      EXPECT_LT(world.jointCoordinate(weak), -0.3);
    }
  }
  const double q = world.jointCoordinate(sags);
  EXPECT_NEAR(-400.0 * q, 2.0 * kG * 0.5 * std::cos(q), 1e-3);
  EXPECT_NEAR(world.motorForce(sags), 2.0 * kG * 0.5 * std::cos(q), 1e-3);
  EXPECT_NEAR(world.jointCoordinate(stands), 0.0, 1e-3);
  EXPECT_NEAR(world.motorForce(stands), 2.0 * kG * 0.5, 1e-2);
  EXPECT_NEAR(world.jointCoordinate(geared), q, 1e-3);
}

TEST_P(EveryMethod, motorsInForceModePushWithTheirForce) {
  WorldModel world{settings({0, 0, 0})};
  const BodyId cart = world.spawn(InertialDescription{.shape = Box{{0.2, 0.2, 0.2}}, .mass = 4.0});
  const JointId rail = world.spawn(JointDescription{
      .kind = JointKind::kSlider,
      .bodyB = cart,
      .axis = {1, 0, 0},
      .motor = JointMotor{.mode = MotorMode::kForce, .target = 6.0, .rotorInertia = 2.0}});
  for (int i = 0; i < 60; ++i) step(world, 1.0 / 60.0);
  EXPECT_NEAR(world.jointVelocity(rail), 1.0, 1e-7);  // F t/(m + I); 1.4e-8: regularisation
  EXPECT_NEAR(world.motorForce(rail), 6.0, 1e-9);
}

TEST_P(EveryMethod, springSwings) {
  // x = a cos ωt, ω² = k/m.
  WorldModel world{settings({0, 0, 0})};
  const BodyId weight =
      world.spawn(InertialDescription{.shape = Sphere{0.1}, .mass = 1.0, .position = {1.2, 0, 0}});
  world.spawn(JointDescription{.kind = JointKind::kSpring,
                               .bodyB = weight,
                               .anchor = {0, 0, 0},
                               .anchorB = Coordinate{1.2, 0, 0},
                               .length = 1.0,
                               .stiffness = 100.0});
  const double period = 2.0 * std::numbers::pi / 10.0;
  for (int i = 0; i < 1000; ++i) step(world, period / 1000.0);
  EXPECT_NEAR(stateOf(world, weight).position.x(), 1.2, isReference() ? 2e-3 : 1e-4);
}

// --- potentials
// -------------------------------------------------------------------------------------

TEST_P(EveryMethod, potentialTurnsABody) {
  // A dipole of arm p in a uniform force F: torque -2 p F sin θ, small swings with ω² = 2 p F/I.
  WorldModel world{settings({0, 0, 0})};
  const double angle = 0.05;
  const BodyId needle = world.spawn(
      InertialDescription{.shape = Box{{0.3, 0.02, 0.02}},
                          .mass = 1.0,
                          .orientation = {std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)}});
  world.addPotential(
      std::make_unique<UniformForcePotential>(Force{4, 0, 0}, Coordinate{0.3, 0, 0}));
  world.addPotential(
      std::make_unique<UniformForcePotential>(Force{-4, 0, 0}, Coordinate{-0.3, 0, 0}));
  const double inertia = world.inertial(needle).getInertiaTensor()(2, 2);
  const double period = 2.0 * std::numbers::pi / std::sqrt(2.0 * 0.3 * 4.0 / inertia);
  const std::vector<SpatialVector> bias = world.computeVelocityBias(0.01);
  EXPECT_NEAR(bias[0].angular.z(), -0.01 * 2.4 * std::sin(angle) / inertia, 1e-9);
  world.update(0.0);
  const double start = world.lastReport().energy.potential + world.lastReport().energy.kinetic;
  for (int i = 0; i < 500; ++i) step(world, period / 1000.0);
  const Quaternion q = stateOf(world, needle).orientation;
  EXPECT_NEAR(2.0 * q.z(), -angle, isReference() ? 5e-4 : 5e-5);  // half a period later
  EXPECT_LT(stateOf(world, needle).position.norm(), 1e-9);
  const double now = world.lastReport().energy.potential + world.lastReport().energy.kinetic;
  EXPECT_NEAR(now, start, (isReference() ? 1e-2 : 1e-4) * 2.4 * angle * angle);
}

TEST_P(EveryMethod, potentialMayBeForSomeBodiesOnly) {
  WorldModel world{settings({0, 0, 0})};
  const BodyId pulled = world.spawn(InertialDescription{.shape = Sphere{0.1}, .mass = 2.0});
  const BodyId other =
      world.spawn(InertialDescription{.shape = Sphere{0.1}, .mass = 2.0, .position = {5, 0, 0}});
  const std::vector<BodyId> who{pulled};
  world.addPotential(std::make_unique<UniformForcePotential>(Force{0, 0, 3}, Coordinate::Zero()),
                     who);
  for (int i = 0; i < 60; ++i) step(world, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(world, pulled).velocity.z(), 1.5, 1e-9);
  EXPECT_EQ(stateOf(world, other).velocity.norm(), 0.0);
}

// --- users' constraints
// -----------------------------------------------------------------------------

/// z of a body's centre stays at a height, as strongly as it may.
class Shelf final : public Constraint {
 public:
  Shelf(double height, double alpha = 10.0, double beta = 10.0)
      : Constraint{0, 0, alpha, beta}, height_{height} {}
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& a, const InertialState&,
                                         double) const override {
    fastest = std::max(fastest, a.velocity.norm());
    return Eigen::VectorXd::Constant(1, a.position.z() - height_);
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState&, const InertialState&,
                                         double) const override {
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, kOneBodyColumns);
    row(0, 2) = 1.0;
    return row;
  }
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return bounds; }
  [[nodiscard]] std::string typeName() const override { return "Shelf"; }

  LambdaBounds bounds{LambdaBounds::bilateral()};
  mutable double fastest{0.0};  ///< of the states it was asked about [m/s]

 private:
  double height_;
};

BodyId addBead(WorldModel& world, double z) {
  return world.spawn(InertialDescription{
      .shape = Sphere{0.1}, .mass = 2.0, .position = {0, 0, z}, .collides = false});
}

TEST_P(EveryMethod, constraintForceCanBeReadAndTheConstraintRemoved) {
  WorldModel world{settings()};
  const BodyId bead = addBead(world, 1.0);
  const std::size_t shelf = world.addConstraint(std::make_unique<Shelf>(1.0), bead);
  for (int i = 0; i < 30; ++i) step(world, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(world, bead).position.z(), 1.0, 1e-9);
  ASSERT_EQ(world.constraintForce(shelf).size(), 1u);
  EXPECT_NEAR(world.constraintForce(shelf)[0], 2.0 * kG, 1e-6);
  world.removeConstraint(shelf);
  EXPECT_FALSE(world.hasConstraint(shelf));
  EXPECT_THROW((void)world.constraintForce(shelf), std::out_of_range);
  EXPECT_THROW(world.removeConstraint(shelf), std::out_of_range);
  for (int i = 0; i < 30; ++i) step(world, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(world, bead).velocity.z(), -0.5 * kG, 1e-8);  // 3e-9: regularisation
}

TEST_P(EveryMethod, constraintBoundsAreReadInEveryStep) {
  WorldModel world{settings()};
  const BodyId bead = addBead(world, 1.0);
  auto owned = std::make_unique<Shelf>(1.0);
  Shelf& shelf = *owned;
  const std::size_t index = world.addConstraint(std::move(owned), bead);
  for (int i = 0; i < 10; ++i) step(world, 0.01);
  shelf.bounds = LambdaBounds::boxConstrained(-5.0, 5.0);  // too weak for 19.62 N
  for (int i = 0; i < 100; ++i) step(world, 0.01);
  EXPECT_NEAR(stateOf(world, bead).velocity.z(), -(2.0 * kG - 5.0) / 2.0, 1e-6);
  EXPECT_NEAR(world.constraintForce(index)[0], 5.0, 1e-6);
  EXPECT_GT(shelf.fastest, 1.0);  // it was shown real velocities
}

TEST_P(EveryMethod, addConstraintWakesItsBody) {
  Settings s = settings({0, 0, 0});
  s.sleeping = true;
  WorldModel world{s};
  const BodyId bead = addBead(world, 1.0);
  for (int i = 0; i < 60; ++i) step(world, 1.0 / 60.0);
  EXPECT_EQ(world.isAwake(bead), isReference());  // the reference method has no sleep
  world.addConstraint(std::make_unique<Shelf>(1.1, 1e6, 0.0), bead);
  EXPECT_TRUE(world.isAwake(bead));
  for (int i = 0; i < 60; ++i) step(world, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(world, bead).position.z(), 1.1, 1e-6);
}

TEST_P(EveryMethod, alphaAndBetaSetHowFastAViolationGoes) {
  // C decays at the rate α/β; with ERP = α h/(α h + β) a step leaves C/(1 + h α/β).
  WorldModel world{settings({0, 0, 0})};
  const BodyId bead = addBead(world, 1.0);
  world.addConstraint(std::make_unique<Shelf>(0.95, 20.0, 10.0), bead);
  for (int i = 0; i < 60; ++i) step(world, 1.0 / 60.0);
  const double exact = 0.05 * std::exp(-2.0);
  EXPECT_NEAR(stateOf(world, bead).position.z() - 0.95, exact, 0.04 * exact);
  // α = 0: what is violated stays so.
  WorldModel lazy{settings({0, 0, 0})};
  const BodyId other = addBead(lazy, 1.0);
  lazy.addConstraint(std::make_unique<Shelf>(0.95, 0.0, 10.0), other);
  for (int i = 0; i < 60; ++i) step(lazy, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(lazy, other).position.z(), 1.0, 1e-9);
}

// --- materials
// --------------------------------------------------------------------------------------

TEST_P(EveryMethod, frictionAndRestitutionMayBeChanged) {
  WorldModel world{settings()};
  const BodyId floor = addFloor(world, 1.0, 1.0);
  const BodyId block = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.1}},
                                                       .position = {0, 0, 0.1},
                                                       .linearVelocity = {1, 0, 0},
                                                       .friction = 0.0,
                                                       .restitution = 0.0});
  for (int i = 0; i < 60; ++i) step(world, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(world, block).velocity.x(), 1.0, 1e-9);
  world.setMaterial(block, SurfaceMaterial{.friction = 0.25, .restitution = 0.0});
  EXPECT_EQ(world.inertial(block).getFrictionCoefficient(), 0.25);
  step(world, 1.0 / 60.0);
  EXPECT_NEAR(stateOf(world, block).velocity.x(), 1.0 - 0.5 * kG / 60.0,
              3e-4);  // √(0.25·1) g dt; fast 1.4e-4
  // Restitution: thrown up and let fall again.
  world.setMaterial(block, SurfaceMaterial{.friction = 0.0, .restitution = 0.25});
  world.setMaterial(floor, SurfaceMaterial{.friction = 0.0, .restitution = 1.0});
  InertialState state = stateOf(world, block);
  state.position = {0, 0, 0.6};
  state.velocity.setZero();
  world.setState(block, state);
  double rebound = 0.0, before = 0.0;
  for (int i = 0; i < 120 && rebound == 0.0; ++i) {
    step(world, 1.0 / 240.0);
    if (stateOf(world, block).velocity.z() > 0.0) rebound = stateOf(world, block).velocity.z();
    if (rebound == 0.0) before = -stateOf(world, block).velocity.z();
  }
  EXPECT_NEAR(rebound / before, 0.5, 0.02);
  EXPECT_THROW(world.setMaterial(block, SurfaceMaterial{.friction = -1.0}), std::invalid_argument);
}

TEST_P(EveryMethod, contactCallbackMayLetThrough) {
  WorldModel world{settings()};
  addFloor(world, 0.5, 0.0);
  const BodyId ghost =
      world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = {0, 0, 0.2}});
  const BodyId solid =
      world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = {1, 0, 0.2}});
  world.setContactCallback([&](ContactChange& c) {
    if (c.bodyA == ghost || c.bodyB == ghost) c.enabled = false;
    c.restitution = 0.0;
  });
  for (int i = 0; i < 60; ++i) world.update(1.0 / 60.0);
  EXPECT_LT(stateOf(world, ghost).position.z(), -1.0);
  EXPECT_NEAR(stateOf(world, solid).position.z(), 0.1, 2e-3);
}

// --- the world around
// -------------------------------------------------------------------------------

TEST_P(EveryMethod, eventsTellOfTouchHitAndParting) {
  WorldModel world{settings()};
  addFloor(world, 0.0, 1.0);
  world.spawn(InertialDescription{
      .shape = Sphere{0.5}, .position = {0, 0, 0.8}, .friction = 0.0, .restitution = 1.0});
  int begins = 0, ends = 0, hits = 0;
  for (int i = 0; i < 40; ++i) {
    step(world, 1.0 / 60.0);
    for (const ContactEvent& e : world.events()) {
      begins += e.kind == ContactEventKind::kBegin ? 1 : 0;
      ends += e.kind == ContactEventKind::kEnd ? 1 : 0;
      hits += e.kind == ContactEventKind::kHit ? 1 : 0;
      if (e.kind == ContactEventKind::kHit) {
        EXPECT_NEAR(e.approachSpeed, std::sqrt(2.0 * kG * 0.3), 0.2);
      }
    }
  }
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(hits, 1);
}

TEST_P(EveryMethod, snapshotGoesOnBitForBit) {
  const auto build = [&] {
    WorldModel world{settings()};
    addFloor(world, 0.5, 0.2);
    for (int i = 0; i < 4; ++i) {
      world.spawn(InertialDescription{.shape = Box{{0.5, 0.4, 0.3}},
                                      .position = {0.1 * i, 0, 0.5 + 0.9 * i},
                                      .angularVelocity = {0.3, 0.2 * i, 0}});
    }
    return world;
  };
  WorldModel first = build(), second = build();
  for (int i = 0; i < 40; ++i) first.update(1.0 / 60.0);
  second.restore(first.snapshot());
  for (int i = 0; i < 40; ++i) {
    first.update(1.0 / 60.0);
    second.update(1.0 / 60.0);
  }
  EXPECT_EQ(first.stateHash(), second.stateHash());
}

TEST_P(EveryMethod, lookingMovesNothing) {
  WorldModel world{settings()};
  addFloor(world, 0.5, 0.0);
  world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}, .position = {0, 0, 0.49}});
  const Hash128 before = world.stateHash();
  const StepReport report = world.update(0.0);
  EXPECT_EQ(world.stateHash(), before);
  EXPECT_NEAR(report.deepestPenetration, 0.01, 1e-6);
}

TEST(ReferenceMethod, canBeLeftAndTakenAgain) {
  Settings s{.method = Method::kReference};
  WorldModel world{s};
  addFloor(world, 0.5, 0.0);
  const BodyId cube =
      world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}, .position = {0, 0, 0.7}});
  for (const Method method :
       {Method::kReference, Method::kFast, Method::kReference, Method::kExact}) {
    s.method = method;
    world.setSettings(s);
    for (int i = 0; i < 60; ++i) ASSERT_EQ(world.update(1.0 / 60.0).status, StepStatus::kOk);
  }
  EXPECT_NEAR(stateOf(world, cube).position.z(), 0.5, 1e-3);
}

TEST(ReferenceMethod, saysThatResistanceToRollingIsIgnored) {
  WorldModel world{Settings{.method = Method::kReference}};
  world.spawn(EnvironmentDescription{
      .shape = Box{{5, 5, 1}}, .position = {0, 0, -1}, .rollingResistance = 0.01});
  world.spawn(InertialDescription{
      .shape = Sphere{0.5}, .position = {0, 0, 0.5}, .rollingResistance = 0.01});
  const StepReport report = world.update(1.0 / 60.0);
  EXPECT_EQ(report.status, StepStatus::kDegraded);
  EXPECT_TRUE(report.faults.has(StepFault::kResistanceIgnored));
}

TEST(ReferenceMethod, refusesSurfacesThatMoveOrGiveWay) {
  WorldModel world{Settings{.method = Method::kReference}};
  EXPECT_THROW(world.spawn(InertialDescription{.shape = Sphere{0.5}, .contactStiffness = 1e4}),
               std::invalid_argument);
  EXPECT_THROW(
      world.spawn(EnvironmentDescription{.shape = Box{{5, 5, 1}}, .surfaceVelocity = {1, 0, 0}}),
      std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
