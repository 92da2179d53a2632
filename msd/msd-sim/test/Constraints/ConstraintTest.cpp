// The base class seen through its children, and Jacobians against central differences.
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "RandomStates.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/DistanceConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/UnitQuaternionConstraint.hpp"

namespace msd_sim {
namespace {

using test_states::Source;

std::unique_ptr<Constraint> contact() {
  return std::make_unique<ContactConstraint>(3, 7, Coordinate{0, 0, 1}, Coordinate{0, 0, 0.1},
                                             Coordinate{0, 0, 0}, 0.1, Coordinate{0, 0, -1},
                                             Coordinate{0, 0, 1}, 0.5, -1.0);
}

TEST(Constraint, bodyCount_single_body_returns_1) {
  EXPECT_EQ(UnitQuaternionConstraint{}.bodyCount(), 1);
  EXPECT_EQ(DistanceConstraint{1.0}.bodyCount(), 1);
}

TEST(Constraint, bodyCount_two_body_returns_2) {
  EXPECT_EQ(contact()->bodyCount(), 2);
}

TEST(Constraint, bodyAIndex_accessible_from_base) {
  const std::unique_ptr<Constraint> c = contact();
  EXPECT_EQ(c->bodyAIndex(), 3u);
  EXPECT_EQ(c->bodyBIndex(), 7u);
  const std::unique_ptr<Constraint> q = std::make_unique<UnitQuaternionConstraint>(5);
  EXPECT_EQ(q->bodyAIndex(), 5u);
}

TEST(Constraint, isActive_default_returns_true) {
  const InertialState s{};
  EXPECT_TRUE(UnitQuaternionConstraint{}.isActive(s, s, 0.0));
}

TEST(Constraint, lambdaBounds_bilateral_from_base) {
  const std::unique_ptr<Constraint> q = std::make_unique<UnitQuaternionConstraint>();
  EXPECT_TRUE(q->lambdaBounds().isBilateral());
}

TEST(Constraint, lambdaBounds_unilateral_from_base) {
  EXPECT_TRUE(contact()->lambdaBounds().isUnilateral());
}

TEST(Constraint, evaluate_unified_signature_single_body) {
  InertialState s{}, other{};
  s.position = {3.0, 4.0, 0.0};
  other.position = {100.0, 0.0, 0.0};
  const DistanceConstraint c{2.0};
  // 3² + 4² - 2²
  EXPECT_DOUBLE_EQ(c.evaluate(s, other, 0.0)(0), 21.0);
  EXPECT_DOUBLE_EQ(c.evaluate(s, 0.0)(0), 21.0);
}

TEST(Constraint, evaluate_unified_signature_two_body) {
  InertialState a{}, b{};
  a.position = {0, 0, -1};
  b.position = {0, 0, 1};
  EXPECT_NEAR(contact()->evaluate(a, b, 0.0)(0), -0.1, 1e-15);
}

TEST(Constraint, baumgarteGainsHaveDefaultsAndRefuseNonsense) {
  const UnitQuaternionConstraint c{0, 3.0, 4.0};
  EXPECT_EQ(c.alpha(), 3.0);
  EXPECT_EQ(c.beta(), 4.0);
  EXPECT_EQ(UnitQuaternionConstraint{}.alpha(), 10.0);
  EXPECT_THROW((UnitQuaternionConstraint{0, -1.0}), std::invalid_argument);
  EXPECT_THROW((DistanceConstraint{0.0}), std::invalid_argument);
  EXPECT_THROW((DistanceConstraint{std::nan("")}), std::invalid_argument);
}

TEST(Constraint, partialTimeDerivativeIsZeroForWhatDoesNotMoveByItself) {
  const InertialState s{};
  EXPECT_EQ(contact()->partialTimeDerivative(s, s, 1.0).norm(), 0.0);
}

/// Largest difference between J and central differences of C over position and quaternion.
double oneBodyJacobianError(const Constraint& c, const InertialState& s) {
  const Eigen::MatrixXd j = c.jacobian(s, 0.0);
  const double step = 1e-6;
  double worst = 0.0;
  for (int k = 0; k < 7; ++k) {
    const auto shifted = [&](double d) {
      InertialState t = s;
      if (k < 3) t.position[k] += d;
      if (k == 3) t.orientation.w() += d;
      if (k > 3) t.orientation.vec()[k - 4] += d;
      return c.evaluate(t, 0.0)(0);
    };
    worst = std::max(worst, std::fabs((shifted(step) - shifted(-step)) / (2 * step) - j(0, k)));
  }
  return worst;
}

TEST(Jacobian, ofOneBodyConstraintsMatchesFiniteDifferences) {
  Source source{1};
  for (int i = 0; i < 100; ++i) {
    const InertialState s = source.state();
    // Both C are quadratic: central differences are exact up to rounding, 1e-10 measured.
    EXPECT_LT(oneBodyJacobianError(UnitQuaternionConstraint{}, s), 1e-8);
    EXPECT_LT(oneBodyJacobianError(DistanceConstraint{0.7, 0, 10, 10, {0.2, -0.1, 0.4}}, s), 1e-8);
  }
}

TEST(Jacobian, overVelocitiesIsTheRateOfChange) {
  Source source{2};
  const DistanceConstraint c{0.7};
  for (int i = 0; i < 100; ++i) {
    const InertialState s = source.state();
    const double h = 1e-6;
    const auto at = [&](double t) {
      return c.evaluate(test_states::moved(s, t * s.velocity, t * s.angularVelocity), 0.0)(0);
    };
    Eigen::VectorXd v(12);
    v << s.velocity, s.angularVelocity, Vector3D::Zero(), Vector3D::Zero();
    const double rate = (velocityJacobian(c, s, s, 0.0) * v)(0);
    EXPECT_NEAR((at(h) - at(-h)) / (2 * h), rate, 1e-8);
    // A unit quaternion stays one: nothing to see for the velocities.
    EXPECT_LT(velocityJacobian(UnitQuaternionConstraint{}, s, s, 0.0).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace msd_sim
