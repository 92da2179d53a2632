#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "RandomStates.hpp"

namespace msd_sim {
namespace {

using test_states::Source;

TEST(FrictionConstraint, tangentsAreOrthonormalAndAcrossTheNormal) {
  Source source{4};
  for (int i = 0; i < 200; ++i) {
    const Vector3D n = source.direction();
    const FrictionConstraint f{0, 1, n, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0.5};
    const auto& [t1, t2] = f.getTangents();
    EXPECT_NEAR(t1.norm(), 1.0, 1e-15);
    EXPECT_NEAR(t2.norm(), 1.0, 1e-15);
    EXPECT_NEAR(t1.dot(n), 0.0, 1e-15);
    EXPECT_NEAR(t2.dot(n), 0.0, 1e-15);
    EXPECT_NEAR(t1.cross(t2).dot(n), 1.0, 1e-14);
  }
}

TEST(FrictionConstraint, jacobianIsTheSlidingVelocityOfTheMovedPoints) {
  Source source{5};
  for (int i = 0; i < 100; ++i) {
    const InertialState a = source.state(), b = source.state();
    const Vector3D n = source.direction(), p = source.vector();
    const FrictionConstraint f{0, 1, n, p, p, a.position, b.position, 0.5};
    Eigen::VectorXd v(12);
    v << a.velocity, a.angularVelocity, b.velocity, b.angularVelocity;
    const Eigen::VectorXd u = f.jacobian(a, b, 0.0) * v;
    const auto pointAt = [&](const InertialState& s, double t) -> Vector3D {
      return s.position + t * s.velocity + cayleyRotation(t * s.angularVelocity) * (p - s.position);
    };
    const double h = 1e-5;
    const Vector3D rate =
        (pointAt(b, h) - pointAt(a, h) - pointAt(b, -h) + pointAt(a, -h)) / (2 * h);
    EXPECT_NEAR(u(0), f.getTangents()[0].dot(rate), 1e-8);
    EXPECT_NEAR(u(1), f.getTangents()[1].dot(rate), 1e-8);
  }
}

TEST(FrictionConstraint, boundsFollowTheNormalForce) {
  FrictionConstraint f{0, 1, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0.4};
  const InertialState s{};
  EXPECT_FALSE(f.isActive(s, s, 0.0));
  EXPECT_TRUE(f.lambdaBounds().isBoxConstrained());
  f.setNormalLambda(10.0);
  EXPECT_TRUE(f.isActive(s, s, 0.0));
  EXPECT_DOUBLE_EQ(f.lambdaBounds().upper, 4.0);
  EXPECT_DOUBLE_EQ(f.lambdaBounds().lower, -4.0);
  EXPECT_THROW(f.setNormalLambda(-1.0), std::invalid_argument);
}

TEST(FrictionConstraint, rejectsANegativeCoefficient) {
  EXPECT_THROW(
      (FrictionConstraint{0, 1, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, -0.1}),
      std::invalid_argument);
}

TEST(FrictionConstraint, hasTwoRowsAndNoPosition) {
  const FrictionConstraint f{2, 4, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0.4};
  const InertialState s{};
  EXPECT_EQ(f.dimension(), 2);
  EXPECT_EQ(f.bodyCount(), 2);
  EXPECT_EQ(f.typeName(), "FrictionConstraint");
  EXPECT_EQ(f.evaluate(s, s, 0.0).norm(), 0.0);
}

}  // namespace
}  // namespace msd_sim
