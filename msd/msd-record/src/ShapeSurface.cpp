#include "msd-record/src/ShapeSurface.hpp"

#include <cmath>
#include <numbers>
#include <span>

namespace msd_record {

namespace {

using Eigen::Vector3d;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// A circle of a surface of revolution about z.
struct Ring {
  double radius;
  double height;
};

/// Rings from below to above, joined; a ring without radius is a point.
ShapeSurface revolve(std::span<const Ring> rings, std::uint32_t slices) {
  ShapeSurface surface;
  for (const Ring& ring : rings) {
    for (std::uint32_t i = 0; i < slices; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / slices;
      surface.vertices.emplace_back(ring.radius * std::cos(angle), ring.radius * std::sin(angle),
                                    ring.height);
    }
  }
  for (std::uint32_t r = 0; r + 1 < rings.size(); ++r) {
    for (std::uint32_t i = 0; i < slices; ++i) {
      const std::uint32_t next = (i + 1) % slices;
      const std::uint32_t a = r * slices + i, b = r * slices + next;
      const std::uint32_t c = a + slices, d = b + slices;
      if (rings[r].radius > 0.0) surface.triangles.push_back({a, b, d});
      if (rings[r + 1].radius > 0.0) surface.triangles.push_back({a, d, c});
    }
  }
  return surface;
}

/// Half spheres about -halfHeight and +halfHeight; a sphere where it is zero.
ShapeSurface rounded(double radius, double halfHeight, std::uint32_t slices) {
  std::vector<Ring> rings;
  const std::uint32_t quarter = std::max(2u, slices / 4);
  for (std::uint32_t i = 0; i <= quarter; ++i) {
    const double angle = 0.5 * std::numbers::pi * i / quarter;
    rings.push_back(
        {i == 0 ? 0.0 : radius * std::sin(angle), -halfHeight - radius * std::cos(angle)});
  }
  const std::size_t half = rings.size();
  for (std::size_t i = half; i-- > 0;) {
    if (halfHeight == 0.0 && i + 1 == half) continue;  // the two equators are one
    rings.push_back({rings[i].radius, -rings[i].height});
  }
  return revolve(rings, slices);
}

ShapeSurface polyhedron(const msd_assets::ConvexPolyhedron& hull) {
  ShapeSurface surface;
  surface.vertices.assign(hull.vertices().begin(), hull.vertices().end());
  for (const auto& face : hull.faces()) {
    const auto corners = hull.faceVertices(face);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      surface.triangles.push_back({corners[0], corners[k], corners[k + 1]});
    }
  }
  return surface;
}

ShapeSurface square(const msd_assets::Plane& plane, double half) {
  const Vector3d side = plane.normal.unitOrthogonal() * half;
  const Vector3d other = plane.normal.cross(side);
  const Vector3d centre = plane.offset * plane.normal;
  return {
      {centre - side - other, centre + side - other, centre + side + other, centre - side + other},
      {{0, 1, 2}, {0, 2, 3}}};
}

ShapeSurface ground(const msd_assets::HeightField& field) {
  ShapeSurface surface;
  for (std::uint32_t j = 0; j < field.rows(); ++j) {
    for (std::uint32_t i = 0; i < field.columns(); ++i)
      surface.vertices.push_back(field.sample(i, j));
  }
  for (std::uint32_t j = 0; j + 1 < field.rows(); ++j) {
    for (std::uint32_t i = 0; i + 1 < field.columns(); ++i) {
      const std::uint32_t a = j * field.columns() + i, b = a + field.columns();
      surface.triangles.push_back({a, a + 1, b + 1});
      surface.triangles.push_back({a, b + 1, b});
    }
  }
  return surface;
}

/// One function per kind of shape.
struct Draw {
  double planeHalf;
  std::uint32_t slices;

  ShapeSurface operator()(const msd_assets::Sphere& s) const {
    return rounded(s.radius, 0.0, slices);
  }
  ShapeSurface operator()(const msd_assets::Box& b) const {
    return polyhedron(msd_assets::ConvexPolyhedron::box(b.halfExtents));
  }
  ShapeSurface operator()(const msd_assets::Capsule& c) const {
    return rounded(c.radius, c.halfHeight, slices);
  }
  ShapeSurface operator()(const msd_assets::Cylinder& c) const {
    const std::array<Ring, 4> rings{{{0.0, -c.halfHeight},
                                     {c.radius, -c.halfHeight},
                                     {c.radius, c.halfHeight},
                                     {0.0, c.halfHeight}}};
    return revolve(rings, slices);
  }
  ShapeSurface operator()(const msd_assets::Hull& h) const { return polyhedron(*h.polyhedron); }
  ShapeSurface operator()(const msd_assets::Plane& p) const { return square(p, planeHalf); }
  ShapeSurface operator()(const msd_assets::Mesh& m) const {
    ShapeSurface surface;
    surface.vertices.assign(m.surface->vertices().begin(), m.surface->vertices().end());
    surface.triangles.assign(m.surface->triangles().begin(), m.surface->triangles().end());
    return surface;
  }
  ShapeSurface operator()(const msd_assets::Terrain& t) const { return ground(*t.field); }
  ShapeSurface operator()(const msd_assets::Compound& c) const {
    ShapeSurface all;
    for (const msd_assets::CompoundPart& part : c.parts) {
      const ShapeSurface own = surfaceOf(part.shape, planeHalf, slices);
      const auto first = static_cast<std::uint32_t>(all.vertices.size());
      for (const Vector3d& v : own.vertices) {
        all.vertices.push_back(part.position + part.orientation * v);
      }
      for (const auto& t : own.triangles) {
        all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      }
    }
    return all;
  }
};

}  // namespace

ShapeSurface surfaceOf(const msd_assets::Shape& shape, double planeHalf, std::uint32_t slices) {
  return std::visit(Draw{planeHalf, slices}, shape.value());
}

}  // namespace msd_record
