#include "msd-assets/src/MassProperties.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/PolyhedralIntegrals.hpp"

namespace msd_assets {

namespace {

constexpr double kPi = std::numbers::pi;

MassProperties fromDiagonal(double volume, const Eigen::Vector3d& moments) {
  MassProperties result;
  result.volume = volume;
  result.inertia = moments.asDiagonal();
  return result;
}

/// V = 4/3 π r³, I = 2/5 V r².
MassProperties massOf(const Sphere& s) {
  const double volume = 4.0 / 3.0 * kPi * s.radius * s.radius * s.radius;
  return fromDiagonal(volume, Eigen::Vector3d::Constant(0.4 * volume * s.radius * s.radius));
}

/// V = 8 a b c, I_x = V (b² + c²) / 3.
MassProperties massOf(const Box& box) {
  const Eigen::Vector3d square = box.halfExtents.cwiseAbs2();
  const double volume = 8.0 * box.halfExtents.prod();
  const Eigen::Vector3d moments{square.y() + square.z(), square.z() + square.x(),
                                square.x() + square.y()};
  return fromDiagonal(volume, volume / 3.0 * moments);
}

/// V = 2 π r² h, I_z = V r²/2, I_x = V (r²/4 + h²/3), with h half the height.
MassProperties massOf(const Cylinder& c) {
  const double r2 = c.radius * c.radius;
  const double volume = 2.0 * kPi * r2 * c.halfHeight;
  const double across = volume * (r2 / 4.0 + c.halfHeight * c.halfHeight / 3.0);
  return fromDiagonal(volume, {across, across, volume * r2 / 2.0});
}

/// The cylinder of the segment and two half balls. A half ball's centre lies 3/8 r beyond the
/// segment's end; about the body's centre the two give V_s (2/5 r² + h² + 3/4 r h).
MassProperties massOf(const Capsule& c) {
  const double r = c.radius;
  const double h = c.halfHeight;
  const MassProperties rod = massOf(Cylinder{r, h});
  const MassProperties ball = massOf(Sphere{r});
  const double across = rod.inertia(0, 0) + ball.volume * (0.4 * r * r + h * h + 0.75 * r * h);
  const double along = rod.inertia(2, 2) + ball.inertia(2, 2);
  return fromDiagonal(rod.volume + ball.volume, {across, across, along});
}

MassProperties massOf(const Hull& hull) {
  return computePolyhedronMass(*hull.polyhedron);
}

struct SurfaceScale {
  double area;      ///< [m²]
  double diameter;  ///< diagonal of the bounds [m]
};

SurfaceScale measure(const TriangleMesh& mesh) {
  SurfaceScale scale{0.0, 0.0};
  Eigen::AlignedBox3d bounds;
  for (const TriangleMesh::Triangle& t : mesh.triangles()) {
    const Eigen::Vector3d& a = mesh.vertices()[t[0]];
    const Eigen::Vector3d& b = mesh.vertices()[t[1]];
    const Eigen::Vector3d& c = mesh.vertices()[t[2]];
    scale.area += 0.5 * (b - a).cross(c - a).norm();
    bounds.extend(a).extend(b).extend(c);
  }
  scale.diameter = bounds.diagonal().norm();
  return scale;
}

/// Positive principal moments, none greater than the sum of the others: what every solid has. A
/// surface that overlaps itself or has parts turned inside out may fail.
bool isInertiaOfASolid(const Eigen::Matrix3d& inertia) {
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>{inertia, Eigen::EigenvaluesOnly}.eigenvalues();
  const double slack = tolerances::kNoVolume * moments[2];
  return moments[0] > 0.0 && moments[2] <= moments[0] + moments[1] + slack;
}

MassProperties massOf(const Mesh& mesh) {
  const TriangleMesh& surface = *mesh.surface;
  const TriangleMesh::Report& report = surface.report();
  if (!surface.isClosed()) {
    check::refuse("Mesh.surface",
                  fmt::format("a surface with {} border, {} non-manifold and {} flipped edges",
                              report.borderEdges, report.nonManifoldEdges, report.flippedEdges),
                  "a closed surface, which encloses a volume");
  }
  MassProperties result = computeMeshMass(surface);
  const SurfaceScale scale = measure(surface);
  if (std::abs(result.volume) <= tolerances::kNoVolume * scale.area * scale.diameter) {
    check::refuse("Mesh.surface",
                  fmt::format("a closed surface of volume {:g} m³ at an area of {:g} m²",
                              result.volume, scale.area),
                  "a surface that encloses a volume");
  }
  if (result.volume < 0.0) {
    result.volume = -result.volume;
    result.inertia = -result.inertia;
  }
  if (!isInertiaOfASolid(result.inertia)) {
    check::refuse("Mesh.surface",
                  fmt::format("a closed surface of volume {:g} m³ whose moments of inertia are "
                              "those of no solid",
                              result.volume),
                  "a surface without overlapping or inside-out parts");
  }
  return result;
}

[[noreturn]] MassProperties refuseUnbounded(ShapeKind kind) {
  check::refuse("Shape", std::string{shapeKindName(kind)},
                "a solid of finite volume (sphere, box, capsule, cylinder, hull, closed mesh or "
                "compound of those)");
}

MassProperties massOf(const Plane& /*plane*/) {
  refuseUnbounded(ShapeKind::kPlane);
}
MassProperties massOf(const Terrain& /*terrain*/) {
  refuseUnbounded(ShapeKind::kTerrain);
}

/// Parallel axes: I = Σ R I_k Rᵀ + V_k (d_k² E - d_k d_kᵀ), d_k from the common centre. Places are
/// taken relative to the first part, so that a compound far from its frame's origin loses nothing.
MassProperties massOf(const Compound& compound) {
  const Eigen::Vector3d base = compound.parts.front().position;
  std::vector<MassProperties> parts;
  MassProperties total;
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (const CompoundPart& part : compound.parts) {
    MassProperties m = computeMassProperties(part.shape);
    const Eigen::Matrix3d rotation = part.orientation.toRotationMatrix();
    m.centreOfMass = (part.position - base) + rotation * m.centreOfMass;
    m.inertia = rotation * m.inertia * rotation.transpose();
    total.volume += m.volume;
    moment += m.volume * m.centreOfMass;
    parts.push_back(m);
  }
  const Eigen::Vector3d centre = moment / total.volume;
  for (const MassProperties& m : parts) {
    const Eigen::Vector3d d = m.centreOfMass - centre;
    total.inertia +=
        m.inertia + m.volume * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
  }
  total.inertia = (0.5 * (total.inertia + total.inertia.transpose())).eval();
  total.centreOfMass = base + centre;
  return total;
}

}  // namespace

MassProperties computeMassProperties(const Shape& shape) {
  return std::visit([](const auto& value) { return massOf(value); }, shape.value());
}

MassProperties computePolyhedronMass(const ConvexPolyhedron& polyhedron) {
  PolyhedralIntegrals integrals{polyhedron.vertices().front()};
  std::vector<Eigen::Vector3d> corners;
  for (const ConvexPolyhedron::Face& face : polyhedron.faces()) {
    corners.clear();
    for (const std::uint16_t v : polyhedron.faceVertices(face)) {
      corners.push_back(polyhedron.vertices()[v]);
    }
    integrals.addPolygon(corners);
  }
  return integrals.massProperties();
}

MassProperties computeMeshMass(const TriangleMesh& mesh) {
  const auto vertices = mesh.vertices();
  PolyhedralIntegrals integrals{vertices[mesh.triangles().front()[0]]};
  for (const TriangleMesh::Triangle& t : mesh.triangles()) {
    const std::array<Eigen::Vector3d, 3> corners{vertices[t[0]], vertices[t[1]], vertices[t[2]]};
    integrals.addPolygon(corners);
  }
  return integrals.massProperties();
}

}  // namespace msd_assets
