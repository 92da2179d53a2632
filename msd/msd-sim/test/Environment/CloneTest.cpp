// A copied world is the same world twice: same ids, same bits from then on, and nothing shared. The
// states of all bodies can be read where they lie, and stay there.

#include <gtest/gtest.h>

#include <span>

#include "Scenes.hpp"
#include "msd-sim/src/Environment/WorldCopy.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

void run(WorldModel& world, int steps) {
  for (int i = 0; i < steps; ++i) world.update(kDt);
}

Vector3D positionInRow(const WorldModel& world, BodyId id) {
  const BodyColumn column = bodyArrays(world).position;
  const double* x = column.data + bodyRow(id) * column.stride;
  return {x[0], x[1], x[2]};
}

/// Bodies that came and went, a joint, a field of force, a force that waits for the next step.
WorldModel makeEventfulWorld(Method method) {
  WorldModel world{Settings{.method = method}};
  addHeap(world, 12);
  const BodyId gone = world.bodies()[3];
  run(world, 20);
  world.remove(gone);
  const BodyId ball = world.spawn(
      InertialDescription{.name = "late", .shape = Sphere{0.1}, .position = {0.0, 0.0, 4.0}});
  world.spawn(JointDescription{
      .kind = JointKind::kBall, .bodyB = ball, .anchor = {0.3, 0.0, 4.0}});
  world.addPotential(std::make_unique<AnchorSpringPotential>(
      Coordinate{0.0, 0.0, 5.0}, Coordinate{0.0, 0.0, 0.0}, 3.0, 0.2));
  run(world, 10);
  world.applyForce(ball, {0.0, 1.0, 0.0});
  return world;
}

TEST(Clone, goesOnWithTheSameBits) {
  for (const Method method : {Method::kFast, Method::kExact}) {
    WorldModel world = makeEventfulWorld(method);
    WorldModel copy = cloneWorld(world);
    EXPECT_EQ(copy.stateHash(), world.stateHash());
    EXPECT_TRUE(std::ranges::equal(copy.bodies(), world.bodies()));
    EXPECT_EQ(copy.findBody("late"), world.findBody("late"));
    EXPECT_EQ(copy.lastReport().contacts, world.lastReport().contacts);
    EXPECT_EQ(copy.contacts().size(), world.contacts().size());
    for (int i = 0; i < 60; ++i) {
      world.update(kDt);
      copy.update(kDt);
      ASSERT_EQ(copy.stateHash(), world.stateHash()) << "step " << i;
    }
    // What is made next gets the same id in both.
    const InertialDescription next{.shape = Sphere{0.2}, .position = {9.0, 9.0, 9.0}};
    EXPECT_EQ(copy.spawn(next), world.spawn(next));
  }
}

TEST(Clone, sharesNothing) {
  WorldModel world = makeEventfulWorld(Method::kFast);
  const WorldModel copy = cloneWorld(world);
  const Hash128 before = copy.stateHash();
  run(world, 5);
  world.remove(world.bodies().back());
  EXPECT_EQ(copy.stateHash(), before);
  EXPECT_EQ(copy.bodies().size(), world.bodies().size() + 1);
}

TEST(Clone, losesTheJointsOfABodyThatGoes) {
  const WorldModel world = makeEventfulWorld(Method::kFast);
  WorldModel copy = cloneWorld(world);
  ASSERT_EQ(copy.joints().size(), 1u);
  copy.remove(*copy.findBody("late"));
  EXPECT_TRUE(copy.joints().empty());
  run(copy, 5);
  EXPECT_EQ(world.joints().size(), 1u);
}

TEST(Clone, saysWhatCannotBeCopied) {
  class NoClone final : public Constraint {
   public:
    using Constraint::evaluate;
    using Constraint::jacobian;
    [[nodiscard]] int dimension() const override { return 1; }
    [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& a, const InertialState&, double) const override {
      return Eigen::VectorXd::Constant(1, a.position.x());
    }
    [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState&, const InertialState&, double) const override {
      return Eigen::MatrixXd::Identity(1, kOneBodyColumns);
    }
    [[nodiscard]] LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
    [[nodiscard]] std::string typeName() const override { return "NoClone"; }
  };
  WorldModel world;
  const BodyId a =
      world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = {1.0, 0.0, 0.0}});
  world.addConstraint(std::make_unique<NoClone>(), a);
  EXPECT_THROW((void)cloneWorld(world), std::logic_error);

  class NoCopy final : public PotentialEnergy {
    Force computeForce(const InertialState&, double) const override { return Force::Zero(); }
    double computeEnergy(const InertialState&, double) const override { return 0.0; }
  };
  WorldModel other;
  other.addPotential(std::make_unique<NoCopy>());
  EXPECT_THROW((void)cloneWorld(other), std::logic_error);
}

TEST(BodyArrays, areTheStates) {
  WorldModel world = makeEventfulWorld(Method::kFast);
  const BodyArrays arrays = bodyArrays(world);
  const auto vector = [](const BodyColumn& column, std::size_t row) {
    const double* v = column.data + row * column.stride;
    return Vector3D{v[0], v[1], v[2]};
  };
  for (const BodyId id : world.bodies()) {
    const std::size_t row = bodyRow(id);
    ASSERT_LT(row, arrays.rows);
    if (world.isEnvironment(id)) {
      EXPECT_EQ(vector(arrays.position, row), world.asset(id).pose().position);
      continue;
    }
    const InertialState& state = world.inertial(id).getInertialState();
    const double* q = arrays.orientation.data + row * arrays.orientation.stride;
    EXPECT_EQ(vector(arrays.position, row), state.position);
    EXPECT_EQ(Quaternion(q[0], q[1], q[2], q[3]).coeffs(), state.orientation.coeffs());
    EXPECT_EQ(vector(arrays.velocity, row), state.velocity);
    EXPECT_EQ(vector(arrays.angularVelocity, row), state.angularVelocity);
  }
}

TEST(BodyArrays, stayWhileTheBodiesAreTheSame) {
  WorldModel world;
  addHeap(world, 30);
  const std::vector<std::byte> start = world.snapshot();
  const BodyArrays before = bodyArrays(world);
  const BodyId last = world.bodies().back();
  run(world, 30);
  EXPECT_EQ(positionInRow(world, last), world.inertial(last).getInertialState().position);
  InertialState state = world.inertial(last).getInertialState();
  state.position.z() += 1.0;
  world.setState(last, state);
  EXPECT_EQ(positionInRow(world, last), state.position);
  world.restore(start);
  EXPECT_EQ(positionInRow(world, last), world.inertial(last).getInertialState().position);
  const BodyArrays after = bodyArrays(world);
  EXPECT_EQ(after.position.data, before.position.data);
  EXPECT_EQ(after.orientation.data, before.orientation.data);
  EXPECT_EQ(after.velocity.data, before.velocity.data);
  EXPECT_EQ(after.angularVelocity.data, before.angularVelocity.data);
}

TEST(BodyArrays, whatWasReplacedKeepsItsNumbers) {
  WorldModel world;
  addHeap(world, 5);
  WorldModel untouched = cloneWorld(world);
  const BodyId last = world.bodies().back();
  const BodyColumn column = bodyArrays(world).position;
  const double* row = column.data + bodyRow(last) * column.stride;
  const Vector3D before{row[0], row[1], row[2]};
  const std::shared_ptr<const void> kept = replaceBodyArrays(world);
  EXPECT_NE(bodyArrays(world).position.data, column.data);
  run(world, 30);
  run(untouched, 30);
  EXPECT_EQ((Vector3D{row[0], row[1], row[2]}), before);
  EXPECT_EQ(world.stateHash(), untouched.stateHash());
}

}  // namespace
}  // namespace msd_sim::test
