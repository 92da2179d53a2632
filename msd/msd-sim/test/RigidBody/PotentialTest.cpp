// Fields of force belong to one energy: F = -∂U/∂x and τ = -∂U/∂θ, checked by central differences,
// whose error is the square of the step (1e-5 here, so 1e-10 of the field's own scale).

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_sim {
namespace {

constexpr double kMass = 3.0;
constexpr double kStep = 1e-5;

/// Largest difference of the loads to the slopes of the energy at random states within `range` [m].
double worstSlope(const PotentialEnergy& field, double range) {
  std::mt19937_64 random{11};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  double worst = 0.0;
  for (int i = 0; i < 200; ++i) {
    InertialState state;
    state.position = range * Vector3D{uniform(random), uniform(random), uniform(random)};
    state.orientation = exponentialRotation({uniform(random), uniform(random), uniform(random)});
    const Force force = field.computeForce(state, kMass);
    const Torque torque = field.computeTorque(state, Matrix3D::Identity());
    for (int c = 0; c < 3; ++c) {
      InertialState ahead = state, behind = state;
      ahead.position[c] += kStep;
      behind.position[c] -= kStep;
      const double slope =
          (field.computeEnergy(ahead, kMass) - field.computeEnergy(behind, kMass)) / (2 * kStep);
      worst = std::max(worst, std::abs(force[c] + slope));
      ahead = behind = state;
      ahead.orientation = exponentialRotation(kStep * Vector3D::Unit(c)) * state.orientation;
      behind.orientation = exponentialRotation(-kStep * Vector3D::Unit(c)) * state.orientation;
      const double turn =
          (field.computeEnergy(ahead, kMass) - field.computeEnergy(behind, kMass)) / (2 * kStep);
      worst = std::max(worst, std::abs(torque[c] + turn));
    }
  }
  return worst;
}

TEST(Potential, forcesAndTorquesAreTheSlopesOfTheEnergy) {
  EXPECT_LT(worstSlope(GravityPotential{{1.0, -2.0, -9.81}}, 5.0), 1e-8);  // measured 2.1e-9
  // Outside the ball and inside it, where the field grows with the distance.
  EXPECT_LT(worstSlope(PointGravityPotential{{0.1, 0.2, 0.3}, 4.0, 1e-3}, 2.0), 1e-7);   // 5.8e-9
  EXPECT_LT(worstSlope(PointGravityPotential{{0.1, 0.2, 0.3}, 4.0, 50.0}, 2.0), 1e-10);  // 6e-12
  EXPECT_LT(worstSlope(AnchorSpringPotential{{0.1, 0.2, 0.3}, {0.5, -0.4, 0.3}, 40.0, 0.7}, 2.0),
            1e-7);  // 5.1e-9
}

TEST(GravityPotential, pullsTowardsLessEnergy) {
  const GravityPotential field{{0.0, 0.0, -9.81}};
  InertialState state;
  state.position = {1.0, 2.0, 3.0};
  EXPECT_EQ(field.computeForce(state, kMass), Force(0.0, 0.0, -9.81 * kMass));
  EXPECT_DOUBLE_EQ(field.computeEnergy(state, kMass), 9.81 * kMass * 3.0);
  EXPECT_EQ(field.computeTorque(state, Matrix3D::Identity()), Torque::Zero());
  EXPECT_EQ(field.gravity(), Acceleration(0.0, 0.0, -9.81));
}

// Inside and outside meet in energy (-μm/R) and force (μm/R²) at the radius.
TEST(PointGravity, isContinuousAtItsRadiusAndFiniteAtItsCentre) {
  constexpr double kMu = 4.0, kRadius = 0.5;
  const PointGravityPotential field{Coordinate::Zero(), kMu, kRadius};
  for (const double side : {1.0 - 1e-12, 1.0 + 1e-12}) {
    InertialState state;
    state.position = {side * kRadius, 0.0, 0.0};
    EXPECT_NEAR(field.computeEnergy(state, kMass), -kMass * kMu / kRadius, 1e-9);
    EXPECT_NEAR(field.computeForce(state, kMass).x(), -kMass * kMu / (kRadius * kRadius), 1e-9);
  }
  EXPECT_EQ(field.computeForce(InertialState{}, kMass), Force::Zero());
  EXPECT_NEAR(field.computeEnergy(InertialState{}, kMass), -1.5 * kMass * kMu / kRadius, 1e-12);
}

TEST(AnchorSpring, ofNoStretchPullsNothingAndHoldsNoEnergy) {
  const AnchorSpringPotential spring{{0, 0, 0}, {0.5, 0, 0}, 40.0, 2.0};
  InertialState state;
  state.position = {1.5, 0.0, 0.0};
  EXPECT_EQ(spring.computeForce(state, kMass), Force::Zero());
  EXPECT_EQ(spring.computeEnergy(state, kMass), 0.0);
  state.position.x() = -0.5;  // both ends in one point: no direction to push in
  EXPECT_EQ(spring.computeForce(state, kMass), Force::Zero());
}

TEST(Potential, badNumbersAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(GravityPotential(Acceleration{nan, 0, 0}), std::invalid_argument);
  EXPECT_THROW(PointGravityPotential(Coordinate::Zero(), -1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(PointGravityPotential(Coordinate::Zero(), 1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(AnchorSpringPotential({0, 0, 0}, {0, 0, 0}, 0.0, 1.0), std::invalid_argument);
  EXPECT_THROW(AnchorSpringPotential({0, 0, 0}, {0, 0, 0}, 1.0, -1.0), std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim
