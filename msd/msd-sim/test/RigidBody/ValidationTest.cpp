// Checks of a caller's numbers: each refusal names the quantity, its value, its unit and the range.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Check>
std::string refusal(const Check& check) {
  try {
    check();
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Validation, rangeIsClosedAndTheMessageNamesAll) {
  EXPECT_EQ(requireRange(1.0, "e", "m", 0.0, 1.0), 1.0);
  EXPECT_EQ(requireRange(0.0, "e", "m", 0.0, 1.0), 0.0);
  EXPECT_THAT(refusal([] { requireRange(1.5, "e", "m", 0.0, 1.0); }),
              AllOf(HasSubstr("e is 1.5 m"), HasSubstr("expected 0 to 1 m")));
  EXPECT_THAT(
      refusal([] { requireRange(std::numeric_limits<double>::quiet_NaN(), "e", "", 0.0, 1.0); }),
      HasSubstr("e is nan;"));
}

TEST(Validation, directionsAndQuaternionsComeBackAtUnitLength) {
  EXPECT_NEAR((requireDirection({0, 3, 4}, "axis") - Vector3D{0, 0.6, 0.8}).norm(), 0.0, 1e-16);
  EXPECT_THAT(refusal([] { requireDirection({0, 0, 0}, "axis"); }), HasSubstr("axis is (0, 0, 0)"));
  const Quaternion rounded{0.7071067, 0.7071067, 0.0, 0.0};  // seven digits
  EXPECT_NEAR(requireUnit(rounded, "q").norm(), 1.0, 1e-15);
  EXPECT_THAT(refusal([] { requireUnit(Quaternion{1.0, 0.1, 0.0, 0.0}, "q"); }),
              AllOf(HasSubstr("q is (1, 0.1, 0, 0)"), HasSubstr("unit quaternion")));
}

// Moments of a solid are positive, and none is larger than the sum of the others: I_z = Σ m (x² +
// y²)
// <= I_x + I_y. A thin disc reaches the limit.
TEST(Validation, inertiaIsThatOfSomeDistributionOfMass) {
  const auto diagonal = [](double x, double y, double z) {
    return Matrix3D{Vector3D{x, y, z}.asDiagonal()};
  };
  EXPECT_EQ(requireInertia(diagonal(1, 1, 2), "inertia"), diagonal(1, 1, 2));
  EXPECT_THAT(refusal([&] { requireInertia(diagonal(1, 1, 2.1), "inertia"); }),
              AllOf(HasSubstr("inertia has principal moments"), HasSubstr("sum of the")));
  EXPECT_THAT(refusal([&] { requireInertia(diagonal(1, 1, 0), "inertia"); }),
              HasSubstr("principal moment 0"));
  EXPECT_THAT(refusal([&] { requireInertia(diagonal(-1, 1, 1), "inertia"); }),
              HasSubstr("principal moment -1"));
  Matrix3D skew = diagonal(1, 1, 1);
  skew(0, 1) = 0.1;
  EXPECT_THAT(refusal([&] { requireInertia(skew, "inertia"); }), HasSubstr("symmetric"));
  skew(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal([&] { requireInertia(skew, "inertia"); }), HasSubstr("finite"));
}

}  // namespace
}  // namespace msd_sim
