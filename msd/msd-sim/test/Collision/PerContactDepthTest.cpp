// Each contact point has its own depth, max(-dist, 0) against the reference plane; the deepest of them
// is the penetration depth.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/Physics/Collision/CollisionHandler.hpp"
#include "msd-sim/src/Physics/Collision/EPA.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"

namespace msd_sim::test {
namespace {

const CollisionHandler kHandler{1e-6};

TEST(PerContactDepth, SingleContact_DepthMatchesEPA) {
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  const Pose poseA = turned({0, 0, 1}, std::numbers::pi / 4, 0, 0, 0);
  const Pose poseB = turned({0, 1, 0}, std::numbers::pi / 4, std::sqrt(2.0) - 0.02, 0, 0);
  const auto result = kHandler.checkCollision({cube, poseA}, {cube, poseB});
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->contactCount, 1u);
  GJK gjk{cube, poseA, cube, poseB};
  ASSERT_TRUE(gjk.intersects());
  const double depth = EPA{cube, poseA, cube, poseB}.computePenetration(gjk.getSimplex()).depth;
  EXPECT_NEAR(result->contacts[0].depth, depth, 1e-15);
  EXPECT_NEAR(result->contacts[0].depth, result->penetrationDepth, 1e-15);
}

TEST(PerContactDepth, FourContact_FlatLanding_EqualDepths) {
  const auto result = kHandler.checkCollision({box(50, 50, 1), at(0, 0, -1)},
                                              {box(0.5, 0.5, 0.5), at(0.3, -0.2, 0.49)});
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->contactCount, 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result->contacts[i].depth, 0.01, 1e-14);
}

TEST(PerContactDepth, TiltedCube_AsymmetricDepths) {
  // Turned by 15 degrees about y: the corners of the lower face differ in height by sin 15° = 0.26.
  const double tilt = 15.0 * std::numbers::pi / 180.0;
  const double lowest = 0.5 * (std::cos(tilt) + std::sin(tilt));
  const auto result =
      kHandler.checkCollision({box(50, 50, 1), at(0, 0, -1)},
                              {box(0.5, 0.5, 0.5), turned({0, 1, 0}, tilt, 0, 0, lowest - 0.3)});
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->contactCount, 4u);
  // Positive turn about y lowers the side x > 0.
  for (std::size_t i = 0; i < 4; ++i) {
    const ContactPoint& c = result->contacts[i];
    EXPECT_NEAR(c.depth, c.pointB.x() > 0.0 ? 0.3 : 0.3 - std::sin(tilt), 1e-14);
  }
}

TEST(PerContactDepth, TiltedCube_OnlyTheLowEdgeTouchesWhenShallow) {
  const double tilt = 15.0 * std::numbers::pi / 180.0;
  const double lowest = 0.5 * (std::cos(tilt) + std::sin(tilt));
  const auto result =
      kHandler.checkCollision({box(50, 50, 1), at(0, 0, -1)},
                              {box(0.5, 0.5, 0.5), turned({0, 1, 0}, tilt, 0, 0, lowest - 0.01)});
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->contactCount, 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(result->contacts[i].depth, 0.01, 1e-14);
}

TEST(PerContactDepth, GrazingContact_NearZeroDepth) {
  const auto result = kHandler.checkCollision({box(50, 50, 1), at(0, 0, -1)},
                                              {box(0.5, 0.5, 0.5), at(0, 0, 0.5 - 1e-9)});
  ASSERT_TRUE(result.has_value());
  for (std::size_t i = 0; i < result->contactCount; ++i) {
    EXPECT_GE(result->contacts[i].depth, 0.0);
    EXPECT_NEAR(result->contacts[i].depth, 1e-9, 1e-13);
  }
}

TEST(PerContactDepth, MaxDepth_MatchesPenetrationDepth) {
  PairGenerator generator{2};
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    const RandomPair p = generator.pair(PairGenerator::convexKind(generator.integer(5)),
                                        PairGenerator::convexKind(generator.integer(5)), 10.0, 5.0);
    const auto result = kHandler.checkCollision({p.a, p.poseA}, {p.b, p.poseB});
    if (!result) continue;
    ++found;
    double deepest = 0.0;
    for (std::size_t k = 0; k < result->contactCount; ++k) {
      deepest = std::max(deepest, result->contacts[k].depth);
    }
    EXPECT_DOUBLE_EQ(deepest, result->penetrationDepth);
  }
  EXPECT_GT(found, 1000);
}

TEST(PerContactDepth, DepthNonNegative) {
  PairGenerator generator{4};
  for (int i = 0; i < 5000; ++i) {
    const RandomPair p = generator.pair(PairGenerator::convexKind(generator.integer(5)),
                                        PairGenerator::convexKind(generator.integer(5)), 100.0, 5.0);
    const auto result = kHandler.checkCollision({p.a, p.poseA}, {p.b, p.poseB});
    if (!result) continue;
    ASSERT_GE(result->contactCount, 1u);
    ASSERT_LE(result->contactCount, 4u);
    for (std::size_t k = 0; k < result->contactCount; ++k) {
      EXPECT_GE(result->contacts[k].depth, 0.0);
      // Depth is the distance of the two surface points against the normal.
      const ContactPoint& c = result->contacts[k];
      EXPECT_NEAR(std::max(result->normal.dot(c.pointA - c.pointB), 0.0), c.depth,
                  1e-12 * (p.a.size + p.b.size));
    }
  }
}

struct Thing {
  CollisionShape shape;
  Pose place;
  [[nodiscard]] const CollisionShape& collisionShape() const { return shape; }
  [[nodiscard]] const Pose& pose() const { return place; }
};

TEST(CollisionHandler, worksOnAnythingThatKnowsItsShapeAndPose) {
  const Thing a{sphere(1.0), at(0, 0, 0)};
  const Thing b{box(1, 1, 1), at(1.9, 0, 0)};
  const auto result = kHandler.checkCollision(a, b);
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->penetrationDepth, 0.1, 1e-15);
  EXPECT_FALSE(kHandler.checkCollision(a, Thing{box(1, 1, 1), at(2.1, 0, 0)}).has_value());
}

TEST(CollisionHandler, shapesThatJustTouchCollideWithDepthZero) {
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  const auto result = kHandler.checkCollision({cube, at(0, 0, 0)}, {cube, at(1.0, 0, 0)});
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->penetrationDepth, 0.0, 1e-15);
}

TEST(CollisionHandler, rejectsAnEpsilonOutsideItsRange) {
  EXPECT_THROW(CollisionHandler{-1e-6}, std::invalid_argument);
  EXPECT_THROW(CollisionHandler{1.0}, std::invalid_argument);
  EXPECT_THROW(CollisionHandler{std::nan("")}, std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim::test
