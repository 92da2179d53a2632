#pragma once

#include "msd-sim/src/Physics/RigidBody/AssetPhysical.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim {

/// A body that never moves. Its inverse mass and inverse inertia are zero, so that it goes through
/// exactly the same equations as any other body.
class AssetEnvironment : public AssetPhysical {
 public:
  AssetEnvironment(std::uint32_t assetId, std::uint32_t instanceId, const ConvexHull& hull,
                   const ReferenceFrame& frame);
  AssetEnvironment(std::uint32_t assetId, std::uint32_t instanceId, const ConvexHull& hull,
                   const ReferenceFrame& frame, double coefficientOfRestitution);
  AssetEnvironment(std::uint32_t assetId, std::uint32_t instanceId, msd_assets::Shape shape,
                   const ReferenceFrame& frame);

  [[nodiscard]] double getInverseMass() const { return 0.0; }
  [[nodiscard]] const Matrix3D& getInverseInertiaTensor() const;
  /// At rest, at the frame's origin.
  [[nodiscard]] const InertialState& getInertialState() const { return static_state_; }

 private:
  InertialState static_state_;
};

}  // namespace msd_sim
