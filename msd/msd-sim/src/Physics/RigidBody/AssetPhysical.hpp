#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/Environment/ReferenceFrame.hpp"
#include "msd-sim/src/Physics/RigidBody/ConvexHull.hpp"
#include "msd-sim/src/Physics/RigidBody/SurfaceMaterial.hpp"

namespace msd_sim {

struct CollisionPart;

/// Something that occupies space: a shape in a frame, with a surface.
class AssetPhysical {
 public:
  AssetPhysical(std::uint32_t assetId, std::uint32_t instanceId, const ConvexHull& hull,
                const ReferenceFrame& frame);
  AssetPhysical(std::uint32_t assetId, std::uint32_t instanceId, msd_assets::Shape shape,
                const ReferenceFrame& frame);

  [[nodiscard]] std::uint32_t getAssetId() const { return asset_id_; }
  [[nodiscard]] std::uint32_t getInstanceId() const { return instance_id_; }
  [[nodiscard]] const msd_assets::Shape& getShape() const { return shape_; }
  [[nodiscard]] const ReferenceFrame& getReferenceFrame() const { return frame_; }
  [[nodiscard]] const Pose& pose() const { return frame_.pose(); }
  /// The shapes as collision sees them, in this body's frame: one, or one per part of a compound. Made
  /// when they are first asked for, which two threads must not do at once.
  [[nodiscard]] std::span<const CollisionPart> collisionParts() const;
  void setReferenceFrame(const ReferenceFrame& frame) { frame_ = frame; }

  [[nodiscard]] const SurfaceMaterial& material() const { return material_; }
  void setMaterial(const SurfaceMaterial& material);

  [[nodiscard]] double getCoefficientOfRestitution() const { return material_.restitution; }
  /// Throws std::invalid_argument outside [0, 1].
  void setCoefficientOfRestitution(double e);
  [[nodiscard]] double getFrictionCoefficient() const { return material_.friction; }
  /// Throws std::invalid_argument outside [0, 1000].
  void setFrictionCoefficient(double mu);

 private:
  std::uint32_t asset_id_;
  std::uint32_t instance_id_;
  msd_assets::Shape shape_;
  ReferenceFrame frame_;
  SurfaceMaterial material_{};
  mutable std::shared_ptr<const std::vector<CollisionPart>> parts_{};
};

}  // namespace msd_sim
