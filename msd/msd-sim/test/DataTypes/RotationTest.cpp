// Rotations without the library's sine: log is the inverse of exp, and both agree with angle and
// axis.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "msd-sim/src/DataTypes/Rotation.hpp"

namespace msd_sim {
namespace {

Vector3D randomAxis(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Vector3D{normal(random), normal(random), normal(random)}.normalized();
}

TEST(RotationVector, isTheAngleTimesTheAxis) {
  std::mt19937_64 random{1};
  double worst = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const double angle = std::numbers::pi * i / 2000.0;
    const Vector3D axis = randomAxis(random);
    const Vector3D found = rotationVector(Quaternion{Eigen::AngleAxisd{angle, axis}});
    worst = std::max(worst, (found - angle * axis).norm());
  }
  EXPECT_LT(worst, 5e-15);  // measured 2.1e-15
}

// q and -q are one rotation; of the two ways there the vector takes the shorter.
TEST(RotationVector, takesTheShorterWay) {
  std::mt19937_64 random{2};
  for (const double angle : {1e-9, 0.3, 3.0}) {
    const Vector3D axis = randomAxis(random);
    const Quaternion q{Eigen::AngleAxisd{angle, axis}};
    const Quaternion other{-q.w(), -q.x(), -q.y(), -q.z()};
    EXPECT_EQ(rotationVector(other), rotationVector(q));
    EXPECT_NEAR((rotationVector(q) - angle * axis).norm(), 0.0, 5e-15);
    const Quaternion longWay{Eigen::AngleAxisd{2.0 * std::numbers::pi - angle, axis}};
    EXPECT_NEAR((rotationVector(longWay) + angle * axis).norm(), 0.0, 5e-15);
  }
}

TEST(RotationVector, undoesTheExponential) {
  std::mt19937_64 random{3};
  std::uniform_real_distribution<double> upToHalfATurn{0.0, std::numbers::pi};
  for (int i = 0; i < 1000; ++i) {
    const Vector3D angle = upToHalfATurn(random) * randomAxis(random);
    EXPECT_NEAR((rotationVector(exponentialRotation(angle)) - angle).norm(), 0.0, 1e-14);
  }
  EXPECT_EQ(rotationVector(Quaternion::Identity()), Vector3D::Zero());
}

}  // namespace
}  // namespace msd_sim
