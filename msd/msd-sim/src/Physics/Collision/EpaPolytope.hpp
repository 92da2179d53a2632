#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/Physics/Collision/SimplexSolver.hpp"

namespace msd_sim {

/// The growing polytope of EPA: a closed triangle surface with adjacency, in fixed memory.
class EpaPolytope {
 public:
  static constexpr int kMaxVertices = 136;
  static constexpr int kMaxFaces = 2 * kMaxVertices;

  struct Face {
    Vector3D normal;      ///< unit, outward
    double offset;        ///< signed distance of the origin's plane: normal·x = offset [m]
    std::array<std::int16_t, 3> vertices;
    std::array<std::int16_t, 3> neighbours;  ///< face beyond the side from vertex k to k + 1
    bool isAlive;
  };

  /// From four points that are not in one plane; `size` is the scale of rounding errors.
  EpaPolytope(const std::array<SimplexVertex, 4>& tetrahedron, double size);

  /// The face with the least offset, lowest index first.
  [[nodiscard]] int findNearestFace() const;
  [[nodiscard]] int faceCount() const { return face_count_; }  ///< dead ones included
  [[nodiscard]] const Face& face(int index) const { return faces_[index]; }
  [[nodiscard]] const SimplexVertex& vertex(int index) const { return vertices_[index]; }
  [[nodiscard]] bool holds(const SimplexVertex& vertex) const;

  /// Adds a point that lies beyond face `seen`: removes the faces it sees and closes the hole with a
  /// fan. False, with the surface unchanged, if memory is full or rounding has broken the horizon.
  [[nodiscard]] bool addVertex(const SimplexVertex& vertex, int seen);

 private:
  struct HorizonEdge {
    std::int16_t from;
    std::int16_t to;
    std::int16_t outside;      ///< face that stays
    std::int8_t outsideSide;   ///< its side along this edge
  };

  void setPlane(Face& face, const Face* fallback) const;
  [[nodiscard]] bool findHorizon(const Vector3D& w, int seen);
  [[nodiscard]] bool isClosedLoop();
  void replaceSeen(int apex);
  std::int16_t takeFace();

  std::array<SimplexVertex, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<HorizonEdge, kMaxFaces> horizon_;
  std::array<std::int16_t, kMaxFaces> seen_;
  std::array<std::int16_t, kMaxVertices> edge_from_;  ///< horizon edge that starts at a vertex, or -1
  int vertex_count_{0};
  int face_count_{0};  ///< slots in use, dead ones included
  int horizon_count_{0};
  int seen_count_{0};
  double visible_;  ///< a point this far beyond a face sees it [m]
};

}  // namespace msd_sim
