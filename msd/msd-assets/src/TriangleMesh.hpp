#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace msd_assets {

/// A triangle surface with adjacency: the static ground of a scene, or the boundary of a solid.
class TriangleMesh {
 public:
  using Triangle = std::array<std::uint32_t, 3>;
  static constexpr std::uint32_t kNoNeighbour = 0xFFFFFFFFu;

  /// Takes the vertices as they are. Throws std::invalid_argument for an index out of range, a
  /// coordinate that is not finite or beyond 1e9 m, an empty list or more than 10,000,000
  /// triangles, naming the triangle or vertex. Triangles without area (lower than 1e-14 of their
  /// longest side) are dropped and counted; at least one must remain.
  TriangleMesh(std::vector<Eigen::Vector3d> vertices, std::vector<Triangle> triangles);

  [[nodiscard]] std::span<const Eigen::Vector3d> vertices() const { return vertices_; }
  [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
  /// Per triangle and side (side k joins corner k and k + 1): the triangle beyond it, or
  /// kNoNeighbour at a border or where more than two triangles meet.
  [[nodiscard]] std::span<const std::array<std::uint32_t, 3>> neighbours() const {
    return neighbours_;
  }

  /// What was found when the mesh was built; every entry is one readable sentence.
  struct Report {
    std::size_t droppedTriangles{0};  ///< without area
    std::size_t borderEdges{0};       ///< sides with no neighbour: the surface is open
    std::size_t nonManifoldEdges{0};  ///< sides shared by more than two triangles
    std::size_t flippedEdges{0};      ///< neighbours with opposite orientation
    bool insideOut{false};            ///< closed, but the signed volume is negative
    std::vector<std::string> warnings;
  };
  [[nodiscard]] const Report& report() const { return report_; }
  [[nodiscard]] bool isClosed() const {
    return report_.borderEdges == 0 && report_.nonManifoldEdges == 0 && report_.flippedEdges == 0;
  }

 private:
  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<std::array<std::uint32_t, 3>> neighbours_;
  Report report_;
};

}  // namespace msd_assets
