#pragma once

#include <Eigen/Core>
#include <array>
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

  // What follows lies in one piece of memory, which is all that tests for contact read.

  [[nodiscard]] std::span<const Edge> edges() const {
    return part<Edge>(parts_.edges, parts_.edgeCount);
  }
  [[nodiscard]] std::size_t vertexCount() const { return parts_.vertexCount; }
  [[nodiscard]] std::size_t faceCount() const { return parts_.faceCount; }
  [[nodiscard]] Eigen::Vector3d vertex(std::size_t i) const { return {xs()[i], ys()[i], zs()[i]}; }
  [[nodiscard]] Eigen::Vector3d normal(std::size_t face) const {
    const Planes p = planes();
    return {p.x[face], p.y[face], p.z[face]};
  }
  [[nodiscard]] double offset(std::size_t face) const { return planes().offset[face]; }

  /// The corners of a face.
  [[nodiscard]] std::span<const std::uint16_t> faceVertices(std::size_t face) const {
    const std::uint32_t* first = number<std::uint32_t>(parts_.faceFirst) + face;
    return part<std::uint16_t>(parts_.faceVertices + 2 * first[0], first[1] - first[0]);
  }
  [[nodiscard]] std::span<const std::uint16_t> faceVertices(const Face& face) const {
    return part<std::uint16_t>(parts_.faceVertices + 2 * face.firstVertex, face.vertexCount);
  }
  /// Indices into edges() of the sides of a face, in the order of its corners: side k joins
  /// corner k and corner k + 1.
  [[nodiscard]] std::span<const std::uint16_t> faceEdges(std::size_t face) const {
    const std::uint32_t* first = number<std::uint32_t>(parts_.faceFirst) + face;
    return part<std::uint16_t>(parts_.faceEdges + 2 * first[0], first[1] - first[0]);
  }
  [[nodiscard]] std::span<const std::uint16_t> faceEdges(const Face& face) const {
    return part<std::uint16_t>(parts_.faceEdges + 2 * face.firstVertex, face.vertexCount);
  }

  /// Vertex coordinates as three arrays, padded to a multiple of eight by repeating vertex 0, so
  /// that a vector loop needs no remainder.
  [[nodiscard]] std::span<const double> xs() const {
    return part<double>(0, parts_.paddedVertices);
  }
  [[nodiscard]] std::span<const double> ys() const {
    return part<double>(8 * parts_.paddedVertices, parts_.paddedVertices);
  }
  [[nodiscard]] std::span<const double> zs() const {
    return part<double>(16 * parts_.paddedVertices, parts_.paddedVertices);
  }

  /// The planes of the faces likewise: normals and offsets, padded by repeating face 0.
  struct Planes {
    std::span<const double> x, y, z, offset;
  };
  [[nodiscard]] Planes planes() const {
    const std::uint32_t n = parts_.paddedFaces;
    return {part<double>(parts_.planes, n), part<double>(parts_.planes + 8 * n, n),
            part<double>(parts_.planes + 16 * n, n), part<double>(parts_.planes + 24 * n, n)};
  }
  /// Indices into faces() of the faces that meet in a vertex, ascending.
  [[nodiscard]] std::span<const std::uint16_t> vertexFaces(std::size_t vertex) const {
    const std::uint32_t* first = number<std::uint32_t>(parts_.vertexFirst) + vertex;
    return part<std::uint16_t>(parts_.vertexFaces + 2 * first[0], first[1] - first[0]);
  }

  /// Indices into edges() of the edges that meet in a vertex, ascending.
  [[nodiscard]] std::span<const std::uint16_t> vertexEdges(std::size_t vertex) const {
    const std::uint32_t* first = number<std::uint32_t>(parts_.vertexFirst) + vertex;
    return part<std::uint16_t>(parts_.vertexEdges + 2 * first[0], first[1] - first[0]);
  }

  /// All of it.
  [[nodiscard]] std::span<const std::byte> numbers() const {
    return {lines_.data()->bytes.data(), lines_.size() * sizeof(Line)};
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

  /// A cache line.
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  /// Where in the piece of memory each list begins [B], and how many there are.
  struct Parts {
    std::uint32_t vertexCount{0}, paddedVertices{0};
    std::uint32_t faceCount{0}, paddedFaces{0}, edgeCount{0};
    std::uint32_t planes{0};
    std::uint32_t edges{0};
    std::uint32_t faceFirst{0};  ///< of each face and behind the last, in the two below
    std::uint32_t faceVertices{0}, faceEdges{0};
    std::uint32_t vertexFirst{0};  ///< of each vertex and behind the last, in the two below
    std::uint32_t vertexFaces{0}, vertexEdges{0};
  };
  struct Lists;

  void pack(const Lists& lists);
  template <class T>
  [[nodiscard]] const T* number(std::uint32_t at) const {
    return reinterpret_cast<const T*>(lines_.data()->bytes.data() + at);
  }
  template <class T>
  [[nodiscard]] std::span<const T> part(std::uint32_t at, std::size_t count) const {
    return {number<T>(at), count};
  }

  std::vector<Line> lines_;
  Parts parts_;
  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  double bounding_radius_{0.0};
  std::size_t welded_points_{0};
};

}  // namespace msd_assets
