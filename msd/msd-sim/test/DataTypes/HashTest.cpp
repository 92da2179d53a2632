// The fingerprint of a state: equal numbers give equal prints, different ones different prints.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "msd-sim/src/DataTypes/Hash128.hpp"

namespace msd_sim {
namespace {

Hash128 hashOf(std::initializer_list<double> values) {
  Hasher hasher;
  for (const double value : values) hasher.add(value);
  return hasher.finish();
}

TEST(Hash, countsBothZerosAndAllNansAlike) {
  EXPECT_EQ(hashOf({1.0, 0.0}), hashOf({1.0, -0.0}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double other = std::bit_cast<double>(0xFFF8000000000123u);
  ASSERT_TRUE(std::isnan(other));
  EXPECT_EQ(hashOf({nan}), hashOf({other}));
}

TEST(Hash, seesTheLastBitTheOrderAndTheLength) {
  const double next = std::nextafter(1.0, 2.0);
  const std::set<Hash128> prints{hashOf({}),         hashOf({0.0}),      hashOf({0.0, 0.0}),
                                 hashOf({1.0, 2.0}), hashOf({2.0, 1.0}), hashOf({next, 2.0})};
  EXPECT_EQ(prints.size(), 6u);
}

TEST(Hash, isWrittenWithTheHighHalfFirst) {
  EXPECT_EQ((Hash128{.low = 0x0123456789abcdefu, .high = 0xfedcba9876543210u}.toString()),
            "fedcba98765432100123456789abcdef");
}

// Recordings hold prints: they must not change from build to build.
TEST(Hash, ofKnownNumbersIsKnown) {
  EXPECT_EQ(hashOf({1.0, -2.5, 1e300}).toString(), "7818d14947f29028e12b2d3218b4b1dd");
}

}  // namespace
}  // namespace msd_sim
