#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-assets/src/TriangleMesh.hpp"

/// Meshes that tests share.
namespace msd_assets::test {

struct Soup {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<TriangleMesh::Triangle> triangles;

  [[nodiscard]] TriangleMesh mesh() const { return {vertices, triangles}; }
};

/// The surface of a polyhedron, faces as fans.
inline Soup surfaceOf(const ConvexPolyhedron& polyhedron) {
  Soup soup;
  soup.vertices.assign(polyhedron.vertices().begin(), polyhedron.vertices().end());
  for (const ConvexPolyhedron::Face& face : polyhedron.faces()) {
    const auto corners = polyhedron.faceVertices(face);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      soup.triangles.push_back({corners[0], corners[k], corners[k + 1]});
    }
  }
  return soup;
}

inline Soup boxSurface(const Eigen::Vector3d& half) {
  return surfaceOf(ConvexPolyhedron::box(half));
}

/// An octahedron, each triangle split into four `levels` times, vertices on the unit sphere.
inline Soup sphereSurface(int levels) {
  Soup soup;
  soup.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  soup.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [it, isNew] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(soup.vertices.size()));
      if (isNew) soup.vertices.push_back((soup.vertices[a] + soup.vertices[b]).normalized());
      return it->second;
    };
    std::vector<TriangleMesh::Triangle> finer;
    for (const auto& [a, b, c] : soup.triangles) {
      const std::uint32_t ab = middle(a, b);
      const std::uint32_t bc = middle(b, c);
      const std::uint32_t ca = middle(c, a);
      finer.push_back({a, ab, ca});
      finer.push_back({b, bc, ab});
      finer.push_back({c, ca, bc});
      finer.push_back({ab, bc, ca});
    }
    soup.triangles = std::move(finer);
  }
  return soup;
}

/// A closed surface of 2·n·m triangles: a torus about z, radii 1 and 0.25.
inline Soup torusSurface(std::uint32_t n, std::uint32_t m) {
  Soup soup;
  constexpr double kTurn = 6.283185307179586;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double u = kTurn * i / n;
    for (std::uint32_t j = 0; j < m; ++j) {
      const double v = kTurn * j / m;
      const double r = 1.0 + 0.25 * std::cos(v);
      soup.vertices.emplace_back(r * std::cos(u), r * std::sin(u), 0.25 * std::sin(v));
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < m; ++j) {
      const std::uint32_t a = i * m + j;
      const std::uint32_t b = (i + 1) % n * m + j;
      const std::uint32_t c = (i + 1) % n * m + (j + 1) % m;
      const std::uint32_t d = i * m + (j + 1) % m;
      soup.triangles.push_back({a, b, c});
      soup.triangles.push_back({a, c, d});
    }
  }
  return soup;
}

}  // namespace msd_assets::test
