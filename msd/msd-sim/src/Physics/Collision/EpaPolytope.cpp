#include "msd-sim/src/Physics/Collision/EpaPolytope.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

EpaPolytope::EpaPolytope(const std::array<SimplexVertex, 4>& tetrahedron, double size)
    : visible_{tolerance::kEpaVisible * size} {
  for (const SimplexVertex& vertex : tetrahedron) vertices_[vertex_count_++] = vertex;
  const auto w = [&](int i) -> const Vector3D& { return vertices_[i].w; };
  if ((w(1) - w(0)).cross(w(2) - w(0)).dot(w(3) - w(0)) > 0.0) {
    std::swap(vertices_[1], vertices_[2]);  // so that face 0 1 2 looks away from vertex 3
  }
  // Side k of a face joins its vertices k and k + 1.
  faces_[0].vertices = {0, 1, 2};
  faces_[0].neighbours = {1, 2, 3};
  faces_[1].vertices = {0, 3, 1};
  faces_[1].neighbours = {3, 2, 0};
  faces_[2].vertices = {1, 3, 2};
  faces_[2].neighbours = {1, 3, 0};
  faces_[3].vertices = {2, 3, 0};
  faces_[3].neighbours = {2, 1, 0};
  face_count_ = 4;
  for (int i = 0; i < 4; ++i) {
    faces_[i].isAlive = true;
    setPlane(faces_[i], nullptr);
  }
}

void EpaPolytope::setPlane(Face& face, const Face* fallback) const {
  const Vector3D& a = vertices_[face.vertices[0]].w;
  const Vector3D& b = vertices_[face.vertices[1]].w;
  const Vector3D& c = vertices_[face.vertices[2]].w;
  const Vector3D ab = b - a;
  const Vector3D ac = c - a;
  const Vector3D bc = c - b;
  const double ab2 = ab.squaredNorm();
  const double ac2 = ac.squaredNorm();
  const double bc2 = bc.squaredNorm();
  Vector3D n;
  if (bc2 >= ab2 && bc2 >= ac2) {
    n = ab.cross(ac);
  } else if (ac2 >= ab2) {
    n = ab.cross(bc);
  } else {
    n = ac.cross(bc);
  }
  const double area = n.norm();
  const double longest = std::max(ab2, std::max(ac2, bc2));
  if (area > 4.0 * tolerance::kUlp * longest || fallback == nullptr) {
    face.normal = area > 0.0 ? Vector3D{n / area} : Vector3D::UnitX();
    // The greatest of three equal numbers: no vertex of the face lies beyond its own plane.
    face.offset = std::max(face.normal.dot(a), std::max(face.normal.dot(b), face.normal.dot(c)));
  } else {
    // Three points in a line: the face is a crease in the plane of its neighbour.
    face.normal = fallback->normal;
    face.offset = fallback->offset;
  }
}

int EpaPolytope::findNearestFace() const {
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < face_count_; ++i) {
    if (faces_[i].isAlive && faces_[i].offset < least) {
      least = faces_[i].offset;
      nearest = i;
    }
  }
  return nearest;
}

bool EpaPolytope::holds(const SimplexVertex& vertex) const {
  for (int i = 0; i < vertex_count_; ++i) {
    if (vertices_[i].w == vertex.w) return true;
    const bool hasIds =
        vertex.idA != SupportVertex::kSmooth && vertex.idB != SupportVertex::kSmooth;
    if (hasIds && vertices_[i].idA == vertex.idA && vertices_[i].idB == vertex.idB) return true;
  }
  return false;
}

bool EpaPolytope::findHorizon(const Vector3D& w, int seen) {
  horizon_count_ = 0;
  seen_count_ = 0;
  seen_[seen_count_++] = static_cast<std::int16_t>(seen);
  faces_[seen].isAlive = false;
  for (int next = 0; next < seen_count_; ++next) {
    const Face& face = faces_[seen_[next]];
    for (int side = 0; side < 3; ++side) {
      const std::int16_t other = face.neighbours[side];
      if (!faces_[other].isAlive) continue;
      if (faces_[other].normal.dot(w) - faces_[other].offset > visible_) {
        faces_[other].isAlive = false;
        seen_[seen_count_++] = other;
      }
    }
  }
  for (int i = 0; i < seen_count_; ++i) {
    const Face& face = faces_[seen_[i]];
    for (int side = 0; side < 3; ++side) {
      const std::int16_t other = face.neighbours[side];
      if (!faces_[other].isAlive) continue;
      const std::int16_t from = face.vertices[side];
      const std::int16_t to = face.vertices[(side + 1) % 3];
      std::int8_t outsideSide = 0;
      while (outsideSide < 3 && !(faces_[other].vertices[outsideSide] == to &&
                                  faces_[other].vertices[(outsideSide + 1) % 3] == from)) {
        ++outsideSide;
      }
      if (outsideSide == 3) return false;
      horizon_[horizon_count_++] = {from, to, other, outsideSide};
    }
  }
  return isClosedLoop();
}

/// One loop that passes every vertex once.
bool EpaPolytope::isClosedLoop() {
  if (horizon_count_ < 3) return false;
  for (int i = 0; i < vertex_count_; ++i) edge_from_[i] = -1;
  for (int i = 0; i < horizon_count_; ++i) {
    if (edge_from_[horizon_[i].from] >= 0) return false;
    edge_from_[horizon_[i].from] = static_cast<std::int16_t>(i);
  }
  int visited = 0;
  std::int16_t at = 0;
  do {
    at = edge_from_[horizon_[at].to];
    ++visited;
  } while (at > 0 && visited <= horizon_count_);
  return at == 0 && visited == horizon_count_;
}

std::int16_t EpaPolytope::takeFace() {
  if (seen_count_ > 0) return seen_[--seen_count_];
  return static_cast<std::int16_t>(face_count_++);
}

void EpaPolytope::replaceSeen(int apex) {
  std::array<std::int16_t, kMaxFaces> fan;
  for (int i = 0; i < horizon_count_; ++i) {
    const HorizonEdge& edge = horizon_[i];
    fan[i] = takeFace();
    Face& face = faces_[fan[i]];
    face.isAlive = true;
    face.vertices = {edge.from, edge.to, static_cast<std::int16_t>(apex)};
    face.neighbours[0] = edge.outside;
    faces_[edge.outside].neighbours[edge.outsideSide] = fan[i];
    setPlane(face, &faces_[edge.outside]);
  }
  for (int i = 0; i < horizon_count_; ++i) {
    const std::int16_t next = fan[edge_from_[horizon_[i].to]];
    faces_[fan[i]].neighbours[1] = next;
    faces_[next].neighbours[2] = fan[i];
  }
}

bool EpaPolytope::addVertex(const SimplexVertex& vertex, int seen) {
  if (vertex_count_ == kMaxVertices) return false;
  const bool isSound = findHorizon(vertex.w, seen);
  const int fresh = horizon_count_ - seen_count_;
  if (!isSound || face_count_ + fresh > kMaxFaces) {
    for (int i = 0; i < seen_count_; ++i) faces_[seen_[i]].isAlive = true;
    return false;
  }
  vertices_[vertex_count_] = vertex;
  replaceSeen(vertex_count_++);
  return true;
}

}  // namespace msd_sim
