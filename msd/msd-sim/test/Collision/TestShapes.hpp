#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim::test {

inline CollisionShape sphere(double radius) {
  return makeCollisionShape(msd_assets::Sphere{radius});
}
inline CollisionShape box(double x, double y, double z) {
  return makeCollisionShape(msd_assets::Box{{x, y, z}});
}
inline CollisionShape capsule(double radius, double halfHeight) {
  return makeCollisionShape(msd_assets::Capsule{radius, halfHeight});
}
inline CollisionShape cylinder(double radius, double halfHeight) {
  return makeCollisionShape(msd_assets::Cylinder{radius, halfHeight});
}
inline CollisionShape hull(const std::vector<Vector3D>& points) {
  return makeCollisionShape(msd_assets::makeHull(points));
}
inline CollisionShape plane(const Vector3D& normal, double offset) {
  return makeCollisionShape(msd_assets::Plane{normal, offset});
}

inline std::vector<Vector3D> boxCorners(double x, double y, double z) {
  std::vector<Vector3D> points;
  for (int k = 0; k < 8; ++k) {
    points.push_back({(k & 1) != 0 ? x : -x, (k & 2) != 0 ? y : -y, (k & 4) != 0 ? z : -z});
  }
  return points;
}

inline Pose at(double x, double y, double z) {
  Pose pose;
  pose.position = {x, y, z};
  return pose;
}

/// Turned by `angle` [rad] about a unit axis, at a place.
inline Pose turned(const Vector3D& axis, double angle, double x, double y, double z) {
  Pose pose = at(x, y, z);
  const Vector3D v = std::sin(0.5 * angle) * axis;
  pose.orientation = Quaternion{std::cos(0.5 * angle), v.x(), v.y(), v.z()};
  return pose;
}

/// A grid of cells x cells squares of side `cell` about the origin, height(i, j) over its corners.
template <class Height>
std::shared_ptr<const msd_assets::TriangleMesh> gridMesh(int cells, double cell,
                                                         const Height& height) {
  std::vector<Vector3D> vertices;
  std::vector<msd_assets::TriangleMesh::Triangle> triangles;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      vertices.push_back({(i - cells / 2) * cell, (j - cells / 2) * cell, height(i, j)});
    }
  }
  const auto id = [&](int i, int j) { return static_cast<std::uint32_t>(j * (cells + 1) + i); };
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      triangles.push_back({id(i, j), id(i + 1, j), id(i + 1, j + 1)});
      triangles.push_back({id(i, j), id(i + 1, j + 1), id(i, j + 1)});
    }
  }
  return std::make_shared<const msd_assets::TriangleMesh>(std::move(vertices),
                                                          std::move(triangles));
}

/// The surface of a convex polyhedron as a mesh.
inline std::shared_ptr<const msd_assets::TriangleMesh> surfaceMesh(
    const msd_assets::ConvexPolyhedron& polyhedron) {
  std::vector<Vector3D> vertices(polyhedron.vertices().begin(), polyhedron.vertices().end());
  std::vector<msd_assets::TriangleMesh::Triangle> triangles;
  for (const auto& face : polyhedron.faces()) {
    const auto corners = polyhedron.faceVertices(face);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      triangles.push_back({corners[0], corners[k], corners[k + 1]});
    }
  }
  return std::make_shared<const msd_assets::TriangleMesh>(std::move(vertices),
                                                          std::move(triangles));
}

}  // namespace msd_sim::test
