#include "msd-import/src/RobotShapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include "msd-assets/src/ConvexPolyhedron.hpp"

namespace msd_import {

namespace {

using namespace msd_scene;

/// Corners of an icosahedron whose faces were divided twice, on the unit sphere: 162 points.
std::vector<Vector3D> spherePoints() {
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  std::vector<Vector3D> points;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-g, g}) {
      points.insert(points.end(), {{0.0, a, b}, {a, b, 0.0}, {b, 0.0, a}});
    }
  }
  for (Vector3D& p : points) p.normalize();
  double edge = 2.0 / std::sqrt(1.0 + g * g);
  for (int level = 0; level < 2; ++level) {
    const std::size_t count = points.size();
    double longest = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        if ((points[i] - points[j]).norm() > 1.2 * edge) continue;
        points.push_back((points[i] + points[j]).normalized());
        longest = std::max(longest, (points[i] - points.back()).norm());
      }
    }
    edge = longest;
  }
  return points;
}

HullShape ellipsoidHull(const Vector3D& halfAxes) {
  static const std::vector<Vector3D> kUnit = spherePoints();
  HullShape hull;
  for (const Vector3D& p : kUnit) hull.vertices.push_back(p.cwiseProduct(halfAxes));
  return hull;
}

bool isIdentity(const Pose& pose) {
  return pose.position.isZero(0.0) && std::abs(pose.orientation.w()) == 1.0;
}

}  // namespace

std::string ShapeMaker::add(const std::string& name, SceneShape::Variant shape,
                            const Place& place) {
  std::string unique = name;
  for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
  result_.document.shapes.push_back({unique, std::move(shape)});
  result_.shapePlaces.emplace(unique, place);
  return unique;
}

std::string ShapeMaker::convexShape(const std::string& name, const RobotGeom& geom) {
  const RobotGeometry& g = geom.geometry;
  switch (g.kind) {
    case GeometryKind::kSphere:
      return add(name, SphereShape{g.size.x()}, geom.place);
    case GeometryKind::kBox:
      return add(name, BoxShape{g.size}, geom.place);
    case GeometryKind::kCapsule:
      return add(name, CapsuleShape{g.size.x(), g.size.y()}, geom.place);
    case GeometryKind::kCylinder:
      return add(name, CylinderShape{g.size.x(), g.size.y()}, geom.place);
    case GeometryKind::kEllipsoid:
      return add(name, ellipsoidHull(g.size), geom.place);
    case GeometryKind::kMesh: {
      if (const auto known = hulls_.find(g.mesh.get()); known != hulls_.end()) return known->second;
      std::string shape;
      try {
        const auto hull = msd_assets::ConvexPolyhedron::fromPoints(g.mesh->vertices);
        HullShape corners;
        corners.vertices.assign(hull.vertices().begin(), hull.vertices().end());
        shape = add(g.mesh->name.empty() ? name : g.mesh->name, std::move(corners), geom.place);
      } catch (const std::exception& reason) {
        notes_.add(geom.place, fmt::format("mesh \"{}\" as a convex shape", g.mesh->name),
                   fmt::format("it touches nothing: {}", reason.what()));
      }
      hulls_.emplace(g.mesh.get(), shape);
      return shape;
    }
    case GeometryKind::kPlane:
    case GeometryKind::kField:
      notes_.add(geom.place, "a plane or height field on a body that moves", "it touches nothing");
      return {};
  }
  return {};
}

std::string ShapeMaker::movingShape(const std::string& body, std::span<const PlacedGeom> geoms) {
  CompoundShape compound;
  for (const PlacedGeom& placed : geoms) {
    const std::string name =
        placed.geom->name.empty() ? fmt::format("{}_shape", body) : placed.geom->name;
    const std::string shape = convexShape(name, *placed.geom);
    if (shape.empty()) continue;
    compound.parts.push_back({.shape = shape,
                              .position = placed.pose.position,
                              .orientation = written(placed.pose.orientation)});
  }
  if (compound.parts.empty()) return {};
  if (compound.parts.size() == 1 && geoms.size() == 1 && isIdentity(geoms.front().pose)) {
    return compound.parts.front().shape;
  }
  return add(body, std::move(compound), geoms.front().geom->place);
}

std::pair<std::string, Pose> ShapeMaker::staticShape(const std::string& body, const RobotGeom& geom,
                                                     bool concave) {
  const RobotGeometry& g = geom.geometry;
  if (g.kind == GeometryKind::kPlane) return {add(body, PlaneShape{}, geom.place), {}};
  if (g.kind == GeometryKind::kField) {
    const RobotField& f = *g.field;
    HeightFieldShape field{
        .columns = f.columns,
        .rows = f.rows,
        .cellSize = {2.0 * f.halfX / (f.columns - 1.0), 2.0 * f.halfY / (f.rows - 1.0)},
        .heights = f.heights};
    return {add(body, std::move(field), geom.place),
            {{-f.halfX, -f.halfY, 0.0}, Quaternion::Identity()}};
  }
  if (g.kind == GeometryKind::kMesh && concave && !g.mesh->triangles.empty()) {
    return {add(body, MeshShape{.vertices = g.mesh->vertices, .triangles = g.mesh->triangles},
                geom.place),
            {}};
  }
  return {convexShape(body, geom), {}};
}

std::string ShapeMaker::visualShape(const std::string& name, const RobotGeom& geom) {
  const RobotGeometry& g = geom.geometry;
  if (g.kind == GeometryKind::kPlane || g.kind == GeometryKind::kField) return {};
  if (g.kind != GeometryKind::kMesh || g.mesh->triangles.empty()) return convexShape(name, geom);
  const auto [known, isNew] = surfaces_.try_emplace(g.mesh.get());
  if (isNew) {
    const std::string own = g.mesh->name.empty() ? name : g.mesh->name + "_visual";
    known->second = add(
        own, MeshShape{.vertices = g.mesh->vertices, .triangles = g.mesh->triangles}, geom.place);
  }
  return known->second;
}

std::string ShapeMaker::marker(double radius) {
  return add("marker", SphereShape{radius}, {});
}

}  // namespace msd_import
