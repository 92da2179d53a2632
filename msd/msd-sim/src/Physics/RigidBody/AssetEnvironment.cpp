#include "msd-sim/src/Physics/RigidBody/AssetEnvironment.hpp"

#include <utility>

namespace msd_sim {

AssetEnvironment::AssetEnvironment(std::uint32_t assetId, std::uint32_t instanceId,
                                   const ConvexHull& hull, const ReferenceFrame& frame)
    : AssetEnvironment(assetId, instanceId, hull.shape(), frame) {}

AssetEnvironment::AssetEnvironment(std::uint32_t assetId, std::uint32_t instanceId,
                                   const ConvexHull& hull, const ReferenceFrame& frame,
                                   double coefficientOfRestitution)
    : AssetEnvironment(assetId, instanceId, hull.shape(), frame) {
  setCoefficientOfRestitution(coefficientOfRestitution);
}

AssetEnvironment::AssetEnvironment(std::uint32_t assetId, std::uint32_t instanceId,
                                   msd_assets::Shape shape, const ReferenceFrame& frame)
    : AssetPhysical(assetId, instanceId, std::move(shape), frame),
      static_state_{.position = pose().position, .orientation = pose().orientation} {}

const Matrix3D& AssetEnvironment::getInverseInertiaTensor() const {
  static const Matrix3D kZero = Matrix3D::Zero();
  return kZero;
}

}  // namespace msd_sim
