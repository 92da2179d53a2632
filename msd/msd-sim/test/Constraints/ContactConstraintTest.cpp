#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "RandomStates.hpp"

namespace msd_sim {
namespace {

using test_states::Source;

const Coordinate kUp{0, 0, 1};

/// B above A, both centres on the z axis, penetrating by 0.2.
ContactConstraint overlapping() {
  return {0, 1, kUp, {0.5, 0, 0.1}, {0.5, 0, -0.1}, 0.2, {0, 0, -1}, {0, 0, 1}, 0.5, -2.0};
}

InertialState at(const Coordinate& x) {
  InertialState s{};
  s.position = x;
  return s;
}

TEST(ContactConstraint, dimension_returns_1) {
  EXPECT_EQ(overlapping().dimension(), 1);
}

TEST(ContactConstraint, evaluate_returns_penetration_depth) {
  EXPECT_NEAR(overlapping().evaluate(at({0, 0, -1}), at({0, 0, 1}), 0.0)(0), -0.2, 1e-15);
  EXPECT_EQ(overlapping().getPenetrationDepth(), 0.2);
}

TEST(ContactConstraint, evaluate_separated_bodies_returns_positive) {
  EXPECT_NEAR(overlapping().evaluate(at({0, 0, -1}), at({0, 0, 1.5}), 0.0)(0), 0.3, 1e-15);
}

TEST(ContactConstraint, evaluate_penetrating_bodies_returns_negative) {
  EXPECT_NEAR(overlapping().evaluate(at({0, 0, -1}), at({0, 0, 0.9}), 0.0)(0), -0.3, 1e-15);
}

TEST(ContactConstraint, jacobian_linear_components) {
  const Eigen::MatrixXd j = overlapping().jacobian(at({0, 0, -1}), at({0, 0, 1}), 0.0);
  ASSERT_EQ(j.cols(), 12);
  EXPECT_EQ((j.block<1, 3>(0, 0).transpose() + kUp).norm(), 0.0);
  EXPECT_EQ((j.block<1, 3>(0, 6).transpose() - kUp).norm(), 0.0);
}

TEST(ContactConstraint, jacobian_angular_components) {
  const ContactConstraint c = overlapping();
  const Eigen::MatrixXd j = c.jacobian(at({0, 0, -1}), at({0, 0, 1}), 0.0);
  const Vector3D rA{0.5, 0, 1.1}, rB{0.5, 0, -1.1};
  EXPECT_LT((j.block<1, 3>(0, 3).transpose() + rA.cross(kUp)).norm(), 1e-15);
  EXPECT_LT((j.block<1, 3>(0, 9).transpose() - rB.cross(kUp)).norm(), 1e-15);
}

TEST(ContactConstraint, jacobian_numerical_verification) {
  // The points move with their bodies: the gap of the moved points against the rate J v.
  Source source{3};
  for (int i = 0; i < 100; ++i) {
    const InertialState a = source.state(), b = source.state();
    const Vector3D n = source.direction(), pA = source.vector(), pB = source.vector();
    const ContactConstraint c{0, 1, n, pA, pB, 0.0, a.position, b.position, 0.0, 0.0};
    const auto gapAt = [&](double t) {
      const auto pointAt = [&](const InertialState& s, const Vector3D& p) -> Vector3D {
        return s.position + t * s.velocity +
               cayleyRotation(t * s.angularVelocity) * (p - s.position);
      };
      return n.dot(pointAt(b, pB) - pointAt(a, pA));
    };
    Eigen::VectorXd v(12);
    v << a.velocity, a.angularVelocity, b.velocity, b.angularVelocity;
    const double h = 1e-5;
    // Error of the difference h², measured 2e-10.
    EXPECT_NEAR((gapAt(h) - gapAt(-h)) / (2 * h), (c.jacobian(a, b, 0.0) * v)(0), 1e-8);
  }
}

TEST(ContactConstraint, isActive_for_penetrating_pair) {
  EXPECT_TRUE(overlapping().isActive(at({0, 0, -1}), at({0, 0, 1}), 0.0));
}

TEST(ContactConstraint, isActive_for_separated_pair) {
  EXPECT_FALSE(overlapping().isActive(at({0, 0, -1}), at({0, 0, 1.5}), 0.0));
}

TEST(ContactConstraint, baumgarte_parameters_configurable) {
  EXPECT_EQ(overlapping().alpha(), 0.2);  // ERP
  EXPECT_EQ(overlapping().beta(), 0.0);
  const ContactConstraint c{0,          1,         kUp, {0, 0, 0}, {0, 0, 0}, 0.0,
                            {0, 0, -1}, {0, 0, 1}, 0.0, 0.0,       0.7};
  EXPECT_EQ(c.alpha(), 0.7);
}

TEST(ContactConstraint, typeName_returns_ContactConstraint) {
  EXPECT_EQ(overlapping().typeName(), "ContactConstraint");
}

TEST(ContactConstraint, one_body_signature_means_a_body_against_itself) {
  // Nothing throws: with both states the same, the gap is that of the lever arms.
  EXPECT_NEAR(overlapping().evaluate(at({1, 2, 3}), 0.0)(0), -2.2, 1e-15);
}

TEST(ContactConstraint, body_index_accessors) {
  EXPECT_EQ(overlapping().bodyAIndex(), 0u);
  EXPECT_EQ(overlapping().bodyBIndex(), 1u);
}

TEST(ContactConstraint, constructorRejectsWhatIsNoContact) {
  const auto make = [](const Vector3D& n, double depth, double e) {
    return ContactConstraint{0, 1, n, {0, 0, 0}, {0, 0, 0}, depth, {0, 0, -1}, {0, 0, 1}, e, 0.0};
  };
  EXPECT_THROW(make({0, 0, 2}, 0.0, 0.5), std::invalid_argument);
  EXPECT_THROW(make({0, 0, 0}, 0.0, 0.5), std::invalid_argument);
  EXPECT_THROW(make({0, 0, std::nan("")}, 0.0, 0.5), std::invalid_argument);
  EXPECT_THROW(make(kUp, -1e-9, 0.5), std::invalid_argument);
  EXPECT_THROW(make(kUp, std::nan(""), 0.5), std::invalid_argument);
  EXPECT_THROW(make(kUp, 0.0, -0.1), std::invalid_argument);
  EXPECT_THROW(make(kUp, 0.0, 1.1), std::invalid_argument);
  EXPECT_NO_THROW(make(kUp, 0.0, 1.0));
  try {
    make(kUp, 0.0, 1.25);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string{error.what()}.find("1.25"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace msd_sim
