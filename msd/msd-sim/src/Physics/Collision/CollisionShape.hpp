#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/DataTypes/Aabb.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_sim {

class TriangleBvh;
using msd_assets::ShapeKind;

/// A shape as collision sees it: flat, with everything a test needs one step away, most of it in the
/// first cache line. Made once per body from a Shape; a compound gives one CollisionShape per part.
struct CollisionShape {
  ShapeKind kind{ShapeKind::kSphere};
  double size{0.0};    ///< characteristic length: radius of the ball about the frame's origin [m]
  double radius{0.0};                           ///< sphere, capsule, cylinder [m]
  double halfHeight{0.0};                       ///< capsule, cylinder [m]
  Vector3D halfExtents{Vector3D::Zero()};       ///< box [m]
  std::shared_ptr<const msd_assets::ConvexPolyhedron> polyhedron{};  ///< hull, box
  std::span<const std::byte> numbers{};              ///< of the polyhedron, to be fetched ahead
  std::shared_ptr<const TriangleBvh> triangles{};                    ///< mesh, terrain
  Vector3D planeNormal{Vector3D::UnitZ()};      ///< plane
  double planeOffset{0.0};                      ///< plane [m]
  Aabb localBounds{};  ///< in the shape's frame; infinite for a plane [m]
  Coordinate centre{Coordinate::Zero()};  ///< an inner point: the mean of a hull's corners [m]

  [[nodiscard]] bool isConvex() const { return kind <= ShapeKind::kHull; }
  /// A radius about a core that is a point or a stretch of a line.
  [[nodiscard]] bool isRound() const {
    return kind == ShapeKind::kSphere || kind == ShapeKind::kCapsule;
  }
};

/// Throws std::invalid_argument for a compound: its parts are shapes of their own.
[[nodiscard]] CollisionShape makeCollisionShape(const msd_assets::Shape& shape);

/// World bounds of a shape that stands somewhere: of its origin p, turned by R.
[[nodiscard]] Aabb worldBounds(const CollisionShape& shape, const Matrix3D& R, const Coordinate& p);
[[nodiscard]] inline Aabb worldBounds(const CollisionShape& shape, const Placement& place) {
  return worldBounds(shape, place.rotation, place.position);
}

/// The point of a convex shape farthest along `direction`, both in the shape's frame. The direction
/// need not be of unit length but must not be zero.
[[nodiscard]] Coordinate supportPoint(const CollisionShape& shape, const Vector3D& direction);

}  // namespace msd_sim
