#include "msd-sim/src/Physics/RigidBody/AssetInertial.hpp"

#include <Eigen/LU>
#include <limits>
#include <utility>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

// Bodies lighter than a nanogram or heavier than a mountain are mistakes of unit.
constexpr double kLightest = 1e-12;  // [kg]
constexpr double kHeaviest = 1e15;   // [kg]

BodyInertia checked(const BodyInertia& inertia) {
  return {requireRange(inertia.mass, "mass", "kg", kLightest, kHeaviest),
          requireFinite(inertia.centreOfMass, "centreOfMass", "m"),
          requireInertia(inertia.inertia, "inertia")};
}

}  // namespace

BodyInertia BodyInertia::fromDensity(const msd_assets::MassProperties& solid, double density) {
  requirePositive(density, "density", "kg/m³");
  return {density * solid.volume, solid.centreOfMass, density * solid.inertia};
}

BodyInertia BodyInertia::fromMass(const msd_assets::MassProperties& solid, double mass) {
  requireRange(mass, "mass", "kg", kLightest, kHeaviest);
  return {mass, solid.centreOfMass, (mass / solid.volume) * solid.inertia};
}

AssetInertial::AssetInertial(std::uint32_t assetId, std::uint32_t instanceId,
                             const ConvexHull& hull, double mass, const ReferenceFrame& frame)
    : AssetInertial(assetId, instanceId, hull.shape(),
                    BodyInertia::fromMass(hull.massProperties(), mass), frame) {}

AssetInertial::AssetInertial(std::uint32_t assetId, std::uint32_t instanceId,
                             const ConvexHull& hull, double mass, const ReferenceFrame& frame,
                             double coefficientOfRestitution)
    : AssetInertial(assetId, instanceId, hull, mass, frame) {
  setCoefficientOfRestitution(coefficientOfRestitution);
}

AssetInertial::AssetInertial(std::uint32_t assetId, std::uint32_t instanceId,
                             msd_assets::Shape shape, const BodyInertia& inertia,
                             const ReferenceFrame& frame)
    : AssetPhysical(assetId, instanceId, std::move(shape), frame),
      inertia_{checked(inertia)},
      inverse_mass_{1.0 / inertia_.mass},
      local_inverse_inertia_{inertia_.inertia.inverse()},
      state_{.position = pose().toWorld(inertia_.centreOfMass),
             .orientation = pose().orientation} {}

Matrix3D AssetInertial::getInverseInertiaTensor() const {
  const Matrix3D R_WB = state_.orientation.toRotationMatrix();
  return R_WB * local_inverse_inertia_ * R_WB.transpose();
}

void AssetInertial::setInertialState(const InertialState& state) {
  const InertialState checkedState{requireFinite(state.position, "position", "m"),
                                   requireUnit(state.orientation, "orientation"),
                                   requireFinite(state.velocity, "velocity", "m/s"),
                                   requireFinite(state.angularVelocity, "angularVelocity", "rad/s")};
  state_ = checkedState;
  synchronizeFrame();
}

void AssetInertial::synchronizeFrame() {
  setReferenceFrame(ReferenceFrame{state_.position - state_.orientation * inertia_.centreOfMass,
                                   state_.orientation});
}

double AssetInertial::kineticEnergy() const {
  const AngularRate w_B = state_.orientation.conjugate() * state_.angularVelocity;
  return 0.5 * inertia_.mass * state_.velocity.squaredNorm() + 0.5 * w_B.dot(inertia_.inertia * w_B);
}

void AssetInertial::applyForce(const Force& force) {
  accumulated_.linear += requireFinite(force, "force", "N");
}

void AssetInertial::applyForceAtPoint(const Force& force, const Coordinate& point) {
  requireFinite(point, "point", "m");
  applyForce(force);
  accumulated_.angular += (point - state_.position).cross(force);
}

void AssetInertial::applyTorque(const Torque& torque) {
  accumulated_.angular += requireFinite(torque, "torque", "N·m");
}

void AssetInertial::applyImpulseAtPoint(const Vector3D& impulse, const Coordinate& point) {
  requireFinite(impulse, "impulse", "N·s");
  requireFinite(point, "point", "m");
  state_.velocity += inverse_mass_ * impulse;
  state_.angularVelocity += getInverseInertiaTensor() * (point - state_.position).cross(impulse);
}

void AssetInertial::setDamping(double linear, double angular) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  linear_damping_ = requireRange(linear, "linearDamping", "1/s", 0.0, kLargest);
  angular_damping_ = requireRange(angular, "angularDamping", "1/s", 0.0, kLargest);
}

}  // namespace msd_sim
