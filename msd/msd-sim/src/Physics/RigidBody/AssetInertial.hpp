#pragma once

#include "msd-assets/src/MassProperties.hpp"
#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetPhysical.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim {

/// Mass, where its centre lies and how it is spread.
struct BodyInertia {
  double mass{1.0};                                   ///< [kg]
  Coordinate centreOfMass{Coordinate::Zero()};        ///< in the shape's frame [m]
  Matrix3D inertia{Matrix3D::Identity()};             ///< about the centre, body axes [kg·m²]

  /// Scales the properties of a solid of unit density to a density [kg/m³] or to a mass [kg].
  [[nodiscard]] static BodyInertia fromDensity(const msd_assets::MassProperties& solid,
                                               double density);
  [[nodiscard]] static BodyInertia fromMass(const msd_assets::MassProperties& solid, double mass);
};

/// A body that moves under forces. `InertialState` (of the centre of mass) is the truth; the
/// reference frame follows it.
class AssetInertial : public AssetPhysical {
 public:
  AssetInertial(std::uint32_t assetId, std::uint32_t instanceId, const ConvexHull& hull,
                double mass, const ReferenceFrame& frame);
  AssetInertial(std::uint32_t assetId, std::uint32_t instanceId, const ConvexHull& hull,
                double mass, const ReferenceFrame& frame, double coefficientOfRestitution);
  AssetInertial(std::uint32_t assetId, std::uint32_t instanceId, msd_assets::Shape shape,
                const BodyInertia& inertia, const ReferenceFrame& frame);

  [[nodiscard]] double getMass() const { return inertia_.mass; }                 ///< [kg]
  [[nodiscard]] double getInverseMass() const { return inverse_mass_; }          ///< [1/kg]
  /// About the centre of mass, body axes [kg·m²].
  [[nodiscard]] const Matrix3D& getInertiaTensor() const { return inertia_.inertia; }
  /// R I⁻¹ Rᵀ, world axes [1/(kg·m²)].
  [[nodiscard]] Matrix3D getInverseInertiaTensor() const;
  /// I⁻¹ in body axes [1/(kg·m²)].
  [[nodiscard]] const Matrix3D& localInverseInertia() const { return local_inverse_inertia_; }
  [[nodiscard]] const Coordinate& localCentreOfMass() const { return inertia_.centreOfMass; }

  [[nodiscard]] const InertialState& getInertialState() const { return state_; }
  [[nodiscard]] InertialState& getInertialState() { return state_; }
  /// Replaces the state and lets the frame follow. Throws when a number is not finite or the
  /// orientation is not a unit quaternion.
  void setInertialState(const InertialState& state);
  /// Moves the reference frame to where the state says it is.
  void synchronizeFrame();

  [[nodiscard]] double kineticEnergy() const;  ///< translation and rotation [J]

  void applyForce(const Force& force);                                 ///< at the centre [N]
  void applyForceAtPoint(const Force& force, const Coordinate& point);  ///< world point
  void applyTorque(const Torque& torque);                              ///< [N·m]
  void applyImpulseAtPoint(const Vector3D& impulse, const Coordinate& point);  ///< [N·s], at once
  void clearForces() { accumulated_ = {}; }
  [[nodiscard]] const Force& accumulatedForce() const { return accumulated_.linear; }
  [[nodiscard]] const Torque& accumulatedTorque() const { return accumulated_.angular; }

  /// Moves as it is told and feels no force: solvers take its inverse mass and inertia as zero.
  [[nodiscard]] bool isKinematic() const { return kinematic_; }
  void setKinematic(bool kinematic) { kinematic_ = kinematic; }

  [[nodiscard]] double linearDamping() const { return linear_damping_; }    ///< [1/s]
  [[nodiscard]] double angularDamping() const { return angular_damping_; }  ///< [1/s]
  void setDamping(double linear, double angular);

 private:
  BodyInertia inertia_;
  double inverse_mass_;
  Matrix3D local_inverse_inertia_;
  InertialState state_;
  SpatialVector accumulated_{};
  double linear_damping_{0.0};
  double angular_damping_{0.0};
  bool kinematic_{false};
};

}  // namespace msd_sim
