#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace msd_assets {

/// A convex polyhedron with full topology: what a convex hull is once it is built.
///
/// Coplanar facets are merged, so a cube has six faces of four vertices. Faces are
/// counter-clockwise seen from outside. Coordinates stay in the frame in which the points were
/// given; nothing is re-centred.
class ConvexPolyhedron {
 public:
  /// One polygon of the surface. Every point x of the solid satisfies normal·x <= offset.
  struct Face {
    Eigen::Vector3d normal;     ///< outward unit normal [-]
    double offset;              ///< distance of the plane from the origin along the normal [m]
    std::uint32_t firstVertex;  ///< where the polygon starts in the list behind faceVertices()
    std::uint32_t vertexCount;  ///< corners of the polygon, at least 3
  };

  /// An edge with the two faces that meet in it. Walking face0 counter-clockwise goes from
  /// vertex0 to vertex1.
  struct Edge {
    std::uint16_t vertex0;
    std::uint16_t vertex1;
    std::uint16_t face0;
    std::uint16_t face1;
  };

  /// Hull of a set of points (qhull; where its result is not convex to 1e-12 of the diameter, exact
  /// predicates). Points closer than 1e-9 of the diameter are welded. Vertices keep the order in
  /// which the points were given; faces and edges are sorted by their vertices.
  /// Throws std::invalid_argument, naming the rank found and the thickness, for fewer than four
  /// points or a set thinner than 1e-7 of its diameter; for coordinates that are not finite or
  /// beyond 1e9 m; for a size outside 1e-6 to 1e6 m; and for hulls of more than 65,535 vertices or
  /// edges. The diameter is the diagonal of the bounding box.
  [[nodiscard]] static ConvexPolyhedron fromPoints(std::span<const Eigen::Vector3d> points);

  /// The eight corners of a box about the origin, with the topology fromPoints would find, for any
  /// positive and finite half extents, however thin.
  [[nodiscard]] static ConvexPolyhedron box(const Eigen::Vector3d& halfExtents);

  [[nodiscard]] std::span<const Eigen::Vector3d> vertices() const { return vertices_; }
  [[nodiscard]] std::span<const Face> faces() const { return faces_; }
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }
  [[nodiscard]] std::span<const std::uint16_t> faceVertices(const Face& face) const {
    return {face_vertices_.data() + face.firstVertex, face.vertexCount};
  }
  /// Indices into edges() of the sides of a face, in the order of its corners: side k joins
  /// corner k and corner k + 1.
  [[nodiscard]] std::span<const std::uint16_t> faceEdges(const Face& face) const {
    return {face_edges_.data() + face.firstVertex, face.vertexCount};
  }

  /// Vertex coordinates as three arrays, padded to a multiple of eight by repeating vertex 0, so
  /// that a vector loop needs no remainder.
  [[nodiscard]] std::span<const double> xs() const { return xs_; }
  [[nodiscard]] std::span<const double> ys() const { return ys_; }
  [[nodiscard]] std::span<const double> zs() const { return zs_; }

  /// The planes of the faces likewise: normals and offsets, padded by repeating face 0.
  struct Planes {
    std::span<const double> x, y, z, offset;
  };
  [[nodiscard]] Planes planes() const { return {plane_xs_, plane_ys_, plane_zs_, plane_offsets_}; }
  /// Indices into faces() of the faces that meet in a vertex, ascending.
  [[nodiscard]] std::span<const std::uint16_t> vertexFaces(std::size_t vertex) const {
    return {vertex_faces_.data() + first_face_[vertex],
            first_face_[vertex + 1] - first_face_[vertex]};
  }

  /// Greatest distance of a vertex from the frame's origin [m].
  [[nodiscard]] double boundingRadius() const { return bounding_radius_; }
  /// Points that were merged into others when the hull was built.
  [[nodiscard]] std::size_t weldedPoints() const { return welded_points_; }

 private:
  /// Polygons over vertices, sorted, each with its lowest vertex first, and their outward normals.
  ConvexPolyhedron(std::vector<Eigen::Vector3d> vertices,
                   std::span<const std::vector<std::uint16_t>> polygons,
                   std::span<const Eigen::Vector3d> normals, std::size_t weldedPoints);
  void listPlanes();
  void listVertexFaces();

  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
  std::vector<std::uint16_t> face_vertices_;
  std::vector<std::uint16_t> face_edges_;
  std::vector<double> xs_, ys_, zs_;
  std::vector<double> plane_xs_, plane_ys_, plane_zs_, plane_offsets_;
  std::vector<std::uint32_t> first_face_;  ///< per vertex, in vertex_faces_
  std::vector<std::uint16_t> vertex_faces_;
  double bounding_radius_{0.0};
  std::size_t welded_points_{0};
};

}  // namespace msd_assets
