#pragma once

#include <cstdint>
#include <optional>

#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/PlacedShape.hpp"

/// Questions about single placed shapes. None of these functions allocates or keeps state.
namespace msd_sim {

inline constexpr std::uint32_t kNoTriangle = 0xFFFFFFFFu;

/// Where a ray meets a shape, world frame.
struct ShapeRayHit {
  double distance{0.0};                   ///< along the ray [m]
  Coordinate point{Coordinate::Zero()};   ///< [m]
  Vector3D normal{Vector3D::Zero()};      ///< unit, outward; the front side of a mesh or terrain
  std::uint32_t triangle{kNoTriangle};    ///< of a mesh or terrain
};

/// First hit of the ray origin + t·direction (unit), 0 <= t <= length [m]. A ray that starts inside a
/// solid hits it at once, with the normal against the ray. Meshes and terrains are surfaces, hit from
/// either side.
[[nodiscard]] std::optional<ShapeRayHit> castRay(const PlacedShape& target,
                                                 const Coordinate& origin,
                                                 const Vector3D& direction, double length);

/// Where a shape that is moved without turning first touches another one.
struct ShapeCastResult {
  double fraction{0.0};                   ///< of the translation, 0 to 1
  Coordinate point{Coordinate::Zero()};   ///< on the target [m]
  Vector3D normal{Vector3D::Zero()};      ///< unit, of the target, towards the moved shape
  std::uint32_t triangle{kNoTriangle};    ///< of a mesh or terrain
};

/// First touch of a convex shape on the way from its pose to pose + translation. Shapes that overlap
/// at the start touch at fraction 0. Against meshes and terrains both sides count. Throws
/// std::invalid_argument if the moved shape is not convex.
[[nodiscard]] std::optional<ShapeCastResult> castShape(const PlacedShape& moved,
                                                       const Vector3D& translation,
                                                       const PlacedShape& target);

/// Do two shapes touch or overlap? At least one must be convex. Meshes are surfaces: a shape wholly
/// inside a closed mesh does not touch it. Terrains are solid below.
[[nodiscard]] bool overlaps(const PlacedShape& a, const PlacedShape& b);

/// Distance and nearest points of two shapes, at least one of them convex; distance 0 and no normal
/// when they touch or overlap (see overlaps).
[[nodiscard]] DistanceResult findDistance(const PlacedShape& a, const PlacedShape& b);

/// Point of a shape nearest to a given one; the point itself, at distance 0, when it lies inside.
struct NearestPoint {
  Coordinate point{Coordinate::Zero()};  ///< [m]
  double distance{0.0};                  ///< [m]
  std::uint32_t triangle{kNoTriangle};   ///< of a mesh or terrain
};
[[nodiscard]] NearestPoint findNearestPoint(const PlacedShape& target, const Coordinate& point);

}  // namespace msd_sim
