#include "msd-assets/src/Shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "msd-assets/src/Check.hpp"

namespace msd_assets {

namespace {

/// Checks that a squared length is 1 up to the tolerance. Returns the factor that makes it 1:
/// exactly 1 for what is a unit up to rounding, so that checking twice changes nothing.
double unitFactor(std::string_view name, double squaredLength, const std::string& value,
                  std::string_view expected) {
  const double length = std::sqrt(squaredLength);
  if (!(std::abs(length - 1.0) <= tolerances::kUnitLength)) {
    check::refuse(name, fmt::format("{} of length {}", value, length), expected);
  }
  return std::abs(squaredLength - 1.0) <= tolerances::kUnitRounding ? 1.0 : 1.0 / length;
}

void checkSize(std::string_view name, const Eigen::AlignedBox3d& bounds) {
  check::size(name, bounds.sizes().maxCoeff());
}

Sphere checked(Sphere sphere) {
  check::positiveLength("Sphere.radius", sphere.radius);
  check::size("Sphere.radius", sphere.radius, 2.0 * sphere.radius);
  return sphere;
}

Box checked(Box box) {
  static constexpr std::array<const char*, 3> kNames{"Box.halfExtents.x", "Box.halfExtents.y",
                                                     "Box.halfExtents.z"};
  for (std::size_t i = 0; i < 3; ++i) {
    check::positiveLength(kNames[i], box.halfExtents[static_cast<Eigen::Index>(i)]);
  }
  const double largest = box.halfExtents.maxCoeff();
  check::size("Box.halfExtents: largest", largest, 2.0 * largest);
  return box;
}

Capsule checked(Capsule capsule) {
  check::positiveLength("Capsule.radius", capsule.radius);
  check::positiveLength("Capsule.halfHeight", capsule.halfHeight);
  const double half = capsule.radius + capsule.halfHeight;
  check::size("Capsule.radius + halfHeight", half, 2.0 * half);
  return capsule;
}

Cylinder checked(Cylinder cylinder) {
  check::positiveLength("Cylinder.radius", cylinder.radius);
  check::positiveLength("Cylinder.halfHeight", cylinder.halfHeight);
  const double half = std::max(cylinder.radius, cylinder.halfHeight);
  check::size("Cylinder: larger of radius and halfHeight", half, 2.0 * half);
  return cylinder;
}

Hull checked(Hull hull) {
  if (hull.polyhedron == nullptr) check::refuse("Hull.polyhedron", "null", "a convex polyhedron");
  Eigen::AlignedBox3d bounds;
  for (const Eigen::Vector3d& v : hull.polyhedron->vertices()) bounds.extend(v);
  checkSize("Hull.polyhedron: longest side of the bounds", bounds);
  return hull;
}

Plane checked(Plane plane) {
  const double factor = unitFactor("Plane.normal", plane.normal.squaredNorm(),
                                   check::text(plane.normal), "a vector of length 1");
  plane.normal *= factor;
  plane.offset *= factor;
  if (!check::isCoordinate(plane.offset)) {
    check::refuse("Plane.offset", fmt::format("{} m", plane.offset),
                  fmt::format("a finite distance of at most {:g} m", tolerances::kMaxCoordinate));
  }
  return plane;
}

Mesh checked(Mesh mesh) {
  if (mesh.surface == nullptr) check::refuse("Mesh.surface", "null", "a triangle mesh");
  Eigen::AlignedBox3d bounds;
  for (const TriangleMesh::Triangle& t : mesh.surface->triangles()) {
    for (const std::uint32_t corner : t) bounds.extend(mesh.surface->vertices()[corner]);
  }
  checkSize("Mesh.surface: longest side of the bounds", bounds);
  return mesh;
}

Terrain checked(Terrain terrain) {
  if (terrain.field == nullptr) check::refuse("Terrain.field", "null", "a height field");
  const HeightField& field = *terrain.field;
  check::size("Terrain.field: longest side",
              std::max(field.cellX() * (field.columns() - 1), field.cellY() * (field.rows() - 1)));
  return terrain;
}

Compound checked(Compound compound) {
  if (compound.parts.empty()) check::refuse("Compound.parts", "0 parts", "at least one part");
  for (std::size_t i = 0; i < compound.parts.size(); ++i) {
    CompoundPart& part = compound.parts[i];
    const std::string name = fmt::format("Compound.parts[{}]", i);
    if (!part.shape.isConvex()) {
      check::refuse(name + ".shape", std::string{shapeKindName(part.shape.kind())},
                    "a sphere, box, capsule, cylinder or hull");
    }
    if (!check::isPoint(part.position)) {
      check::refuse(name + ".position", check::text(part.position) + " m",
                    check::coordinateRange());
    }
    const Eigen::Quaterniond& q = part.orientation;
    const double factor =
        unitFactor(name + ".orientation", q.squaredNorm(),
                   fmt::format("(w {}, x {}, y {}, z {})", q.w(), q.x(), q.y(), q.z()),
                   "a quaternion of length 1");
    part.orientation.coeffs() *= factor;
  }
  return compound;
}

}  // namespace

Shape::Shape(Sphere sphere) : value_{checked(sphere)} {}
Shape::Shape(Box box) : value_{checked(std::move(box))} {}
Shape::Shape(Capsule capsule) : value_{checked(capsule)} {}
Shape::Shape(Cylinder cylinder) : value_{checked(cylinder)} {}
Shape::Shape(Hull hull) : value_{checked(std::move(hull))} {}
Shape::Shape(Plane plane) : value_{checked(std::move(plane))} {}
Shape::Shape(Mesh mesh) : value_{checked(std::move(mesh))} {}
Shape::Shape(Terrain terrain) : value_{checked(std::move(terrain))} {}
Shape::Shape(Compound compound) : value_{checked(std::move(compound))} {}

Shape makeHull(std::span<const Eigen::Vector3d> points) {
  return Hull{std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::fromPoints(points))};
}

std::string_view shapeKindName(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kSphere:
      return "sphere";
    case ShapeKind::kBox:
      return "box";
    case ShapeKind::kCapsule:
      return "capsule";
    case ShapeKind::kCylinder:
      return "cylinder";
    case ShapeKind::kHull:
      return "hull";
    case ShapeKind::kPlane:
      return "plane";
    case ShapeKind::kMesh:
      return "mesh";
    case ShapeKind::kTerrain:
      return "terrain";
    case ShapeKind::kCompound:
      return "compound";
  }
  return "unknown";
}

}  // namespace msd_assets
