#include "msd-import/src/RobotInertia.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-assets/src/MassProperties.hpp"

namespace msd_import {

namespace {

constexpr double kPi = std::numbers::pi;

/// m (|d|² 1 - d dᵀ)
Matrix3D pointInertia(double mass, const Vector3D& d) {
  return mass * (d.squaredNorm() * Matrix3D::Identity() - d * d.transpose());
}

Matrix3D diagonal(double x, double y, double z) {
  return Vector3D{x, y, z}.asDiagonal();
}

/// Cylinder of radius r and half height h with, for a capsule, half balls on both ends.
RobotInertia roundBar(double r, double h, double density, bool caps) {
  const double cylinder = density * kPi * r * r * 2.0 * h;
  const double balls = caps ? density * 4.0 / 3.0 * kPi * r * r * r : 0.0;
  const double along = cylinder * r * r / 2.0 + balls * 2.0 / 5.0 * r * r;
  // Half balls: centres at h + 3/8 r from the middle.
  const double across = cylinder * (3.0 * r * r + 4.0 * h * h) / 12.0 +
                        balls * (2.0 / 5.0 * r * r + h * h + 3.0 / 4.0 * h * r);
  return {.mass = cylinder + balls, .inertia = diagonal(across, across, along)};
}

RobotInertia ellipsoid(const Vector3D& s, double density) {
  const double mass = density * 4.0 / 3.0 * kPi * s.x() * s.y() * s.z();
  const Vector3D q = s.cwiseProduct(s);
  return {.mass = mass,
          .inertia = mass / 5.0 * diagonal(q.y() + q.z(), q.x() + q.z(), q.x() + q.y())};
}

RobotInertia box(const Vector3D& s, double density) {
  const double mass = density * 8.0 * s.x() * s.y() * s.z();
  const Vector3D q = s.cwiseProduct(s);
  return {.mass = mass,
          .inertia = mass / 3.0 * diagonal(q.y() + q.z(), q.x() + q.z(), q.x() + q.y())};
}

RobotInertia fromUnitDensity(const msd_assets::MassProperties& p, double density) {
  return {.mass = density * std::abs(p.volume),
          .centre = p.centreOfMass,
          .inertia = density * (p.volume < 0.0 ? Matrix3D{-p.inertia} : Matrix3D{p.inertia})};
}

struct Face {
  Vector3D a, b, c;
  /// Signed volume of the pyramid over this face with its tip at p.
  [[nodiscard]] double pyramid(const Vector3D& p) const {
    return (a - p).dot((b - p).cross(c - p)) / 6.0;
  }
};

/// Second moments ∫ x xᵀ of a tetrahedron with one corner at the origin, per volume.
Matrix3D tetrahedronMoments(const Face& f) {
  const Vector3D sum = f.a + f.b + f.c;
  return (sum * sum.transpose() + f.a * f.a.transpose() + f.b * f.b.transpose() +
          f.c * f.c.transpose()) /
         20.0;
}

/// MuJoCo's measure of a surface: pyramids from the mean of its faces, all counted as positive.
RobotInertia pyramids(const std::vector<Face>& faces, double density) {
  double area = 0.0;
  Vector3D middle = Vector3D::Zero();
  for (const Face& f : faces) {
    const double own = 0.5 * (f.b - f.a).cross(f.c - f.a).norm();
    area += own;
    middle += own * (f.a + f.b + f.c) / 3.0;
  }
  if (!(area > 0.0)) return {};
  middle /= area;
  double volume = 0.0;
  Vector3D centre = Vector3D::Zero();
  for (const Face& f : faces) {
    const double own = std::abs(f.pyramid(middle));
    volume += own;
    centre += own * (0.75 * (f.a + f.b + f.c) / 3.0 + 0.25 * middle);
  }
  if (!(volume > 0.0)) return {};
  centre /= volume;
  double total = 0.0;
  Matrix3D moments = Matrix3D::Zero();
  for (const Face& f : faces) {
    const Face moved{f.a - centre, f.b - centre, f.c - centre};
    const double own = std::abs(moved.pyramid(Vector3D::Zero()));
    total += own;
    moments += own * tetrahedronMoments(moved);
  }
  return {.mass = density * total,
          .centre = centre,
          .inertia = density * (moments.trace() * Matrix3D::Identity() - moments)};
}

std::vector<Face> facesOf(const msd_assets::ConvexPolyhedron& hull) {
  std::vector<Face> faces;
  for (const auto& face : hull.faces()) {
    const auto loop = hull.faceVertices(face);
    for (std::size_t k = 2; k < loop.size(); ++k) {
      faces.push_back(
          {hull.vertices()[loop[0]], hull.vertices()[loop[k - 1]], hull.vertices()[loop[k]]});
    }
  }
  return faces;
}

RobotInertia meshInertia(const RobotMesh& mesh, double density, bool exact) {
  if (mesh.triangles.empty()) {
    const auto hull = msd_assets::ConvexPolyhedron::fromPoints(mesh.vertices);
    return exact ? fromUnitDensity(msd_assets::computePolyhedronMass(hull), density)
                 : pyramids(facesOf(hull), density);
  }
  if (exact) {
    return fromUnitDensity(
        msd_assets::computeMeshMass(msd_assets::TriangleMesh{mesh.vertices, mesh.triangles}),
        density);
  }
  std::vector<Face> faces;
  faces.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    faces.push_back({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
  }
  return pyramids(faces, density);
}

}  // namespace

RobotInertia inertiaOf(const RobotGeometry& g, const Pose& pose, double density, bool exactMesh) {
  RobotInertia own;
  switch (g.kind) {
    case GeometryKind::kSphere:
      own = ellipsoid(Vector3D::Constant(g.size.x()), density);
      break;
    case GeometryKind::kBox:
      own = box(g.size, density);
      break;
    case GeometryKind::kCapsule:
    case GeometryKind::kCylinder:
      own = roundBar(g.size.x(), g.size.y(), density, g.kind == GeometryKind::kCapsule);
      break;
    case GeometryKind::kEllipsoid:
      own = ellipsoid(g.size, density);
      break;
    case GeometryKind::kMesh:
      own = meshInertia(*g.mesh, density, exactMesh);
      break;
    case GeometryKind::kPlane:
    case GeometryKind::kField:
      break;
  }
  return transformed(own, pose);
}

RobotInertia operator+(const RobotInertia& a, const RobotInertia& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0.0)) {
    return {.mass = mass, .centre = a.centre, .inertia = a.inertia + b.inertia};
  }
  const Vector3D centre = (a.mass * a.centre + b.mass * b.centre) / mass;
  return {.mass = mass,
          .centre = centre,
          .inertia = a.inertia + pointInertia(a.mass, a.centre - centre) + b.inertia +
                     pointInertia(b.mass, b.centre - centre)};
}

RobotInertia transformed(const RobotInertia& body, const Pose& pose) {
  const Matrix3D r = pose.orientation.toRotationMatrix();
  const Matrix3D turned = r * body.inertia * r.transpose();
  return {.mass = body.mass,
          .centre = pose.toWorld(body.centre),
          .inertia = 0.5 * (turned + turned.transpose())};
}

RobotInertia scaled(const RobotInertia& body, double factor) {
  return {.mass = factor * body.mass, .centre = body.centre, .inertia = factor * body.inertia};
}

}  // namespace msd_import
