#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-assets/src/HeightField.hpp"
#include "msd-assets/src/TriangleMesh.hpp"

namespace msd_assets {

/// Ball about the origin.
struct Sphere {
  double radius;  ///< [m]
};

/// Cuboid about the origin, edges along the axes.
struct Box {
  Eigen::Vector3d halfExtents;  ///< [m]
};

/// Segment along z from -halfHeight to +halfHeight, thickened by radius.
struct Capsule {
  double radius;      ///< [m]
  double halfHeight;  ///< of the segment, without the caps [m]
};

/// Solid right circular cylinder about the origin, axis along z.
struct Cylinder {
  double radius;      ///< [m]
  double halfHeight;  ///< [m]
};

/// Convex hull of points; built once and shared.
struct Hull {
  std::shared_ptr<const ConvexPolyhedron> polyhedron;
};

/// Half space normal·x <= offset is solid. Static bodies only.
struct Plane {
  Eigen::Vector3d normal{0.0, 0.0, 1.0};  ///< unit [-]
  double offset{0.0};                     ///< [m]
};

/// Triangle surface. As a collision shape for static bodies only; as a solid it gives mass.
struct Mesh {
  std::shared_ptr<const TriangleMesh> surface;
};

/// Terrain. Static bodies only.
struct Terrain {
  std::shared_ptr<const HeightField> field;
};

struct CompoundPart;

/// Several convex shapes joined rigidly; overlaps count twice in the mass.
struct Compound {
  std::vector<CompoundPart> parts;
};

enum class ShapeKind {
  kSphere,
  kBox,
  kCapsule,
  kCylinder,
  kHull,
  kPlane,
  kMesh,
  kTerrain,
  kCompound
};

/// Any shape, as a value. Heavy data is shared, so that copies are cheap.
///
/// Construction checks the numbers: a radius or extent that is not positive and finite, a longest
/// side outside 1e-6 to 1e6 m, a normal or quaternion that is not of unit length, a null pointer,
/// an empty compound, or a compound or static-only shape inside a compound throws
/// std::invalid_argument with the name of the quantity, its value and what was expected. Lengths of
/// normals and quaternions within 1e-6 of 1 are brought to 1.
class Shape {
 public:
  using Variant =
      std::variant<Sphere, Box, Capsule, Cylinder, Hull, Plane, Mesh, Terrain, Compound>;

  Shape(Sphere sphere);      // NOLINT(google-explicit-constructor): shapes convert by design
  Shape(Box box);            // NOLINT
  Shape(Capsule capsule);    // NOLINT
  Shape(Cylinder cylinder);  // NOLINT
  Shape(Hull hull);          // NOLINT
  Shape(Plane plane);        // NOLINT
  Shape(Mesh mesh);          // NOLINT
  Shape(Terrain terrain);    // NOLINT
  Shape(Compound compound);  // NOLINT

  [[nodiscard]] ShapeKind kind() const { return static_cast<ShapeKind>(value_.index()); }
  [[nodiscard]] const Variant& value() const { return value_; }
  template <class T>
  [[nodiscard]] const T& as() const {
    return std::get<T>(value_);
  }

  /// Sphere, box, capsule, cylinder or hull: has a support function and may move.
  [[nodiscard]] bool isConvex() const { return kind() <= ShapeKind::kHull; }
  /// Plane, mesh or terrain: only for bodies that do not move under forces.
  [[nodiscard]] bool isStaticOnly() const {
    return kind() >= ShapeKind::kPlane && kind() <= ShapeKind::kTerrain;
  }

  bool operator==(const Shape&) const = delete;

 private:
  Variant value_;
};

/// One member of a compound, placed in the compound's frame.
struct CompoundPart {
  Shape shape;
  Eigen::Vector3d position{0.0, 0.0, 0.0};  ///< of the part's frame [m]
  Eigen::Quaterniond orientation{1.0, 0.0, 0.0, 0.0};
};

/// Convenience: the hull of a set of points as a shape (see ConvexPolyhedron::fromPoints).
[[nodiscard]] Shape makeHull(std::span<const Eigen::Vector3d> points);

/// "sphere", "box", ... as in scene files.
[[nodiscard]] std::string_view shapeKindName(ShapeKind kind);

/// Axis-aligned bounds in the shape's own frame; infinite for a plane.
[[nodiscard]] Eigen::AlignedBox3d localBounds(const Shape& shape);

/// Radius of the ball about `centre` (in the shape's frame) that holds the whole shape [m];
/// infinite for a plane.
[[nodiscard]] double boundingRadius(const Shape& shape, const Eigen::Vector3d& centre);

}  // namespace msd_assets
