#include "msd-sim/src/Physics/Constraints/LambdaBounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace msd_sim {
namespace {

TEST(LambdaBounds, bilateral_returns_infinite_bounds) {
  const LambdaBounds b = LambdaBounds::bilateral();
  EXPECT_TRUE(std::isinf(b.lower) && b.lower < 0.0);
  EXPECT_TRUE(std::isinf(b.upper) && b.upper > 0.0);
}

TEST(LambdaBounds, unilateral_returns_nonnegative_bounds) {
  const LambdaBounds b = LambdaBounds::unilateral();
  EXPECT_EQ(b.lower, 0.0);
  EXPECT_TRUE(std::isinf(b.upper) && b.upper > 0.0);
}

TEST(LambdaBounds, box_constrained_returns_custom_bounds) {
  EXPECT_EQ(LambdaBounds::boxConstrained(-5.0, 5.0), (LambdaBounds{-5.0, 5.0}));
}

TEST(LambdaBounds, isBilateral_correct) {
  EXPECT_TRUE(LambdaBounds::bilateral().isBilateral());
  EXPECT_FALSE(LambdaBounds::unilateral().isBilateral());
  EXPECT_FALSE(LambdaBounds::boxConstrained(-1.0, 1.0).isBilateral());
}

TEST(LambdaBounds, isUnilateral_correct) {
  EXPECT_FALSE(LambdaBounds::bilateral().isUnilateral());
  EXPECT_TRUE(LambdaBounds::unilateral().isUnilateral());
  EXPECT_FALSE(LambdaBounds::boxConstrained(0.0, 1.0).isUnilateral());
}

TEST(LambdaBounds, isBoxConstrained_correct) {
  EXPECT_FALSE(LambdaBounds::bilateral().isBoxConstrained());
  EXPECT_FALSE(LambdaBounds::unilateral().isBoxConstrained());
  EXPECT_TRUE(LambdaBounds::boxConstrained(-1.0, 1.0).isBoxConstrained());
}

}  // namespace
}  // namespace msd_sim
