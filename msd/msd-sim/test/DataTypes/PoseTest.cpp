// Frames and spatial vectors: p_WP = x_B + R_WB p_BP, and values that are plain numbers.

#include <gtest/gtest.h>

#include <type_traits>

#include "msd-sim/src/DataTypes/Aabb.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Environment/ReferenceFrame.hpp"

namespace msd_sim {
namespace {

/// A quarter turn about z: x to y, y to -x.
const Quaternion kQuarter{Eigen::AngleAxisd{1.5707963267948966, Vector3D::UnitZ()}};

TEST(ReferenceFrame, takesLocalPointsToTheWorldAndBack) {
  const ReferenceFrame frame{Coordinate{1, 2, 3}, kQuarter};
  const Coordinate local{4, 5, 6};
  EXPECT_NEAR((frame.localToGlobal(local) - Coordinate{1 - 5, 2 + 4, 3 + 6}).norm(), 0.0, 4e-15);
  EXPECT_NEAR((frame.globalToLocal(Coordinate{-4, 6, 9}) - local).norm(), 0.0, 4e-15);
  EXPECT_NEAR((frame.getRotation() * Vector3D::UnitX() - Vector3D::UnitY()).norm(), 0.0, 1e-15);
}

TEST(Pose, productAndInverseAreThoseOfTheFrames) {
  const Pose inWorld{{1, 2, 3}, kQuarter}, inBody{{4, 0, 0}, kQuarter};
  const Pose product = inWorld * inBody;
  EXPECT_NEAR((product.position - Coordinate{1, 6, 3}).norm(), 0.0, 1e-15);
  EXPECT_NEAR((product.orientation * Vector3D::UnitX() + Vector3D::UnitX()).norm(), 0.0, 1e-15);
  const Pose back = inWorld.inverse() * inWorld;
  EXPECT_NEAR(back.position.norm(), 0.0, 1e-15);
  EXPECT_NEAR(back.orientation.w(), 1.0, 1e-15);
}

TEST(SpatialVector, isZeroByDefaultAndAPlainValue) {
  const SpatialVector zero;
  EXPECT_EQ(zero.linear, Vector3D::Zero());
  EXPECT_EQ(zero.angular, Vector3D::Zero());
  const SpatialVector given{{1, 2, 3}, {4, 5, 6}};
  SpatialVector copy = given;
  copy.linear.x() = 7.0;
  EXPECT_EQ(given.linear, Vector3D(1, 2, 3));
  EXPECT_EQ(copy.angular, Vector3D(4, 5, 6));
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<SpatialVector>);
}

TEST(Aabb, touchingBoxesOverlapAndAnEmptyOneOverlapsNothing) {
  const Aabb box{{0, 0, 0}, {1, 2, 3}};
  EXPECT_TRUE(box.overlaps({{1, 2, 3}, {4, 4, 4}}));
  EXPECT_FALSE(box.overlaps({{1.001, 0, 0}, {4, 4, 4}}));
  EXPECT_TRUE(Aabb{}.isEmpty());
  EXPECT_FALSE(box.overlaps(Aabb{}));
  EXPECT_TRUE(box.contains({{0, 1, 1}, {1, 2, 3}}));
  EXPECT_FALSE(box.contains({{0, 1, 1}, {1, 2.5, 3}}));
  EXPECT_EQ(Aabb{}.merged(box).upper, box.upper);
  EXPECT_EQ(box.expanded(0.5).lower, Coordinate(-0.5, -0.5, -0.5));
  EXPECT_DOUBLE_EQ(box.halfArea(), 1 * 2 + 2 * 3 + 3 * 1);
}

}  // namespace
}  // namespace msd_sim
