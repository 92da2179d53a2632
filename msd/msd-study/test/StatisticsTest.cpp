// Chi-square: with two degrees of freedom Q = e^(-x/2); tables give 11.0705 as the 5 % point of five.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "msd-study/src/StudyChecks.hpp"

namespace msd_study::test {

namespace {

TEST(ChiSquare, isTheClosedFormForThreeOutcomes) {
  const std::array counts{40.0, 30.0, 20.0};  // x = 100/30 + 0 + 100/30
  EXPECT_NEAR(chiSquareChance(counts), std::exp(-10.0 / 3.0), 1e-14);  // measured: 1e-17
}

TEST(ChiSquare, hasTheTabulatedFivePercentPoint) {
  EXPECT_NEAR(upperGammaShare(2.5, 0.5 * 11.0705), 0.05, 1e-6);  // measured: 2.4e-8
  EXPECT_NEAR(upperGammaShare(50.0, 60.0), 0.0844067, 1e-6);     // Q(50, 60)
}

TEST(ChiSquare, isCertainOfEqualCountsAndNoticesUnequalOnes) {
  EXPECT_EQ(chiSquareChance(std::array{7.0, 7.0, 7.0, 7.0}), 1.0);
  EXPECT_LT(chiSquareChance(std::array{1000.0, 1200.0, 900.0, 900.0}), 1e-9);
}

}  // namespace

}  // namespace msd_study::test
