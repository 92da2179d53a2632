#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-assets/src/Shape.hpp"

namespace msd_assets {

namespace {

using Eigen::AlignedBox3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

AlignedBox3d boxAbout(const Vector3d& centre, const Vector3d& half) {
  return {centre - half, centre + half};
}

// Tight bounds of a shape turned by R and moved by p: for a convex shape the half width along a
// world axis e is its support function in the direction Rᵀe.

AlignedBox3d boundsOf(const Sphere& s, const Matrix3d& /*R*/, const Vector3d& p) {
  return boxAbout(p, Vector3d::Constant(s.radius));
}

AlignedBox3d boundsOf(const Box& b, const Matrix3d& R, const Vector3d& p) {
  return boxAbout(p, R.cwiseAbs() * b.halfExtents);
}

AlignedBox3d boundsOf(const Capsule& c, const Matrix3d& R, const Vector3d& p) {
  return boxAbout(p, c.halfHeight * R.col(2).cwiseAbs() + Vector3d::Constant(c.radius));
}

/// The rim reaches r·sqrt(1 - a²) along an axis that makes the cosine a with the cylinder's.
AlignedBox3d boundsOf(const Cylinder& c, const Matrix3d& R, const Vector3d& p) {
  const Vector3d across = R.leftCols<2>().rowwise().norm();
  return boxAbout(p, c.halfHeight * R.col(2).cwiseAbs() + c.radius * across);
}

AlignedBox3d boundsOf(const Hull& hull, const Matrix3d& R, const Vector3d& p) {
  AlignedBox3d bounds;
  for (const Vector3d& v : hull.polyhedron->vertices()) bounds.extend(p + R * v);
  return bounds;
}

AlignedBox3d boundsOf(const Plane& /*plane*/, const Matrix3d& /*R*/, const Vector3d& /*p*/) {
  return {Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)};
}

AlignedBox3d boundsOf(const Mesh& mesh, const Matrix3d& R, const Vector3d& p) {
  AlignedBox3d bounds;
  for (const TriangleMesh::Triangle& t : mesh.surface->triangles()) {
    for (const std::uint32_t corner : t) bounds.extend(p + R * mesh.surface->vertices()[corner]);
  }
  return bounds;
}

AlignedBox3d boundsOf(const Terrain& terrain, const Matrix3d& R, const Vector3d& p) {
  const HeightField& field = *terrain.field;
  AlignedBox3d bounds;
  for (std::uint32_t j = 0; j < field.rows(); ++j) {
    for (std::uint32_t i = 0; i < field.columns(); ++i) bounds.extend(p + R * field.sample(i, j));
  }
  return bounds;
}

AlignedBox3d boundsOf(const Compound& compound, const Matrix3d& R, const Vector3d& p) {
  AlignedBox3d bounds;
  for (const CompoundPart& part : compound.parts) {
    const Matrix3d turned = R * part.orientation.toRotationMatrix();
    const Vector3d moved = p + R * part.position;
    bounds.extend(std::visit([&](const auto& value) { return boundsOf(value, turned, moved); },
                             part.shape.value()));
  }
  return bounds;
}

double radiusOf(const Sphere& s, const Vector3d& centre) {
  return centre.norm() + s.radius;
}

double radiusOf(const Box& b, const Vector3d& centre) {
  return (centre.cwiseAbs() + b.halfExtents).norm();
}

double radiusOf(const Capsule& c, const Vector3d& centre) {
  return Vector3d{centre.x(), centre.y(), std::abs(centre.z()) + c.halfHeight}.norm() + c.radius;
}

double radiusOf(const Cylinder& c, const Vector3d& centre) {
  return Eigen::Vector2d{centre.head<2>().norm() + c.radius, std::abs(centre.z()) + c.halfHeight}
      .norm();
}

double radiusOf(const Hull& hull, const Vector3d& centre) {
  double square = 0.0;
  for (const Vector3d& v : hull.polyhedron->vertices()) {
    square = std::max(square, (v - centre).squaredNorm());
  }
  return std::sqrt(square);
}

double radiusOf(const Plane& /*plane*/, const Vector3d& /*centre*/) {
  return kInfinity;
}

double radiusOf(const Mesh& mesh, const Vector3d& centre) {
  double square = 0.0;
  for (const TriangleMesh::Triangle& t : mesh.surface->triangles()) {
    for (const std::uint32_t corner : t) {
      square = std::max(square, (mesh.surface->vertices()[corner] - centre).squaredNorm());
    }
  }
  return std::sqrt(square);
}

double radiusOf(const Terrain& terrain, const Vector3d& centre) {
  const HeightField& field = *terrain.field;
  double square = 0.0;
  for (std::uint32_t j = 0; j < field.rows(); ++j) {
    for (std::uint32_t i = 0; i < field.columns(); ++i) {
      square = std::max(square, (field.sample(i, j) - centre).squaredNorm());
    }
  }
  return std::sqrt(square);
}

double radiusOf(const Compound& compound, const Vector3d& centre) {
  double radius = 0.0;
  for (const CompoundPart& part : compound.parts) {
    const Vector3d local = part.orientation.conjugate() * (centre - part.position);
    radius = std::max(radius, boundingRadius(part.shape, local));
  }
  return radius;
}

}  // namespace

Eigen::AlignedBox3d localBounds(const Shape& shape) {
  return std::visit(
      [](const auto& value) { return boundsOf(value, Matrix3d::Identity(), Vector3d::Zero()); },
      shape.value());
}

double boundingRadius(const Shape& shape, const Eigen::Vector3d& centre) {
  return std::visit([&](const auto& value) { return radiusOf(value, centre); }, shape.value());
}

}  // namespace msd_assets
