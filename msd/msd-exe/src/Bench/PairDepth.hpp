#pragma once

#include <array>
#include <memory>
#include <vector>

#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/DynamicTree.hpp"

namespace msd_exe {

/// A shape prepared for measuring how deep it lies in others. The measures are closed forms and the
/// separating-axis theorem, written for this purpose: they share nothing with the collision code
/// that they judge, except for cylinders, planes and terrains, which are left to it.
class MeasuredShape {
 public:
  explicit MeasuredShape(const msd_assets::Shape& shape);

  [[nodiscard]] bool isRound() const;     ///< sphere or capsule: a thick segment
  [[nodiscard]] bool isPolytope() const;  ///< box or hull
  [[nodiscard]] bool isMesh() const { return kind_ == msd_assets::ShapeKind::kMesh; }
  [[nodiscard]] const msd_sim::CollisionShape& collision() const { return collision_; }

  double radius{0.0};      ///< of a round shape [m]
  double halfHeight{0.0};  ///< of a capsule's segment [m]
  /// Corners, and the directions a separating axis may have; parallel ones stand once.
  std::vector<msd_sim::Coordinate> vertices{};
  std::vector<msd_sim::Vector3D> normals{};
  std::vector<msd_sim::Vector3D> edges{};
  /// Faces as corner lists, for distances from outside.
  std::vector<std::vector<std::uint16_t>> faces{};
  std::vector<msd_sim::Vector3D> faceNormals{};
  std::vector<double> faceOffsets{};
  /// Mesh only.
  std::vector<std::array<std::uint32_t, 3>> triangles{};
  msd_sim::DynamicTree triangleTree{};

 private:
  msd_assets::ShapeKind kind_;
  msd_sim::CollisionShape collision_{};
};

/// Depth of the overlap of two placed shapes: the least translation that separates them; <= 0 when
/// they are apart [m]. A mesh is measured triangle by triangle, and the deepest counts.
[[nodiscard]] double pairDepth(const MeasuredShape& a, const msd_sim::Pose& poseA,
                               const MeasuredShape& b, const msd_sim::Pose& poseB);

}  // namespace msd_exe
