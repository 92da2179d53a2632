#include "msd-sim/src/Physics/Constraints/ContactConstraintFactory.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace msd_sim {
namespace {

namespace factory = ContactConstraintFactory;

CollisionResult manifold(std::size_t count) {
  CollisionResult r;
  r.normal = {0, 0, 1};
  r.penetrationDepth = 0.04;
  r.contactCount = count;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = i % 2 == 0 ? 1.0 : -1.0, y = i < 2 ? 1.0 : -1.0;
    const double depth = 0.01 * static_cast<double>(i + 1);
    r.contacts[i] = {{x, y, depth}, {x, y, 0.0}, depth};
  }
  return r;
}

InertialState moving(const Coordinate& x, const CoordinateRate& v,
                     const AngularRate& w = {0, 0, 0}) {
  InertialState s{};
  s.position = x;
  s.velocity = v;
  s.angularVelocity = w;
  return s;
}

TEST(ContactConstraintFactory, createFromCollision_single_contact) {
  const InertialState a = moving({0, 0, -1}, {0, 0, 0}), b = moving({0, 0, 1}, {0, 0, -2});
  const auto made =
      factory::createFromCollision(4, 9, manifold(1), a, b, a.position, b.position, 0.6);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0]->bodyAIndex(), 4u);
  EXPECT_EQ(made[0]->bodyBIndex(), 9u);
  EXPECT_EQ(made[0]->getRestitution(), 0.6);
  EXPECT_EQ(made[0]->getPreImpactRelVelNormal(), -2.0);
}

TEST(ContactConstraintFactory, createFromCollision_manifold_with_4_contacts) {
  const InertialState a = moving({0, 0, -1}, {0, 0, 0}), b = moving({0, 0, 1}, {0, 0, -2});
  const auto made =
      factory::createFromCollision(0, 1, manifold(4), a, b, a.position, b.position, 0.6);
  ASSERT_EQ(made.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(made[i]->getPenetrationDepth(), 0.01 * static_cast<double>(i + 1));
  }
  EXPECT_TRUE(
      factory::createFromCollision(0, 1, manifold(0), a, b, a.position, b.position, 0.6).empty());
}

TEST(ContactConstraintFactory, combineRestitution_geometric_mean) {
  EXPECT_DOUBLE_EQ(factory::combineRestitution(0.5, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(factory::combineRestitution(0.9, 0.4), std::sqrt(0.36));
  EXPECT_EQ(factory::combineRestitution(0.0, 1.0), 0.0);
  EXPECT_THROW((void)factory::combineRestitution(1.2, 0.5), std::invalid_argument);
}

TEST(ContactConstraintFactory, computeRelativeNormalVelocity_head_on) {
  EXPECT_DOUBLE_EQ(factory::computeRelativeNormalVelocity(moving({0, 0, 0}, {0, 0, 1}),
                                                          moving({0, 0, 2}, {0, 0, -1}), {0, 0, 1},
                                                          {0, 0, -1}, {0, 0, 1}),
                   -2.0);
}

TEST(ContactConstraintFactory, computeRelativeNormalVelocity_with_angular) {
  // ω = (0, 3, 0) and r = (2, 0, 0): ω × r = (0, 0, -6), away from B for A.
  EXPECT_DOUBLE_EQ(factory::computeRelativeNormalVelocity(moving({0, 0, 0}, {0, 0, 0}, {0, 3, 0}),
                                                          moving({0, 0, 2}, {0, 0, 0}), {2, 0, 0},
                                                          {0, 0, -1}, {0, 0, 1}),
                   6.0);
}

TEST(ContactConstraintFactory, rest_velocity_threshold_disables_restitution) {
  const auto restitutionAt = [](double speed) {
    const InertialState a = moving({0, 0, -1}, {0, 0, 0}), b = moving({0, 0, 1}, {0, 0, -speed});
    return factory::createFromCollision(0, 1, manifold(1), a, b, a.position, b.position, 0.6)[0]
        ->getRestitution();
  };
  EXPECT_EQ(factory::kRestVelocityThreshold, 0.5);
  EXPECT_EQ(factory::kEnvironmentRestitution, 0.5);
  EXPECT_EQ(restitutionAt(0.49), 0.0);
  EXPECT_EQ(restitutionAt(0.51), 0.6);
}

}  // namespace
}  // namespace msd_sim
