// Constraints of the user's own, solved with the joints.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "JointScenes.hpp"
#include "msd-sim/src/Physics/Constraints/DistanceConstraint.hpp"

namespace msd_sim {
namespace {

using namespace joint_scenes;

/// A body's centre stays at height `speed`·t, or not below it.
class Lift final : public Constraint {
 public:
  Lift(double speed, LambdaBounds bounds) : speed_{speed}, bounds_{bounds} {}
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& a, const InertialState&,
                                         double time) const override {
    return Eigen::VectorXd::Constant(1, a.position.z() - speed_ * time);
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState&, const InertialState&,
                                         double) const override {
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, kOneBodyColumns);
    row(0, 2) = 1.0;
    return row;
  }
  [[nodiscard]] Eigen::VectorXd partialTimeDerivative(const InertialState&, const InertialState&,
                                                      double) const override {
    return Eigen::VectorXd::Constant(1, -speed_);
  }
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return bounds_; }
  [[nodiscard]] std::string typeName() const override { return "Lift"; }

 private:
  double speed_;
  LambdaBounds bounds_;
};

TEST(UserConstraint, ofConstantDistanceMakesAPendulum) {
  WorldModel world{Settings{.gravity = {0.0, -9.81, 0.0}, .sleeping = false}};
  const BodyId mass = world.spawn(bead("mass", {-1.0, 0.0, 0.0}));
  world.addConstraint(std::make_unique<DistanceConstraint>(1.0), mass);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(world.update(1e-3).status, StepStatus::kOk);
  // The same after one second as with a joint (reference: theta'' = -g sin theta).
  WorldModel other{Settings{.gravity = {0.0, -9.81, 0.0}, .sleeping = false}};
  const BodyId twin = other.spawn(bead("mass", {-1.0, 0.0, 0.0}));
  other.spawn(JointDescription{.kind = JointKind::kDistance,
                               .bodyB = twin,
                               .anchor = {0, 0, 0},
                               .anchorB = Coordinate{-1.0, 0.0, 0.0}});
  for (int i = 0; i < 1000; ++i) other.update(1e-3);
  const Coordinate x = world.inertial(mass).getInertialState().position;
  EXPECT_LT((x - other.inertial(twin).getInertialState().position).norm(), 1e-9);
  EXPECT_NEAR(x.norm(), 1.0, 1e-10);
}

TEST(UserConstraint, thatMovesByItselfCarriesTheBody) {
  WorldModel world{Settings{.sleeping = false}};
  const BodyId id = world.spawn(bead("b", {0, 0, 0}));
  world.addConstraint(std::make_unique<Lift>(0.5, LambdaBounds::bilateral()), id);
  for (int i = 0; i < 100; ++i) world.update(0.01);
  EXPECT_NEAR(world.inertial(id).getInertialState().position.z(), 0.5, 1e-9);
  EXPECT_NEAR(world.inertial(id).getInertialState().velocity.z(), 0.5, 1e-9);
}

TEST(UserConstraint, ofOneSidePushesOnly) {
  WorldModel world{Settings{.sleeping = false}};
  const BodyId low = world.spawn(bead("low", {0, 0, 0})),
               high = world.spawn(bead("high", {3, 0, 1}));
  for (const BodyId id : {low, high}) {
    world.addConstraint(std::make_unique<Lift>(0.0, LambdaBounds::unilateral()), id);
  }
  for (int i = 0; i < 30; ++i) world.update(0.01);
  EXPECT_NEAR(world.inertial(low).getInertialState().position.z(), 0.0, 1e-12);
  EXPECT_NEAR(world.inertial(high).getInertialState().position.z(), 1.0 - 0.5 * 9.81 * 0.09, 1e-9);
  for (int i = 0; i < 100; ++i) world.update(0.01);
  EXPECT_NEAR(world.inertial(high).getInertialState().position.z(), 0.0, 1e-9);
}

TEST(UserConstraint, ofLimitedStrengthGivesWay) {
  // 5 N upwards at most against 9.81 N of weight.
  WorldModel world{Settings{.sleeping = false}};
  const BodyId id = world.spawn(bead("b", {0, 0, 0}));
  world.addConstraint(std::make_unique<Lift>(0.0, LambdaBounds::boxConstrained(-5.0, 5.0)), id);
  for (int i = 0; i < 100; ++i) world.update(0.01);
  EXPECT_NEAR(world.inertial(id).getInertialState().velocity.z(), -4.81, 1e-9);
}

TEST(UserConstraint, isRefusedWhenItDoesNotFit) {
  WorldModel world;
  const BodyId a = world.spawn(bead("a", {0, 0, 0})), b = world.spawn(bead("b", {1, 0, 0}));
  EXPECT_THROW(world.addConstraint(nullptr, a), std::invalid_argument);
  EXPECT_THROW(world.addConstraint(std::make_unique<DistanceConstraint>(1.0), BodyId{}),
               std::invalid_argument);
  EXPECT_THROW(world.addConstraint(std::make_unique<DistanceConstraint>(1.0), a, b),
               std::invalid_argument);
  EXPECT_THROW(world.addConstraint(std::make_unique<Lift>(0.0, LambdaBounds{1.0, -1.0}), a),
               std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
