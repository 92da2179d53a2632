#include "msd-sim/src/Physics/RigidBody/AssetPhysical.hpp"

#include <limits>
#include <utility>

#include "msd-sim/src/Physics/Collision/PlacedShape.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

AssetPhysical::AssetPhysical(std::uint32_t assetId, std::uint32_t instanceId,
                             const ConvexHull& hull, const ReferenceFrame& frame)
    : AssetPhysical(assetId, instanceId, hull.shape(), frame) {}

AssetPhysical::AssetPhysical(std::uint32_t assetId, std::uint32_t instanceId,
                             msd_assets::Shape shape, const ReferenceFrame& frame)
    : asset_id_{assetId},
      instance_id_{instanceId},
      shape_{std::move(shape)},
      frame_{requireFinite(frame.getOrigin(), "position", "m"),
             requireUnit(frame.getOrientation(), "orientation")} {}

std::span<const CollisionPart> AssetPhysical::collisionParts() const {
  if (parts_) return *parts_;
  std::vector<CollisionPart> parts;
  if (shape_.kind() == msd_assets::ShapeKind::kCompound) {
    for (const msd_assets::CompoundPart& part : shape_.as<msd_assets::Compound>().parts) {
      parts.push_back({makeCollisionShape(part.shape), {part.position, part.orientation}});
    }
  } else {
    parts.push_back({makeCollisionShape(shape_), Pose{}});
  }
  parts_ = std::make_shared<const std::vector<CollisionPart>>(std::move(parts));
  return *parts_;
}

void AssetPhysical::setMaterial(const SurfaceMaterial& material) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  requireRange(material.friction, "friction", "", 0.0, kLargestFriction);
  requireRange(material.restitution, "restitution", "", 0.0, 1.0);
  requireRange(material.rollingResistance, "rollingResistance", "m", 0.0, kLargest);
  requireRange(material.torsionalResistance, "torsionalResistance", "m", 0.0, kLargest);
  if (!(material.stiffness > 0.0)) requirePositive(material.stiffness, "contact stiffness", "N/m");
  requireRange(material.damping, "contact damping", "N·s/m", 0.0, kLargest);
  material_ = material;
}

void AssetPhysical::setCoefficientOfRestitution(double e) {
  material_.restitution = requireRange(e, "restitution", "", 0.0, 1.0);
}

void AssetPhysical::setFrictionCoefficient(double mu) {
  material_.friction = requireRange(mu, "friction", "", 0.0, kLargestFriction);
}

}  // namespace msd_sim
