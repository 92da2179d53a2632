// SimBenchmark's contact tests, shortened; `msd validate simbench` runs them whole.

#include <gtest/gtest.h>

#include <numbers>

#include "msd-exe/src/Validate/SimBench.hpp"

namespace msd_exe {
namespace {

using msd_sim::Method;

TEST(SimBench, ballsRollOnAPulledPlateAsTheClosedFormSays) {
  for (const double angle : {std::numbers::pi / 3.0, std::numbers::pi / 2.0}) {
    EXPECT_LT(simbenchRolling(Method::kFast, angle, 1e-3, 0.5), 4.1e-7) << angle;
  }
}

TEST(SimBench, elasticBallsKeepTheirEnergy) {
  EXPECT_LT(simbenchBouncing(1e-2, 3.0), 1e-6);
}

TEST(SimBench, heapOfBallsSinksLessThanThePublishedOnes) {
  EXPECT_LT(simbench666(1e-2, 1.0, 1), 0.0153);
}

// The best published: RaiSim's 264 and 5.2e6 J². What is lost is position correction.
TEST(SimBench, elasticHeapKeepsItsEnergyBetterThanThePublishedOnes) {
  EXPECT_LT(simbenchElastic666(4e-3, 1.0, 1), 1e-3);   // 1.8e-4
  EXPECT_LT(simbenchElastic666(1e-2, 1.0, 1), 100.0);  // 22
}

}  // namespace
}  // namespace msd_exe
