// Assets: what a body is made of. A hull of 2 x 4 x 6 m, its corner at the origin of its frame, has
// V = 48 m³, its centre at (1, 2, 3) and I_x = m (b² + c²)/12 about it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "msd-sim/src/Physics/RigidBody/AssetEnvironment.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetInertial.hpp"

namespace msd_sim {
namespace {

ConvexHull brick() {
  std::array<Coordinate, 8> corners;
  for (std::size_t i = 0; i < 8; ++i) {
    corners[i] = {i & 1 ? 2.0 : 0.0, i & 2 ? 4.0 : 0.0, i & 4 ? 6.0 : 0.0};
  }
  return ConvexHull{corners};
}

const Quaternion kQuarterAboutZ{Eigen::AngleAxisd{1.5707963267948966, Vector3D::UnitZ()}};

constexpr double kMass = 12.0;
const Vector3D kMoments{4.0 * 4.0 + 6.0 * 6.0, 2.0 * 2.0 + 6.0 * 6.0, 2.0 * 2.0 + 4.0 * 4.0};

AssetInertial turnedBrick() {
  return {7, 8, brick(), kMass, ReferenceFrame{{10, 0, 0}, kQuarterAboutZ}};
}

TEST(ConvexHull, hasTheVolumeAndCentreOfItsPoints) {
  const ConvexHull hull = brick();
  EXPECT_EQ(hull.getVertices().size(), 8u);
  EXPECT_NEAR(hull.getVolume(), 48.0, 1e-13);
  EXPECT_NEAR((hull.getCentroid() - Coordinate{1, 2, 3}).norm(), 0.0, 1e-15);
}

TEST(ConvexHull, needsFourPointsThatAreNotInAPlane) {
  const std::array<Coordinate, 4> flat{Coordinate{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  EXPECT_THROW(ConvexHull{std::span{flat}.first(3)}, std::invalid_argument);
  EXPECT_THROW(ConvexHull{flat}, std::invalid_argument);
  std::array<Coordinate, 4> broken = flat;
  broken[3].z() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ConvexHull{broken}, std::invalid_argument);
}

TEST(AssetInertial, hasTheMassAndInertiaOfItsHull) {
  const AssetInertial body = turnedBrick();
  EXPECT_EQ(body.getAssetId(), 7u);
  EXPECT_EQ(body.getInstanceId(), 8u);
  EXPECT_EQ(body.getMass(), kMass);
  EXPECT_EQ(body.getInverseMass(), 1.0 / kMass);
  const Matrix3D expected = kMoments.asDiagonal();
  EXPECT_NEAR((body.getInertiaTensor() - expected).norm(), 0.0, 1e-12);
  EXPECT_NEAR((body.localCentreOfMass() - Coordinate{1, 2, 3}).norm(), 0.0, 1e-15);
}

// R I⁻¹ Rᵀ: the quarter turn exchanges x and y.
TEST(AssetInertial, inverseInertiaTurnsWithTheBody) {
  AssetInertial body = turnedBrick();
  const Matrix3D expected =
      Vector3D{1.0 / kMoments.y(), 1.0 / kMoments.x(), 1.0 / kMoments.z()}.asDiagonal();
  EXPECT_NEAR((body.getInverseInertiaTensor() - expected).norm(), 0.0, 1e-16);
  // A turn whose inverse does something else: about an axis that is no axis of the body.
  InertialState state = body.getInertialState();
  state.orientation = Quaternion{Eigen::AngleAxisd{0.7, Vector3D{1, 2, 3}.normalized()}};
  body.setInertialState(state);
  const AngularRate w{0.3, -0.2, 0.5};
  const Vector3D momentum = body.getInverseInertiaTensor().inverse() * w;
  const Vector3D local = state.orientation.conjugate() * w;
  EXPECT_NEAR((momentum - state.orientation * (kMoments.asDiagonal() * local)).norm(), 0.0, 1e-12);
}

// The state is that of the centre of mass; the frame stays where the shape's own axes are.
TEST(AssetInertial, stateAndFrameDifferByTheCentreOfMass) {
  AssetInertial body = turnedBrick();
  EXPECT_NEAR((body.getInertialState().position - Coordinate{10 - 2, 1, 3}).norm(), 0.0, 1e-14);
  InertialState state = body.getInertialState();
  state.position = {0, 0, 0};
  body.setInertialState(state);
  EXPECT_NEAR((body.getReferenceFrame().getOrigin() - Coordinate{2, -1, -3}).norm(), 0.0, 1e-14);
}

TEST(AssetInertial, kineticEnergyIsThatOfTranslationAndRotation) {
  AssetInertial body = turnedBrick();
  InertialState state = body.getInertialState();
  state.velocity = {3, 0, 4};
  state.angularVelocity = {2, 0, 0};  // world x is the body's -y
  body.setInertialState(state);
  EXPECT_NEAR(body.kineticEnergy(), 0.5 * kMass * 25.0 + 0.5 * kMoments.y() * 4.0, 1e-12);
}

TEST(AssetInertial, forcesAddUpAndAPointGivesALeverArm) {
  AssetInertial body = turnedBrick();
  const Coordinate centre = body.getInertialState().position;
  body.applyForce({1, 0, 0});
  body.applyForceAtPoint({0, 2, 0}, centre + Vector3D{3, 0, 0});
  body.applyTorque({0, 0, 0.5});
  EXPECT_EQ(body.accumulatedForce(), Force(1, 2, 0));
  EXPECT_NEAR((body.accumulatedTorque() - Torque{0, 0, 6.5}).norm(), 0.0, 1e-14);
  body.clearForces();
  EXPECT_EQ(body.accumulatedForce(), Force::Zero());
  EXPECT_EQ(body.accumulatedTorque(), Torque::Zero());
}

// Δv = J/m, Δω = I⁻¹ (r × J).
TEST(AssetInertial, impulseAtAPointChangesBothVelocities) {
  AssetInertial body = turnedBrick();
  const Coordinate centre = body.getInertialState().position;
  body.applyImpulseAtPoint({0, 6, 0}, centre + Vector3D{2, 0, 0});
  EXPECT_NEAR((body.getInertialState().velocity - Vector3D{0, 0.5, 0}).norm(), 0.0, 1e-15);
  EXPECT_NEAR(
      (body.getInertialState().angularVelocity - Vector3D{0, 0, 12.0 / kMoments.z()}).norm(), 0.0,
      1e-15);
}

TEST(AssetInertial, coefficientsHaveTheirDefaultsAndRanges) {
  AssetInertial body = turnedBrick();
  EXPECT_EQ(body.getCoefficientOfRestitution(), 0.5);
  EXPECT_EQ(body.getFrictionCoefficient(), 0.5);
  for (const double e : {0.0, 0.3, 1.0}) {
    body.setCoefficientOfRestitution(e);
    EXPECT_EQ(body.getCoefficientOfRestitution(), e);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double e : {-0.1, 1.1, nan}) {
    try {
      body.setCoefficientOfRestitution(e);
      ADD_FAILURE() << e << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(),
                  testing::HasSubstr(fmt::format("restitution is {}; expected 0 to 1", e)));
    }
  }
  EXPECT_EQ(body.getCoefficientOfRestitution(), 1.0);  // as it was
  EXPECT_THROW(body.setFrictionCoefficient(-0.1), std::invalid_argument);
  EXPECT_THROW(body.setFrictionCoefficient(nan), std::invalid_argument);
  EXPECT_THROW(body.setDamping(-1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(body.setMaterial({.rollingResistance = -1.0}), std::invalid_argument);
  const ReferenceFrame frame{Coordinate{0, 0, 0}};
  EXPECT_EQ((AssetInertial{0, 0, brick(), 1.0, frame, 0.8}.getCoefficientOfRestitution()), 0.8);
  EXPECT_THROW((AssetInertial{0, 0, brick(), 1.0, frame, 1.5}), std::invalid_argument);
}

TEST(AssetInertial, massMustBeAPositiveNumber) {
  const ReferenceFrame frame{Coordinate{0, 0, 0}};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double mass : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW((AssetInertial{0, 0, brick(), mass, frame}), std::invalid_argument) << mass;
  }
}

TEST(AssetInertial, stateThatIsNoStateIsRefusedAndChangesNothing) {
  AssetInertial body = turnedBrick();
  InertialState bad = body.getInertialState();
  bad.velocity.x() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(body.setInertialState(bad), std::invalid_argument);
  bad = body.getInertialState();
  bad.position.x() = 5.0;
  bad.orientation = Quaternion{1.0, 1.0, 0.0, 0.0};
  EXPECT_THROW(body.setInertialState(bad), std::invalid_argument);
  EXPECT_EQ(body.getInertialState().position, turnedBrick().getInertialState().position);
}

TEST(AssetEnvironment, hasNoInverseMassNoInverseInertiaAndStandsStill) {
  const AssetEnvironment wall{1, 2, brick(), ReferenceFrame{{1, 2, 3}, kQuarterAboutZ}};
  EXPECT_EQ(wall.getInverseMass(), 0.0);
  EXPECT_EQ(wall.getInverseInertiaTensor(), Matrix3D::Zero());
  EXPECT_EQ(wall.getInertialState().velocity, Vector3D::Zero());
  EXPECT_EQ(wall.getInertialState().angularVelocity, Vector3D::Zero());
  EXPECT_EQ(wall.getInertialState().position, Coordinate(1, 2, 3));
  EXPECT_EQ(wall.getCoefficientOfRestitution(), 0.5);
  const ReferenceFrame frame{Coordinate{0, 0, 0}};
  EXPECT_EQ((AssetEnvironment{0, 0, brick(), frame, 0.9}.getCoefficientOfRestitution()), 0.9);
  EXPECT_THROW((AssetEnvironment{0, 0, brick(), frame, -0.1}), std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
