#include "msd-sim/src/Physics/Collision/PolytopeAxes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeLanes.hpp"

namespace msd_sim {

using msd_assets::ConvexPolyhedron;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An edge in A's frame with the normals of its two faces.
struct PlacedEdge {
  Vector3D from, along, normal0, normal1;
  Vector3D arc;  ///< normal1 × normal0
  std::uint16_t index;
};

constexpr std::size_t kLanes = 8;  // the arrays of a polyhedron are padded to so many

constexpr int kMaxEdges = 512;
/// Larger hulls are not tested this way (kMostEdgePairs in PolytopePairs.cpp).
constexpr std::size_t kMaxFaces = 2048;

/// What an edge of a polytope must be like to count, in the polytope's frame.
struct EdgeFilter {
  Coordinate inside;  ///< a point of the other polytope [m]
  double better;      ///< it must be farther than this from a plane of the edge's faces [m]
  Vector3D normal;    ///< of the other polytope's best face
  double limit;       ///< an end must be no higher along it [m]
};

/// The edges of those faces that are far enough, each once.
int collectEdges(const ConvexPolyhedron& p, const EdgeFilter& filter, std::uint16_t* out) {
  std::array<double, kMaxFaces> distance;
  std::fill_n(distance.begin(), p.planes().x.size(), kInfinity);
  if (!(lanes::lowerToDistances(p, filter.inside, distance.data()) > filter.better)) return 0;
  int count = 0;
  const auto edges = p.edges();
  for (std::size_t f = 0; f < p.faceCount(); ++f) {
    if (!(distance[f] > filter.better)) continue;
    for (const std::uint16_t i : p.faceEdges(f)) {
      const ConvexPolyhedron::Edge& e = edges[i];
      const std::size_t other = e.face0 == f ? e.face1 : e.face0;
      if (other < f && distance[other] > filter.better) continue;  // listed there
      const double lowest =
          std::min(filter.normal.dot(p.vertex(e.vertex0)), filter.normal.dot(p.vertex(e.vertex1)));
      if (lowest <= filter.limit && count < kMaxEdges) out[count++] = i;
    }
  }
  return count;
}

/// The edges of B in A's frame, eight at a time.
struct EdgeLanes {
  /// Of one edge: normals of its faces, with the opposite sign, and their arc, as three numbers each.
  static constexpr std::size_t kNumbers = 9;
  std::array<std::array<double, kMaxEdges>, kNumbers> numbers;

  void put(std::size_t i, const PlacedEdge& edge) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto k = static_cast<Eigen::Index>(c);
      numbers[c][i] = edge.normal0[k];
      numbers[3 + c][i] = edge.normal1[k];
      numbers[6 + c][i] = edge.arc[k];
    }
  }
  [[nodiscard]] double dot(std::size_t first, std::size_t i, const Vector3D& v) const {
    return numbers[first][i] * v.x() + numbers[first + 1][i] * v.y() + numbers[first + 2][i] * v.z();
  }
};

/// Two edges make a face of the Minkowski difference when their arcs on the Gauss sphere cross
/// (Gregorius, "The Separating Axis Test", GDC 2013). B's normals come with the opposite sign. Tells for eight edges of B
/// from number `first` on, 1 where they cross; returns how many do.
double findCrossings(const PlacedEdge& a, const EdgeLanes& b, std::size_t first, double* __restrict crosses) {
  double count = 0.0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::size_t i = first + l;
    const double cba = b.dot(0, i, a.arc), dba = b.dot(3, i, a.arc);
    const double adc = b.dot(6, i, a.normal0), bdc = b.dot(6, i, a.normal1);
    crosses[l] = ((cba * dba < 0.0) & (adc * bdc < 0.0) & (cba * bdc > 0.0)) ? 1.0 : 0.0;
  }
  for (std::size_t l = 0; l < kLanes; ++l) count += crosses[l];
  return count;
}

PlacedEdge placeEdge(const ConvexPolyhedron& p, std::uint16_t index) {
  const ConvexPolyhedron::Edge& e = p.edges()[index];
  PlacedEdge edge;
  edge.from = p.vertex(e.vertex0);
  edge.along = p.vertex(e.vertex1) - edge.from;
  edge.normal0 = p.normal(e.face0);
  edge.normal1 = p.normal(e.face1);
  edge.arc = edge.normal1.cross(edge.normal0);
  edge.index = index;
  return edge;
}

}  // namespace

double leastAlong(const ConvexPolyhedron& p, const Vector3D& n) {
  return lanes::findLeastVertex(p, n).value;
}

double faceSeparation(const ConvexPolyhedron& owner, std::uint16_t face,
                      const ConvexPolyhedron& other, const RelativePose& otherInOwner) {
  const Vector3D normal = owner.normal(face);
  const Vector3D n = otherInOwner.rotation.transpose() * normal;
  return leastAlong(other, n) + normal.dot(otherInOwner.translation) - owner.offset(face);
}

FaceAxis findBestFace(const ConvexPolyhedron& owner, const ConvexPolyhedron& other,
                      const RelativePose& otherInOwner, const FaceSearch& search) {
  const std::size_t faces = owner.faceCount();
  std::array<double, kMaxFaces> bound;
  std::fill_n(bound.begin(), owner.planes().x.size(), kInfinity);
  FaceAxis best;
  std::size_t face = search.hint < faces ? search.hint : 0;
  for (;;) {
    const Vector3D normal = owner.normal(face);
    const Vector3D n = otherInOwner.rotation.transpose() * normal;
    const auto [least, v] = lanes::findLeastVertex(other, n);
    const Coordinate nearest = otherInOwner.rotation * other.vertex(v) + otherInOwner.translation;
    const double s = least + normal.dot(otherInOwner.translation) - owner.offset(face);
    if (s > best.separation) best = {s, static_cast<std::uint16_t>(face), static_cast<std::uint16_t>(v), nearest};
    if (best.separation > search.enough) return best;
    bound[face] = -kInfinity;  // looked at
    // No face separates the other polytope by more than any one of its points.
    const double most = lanes::lowerToDistances(owner, nearest, bound.data());
    if (!(most > std::max(best.separation, search.floor))) return best;
    face = lanes::findEqual(bound.data(), owner.planes().x.size(), most);
    if (face >= faces) return best;  // of the padding, which repeats a face that was looked at
  }
}

EdgeAxis findBestEdges(const ConvexPolyhedron& a, const FaceAxis& faceA, const ConvexPolyhedron& b,
                       const FaceAxis& faceB, const RelativePose& bInA, double reach,
                       double enough) {
  std::array<std::uint16_t, kMaxEdges> nearA, nearB;
  const RelativePose aInB = bInA.inverse();
  const double better = std::min(std::max(faceA.separation, faceB.separation), 0.0);
  const Vector3D nA = bInA.rotation * b.normal(faceB.face);
  const int countA = collectEdges(
      a, {faceA.deepest, better, nA, b.offset(faceB.face) + nA.dot(bInA.translation) + reach},
      nearA.data());
  if (countA == 0) return {};
  const Vector3D nB = aInB.rotation * a.normal(faceA.face);
  const int countB = collectEdges(
      b, {faceB.deepest, better, nB, a.offset(faceA.face) + nB.dot(aInB.translation) + reach},
      nearB.data());

  thread_local std::array<PlacedEdge, kMaxEdges> edgesB;
  thread_local EdgeLanes lanes;
  for (int j = 0; j < countB; ++j) {
    PlacedEdge edge = placeEdge(b, nearB[static_cast<std::size_t>(j)]);
    edge.from = bInA.rotation * edge.from + bInA.translation;
    edge.along = bInA.rotation * edge.along;
    edge.normal0 = -(bInA.rotation * edge.normal0);
    edge.normal1 = -(bInA.rotation * edge.normal1);
    edge.arc = bInA.rotation * edge.arc;
    edgesB[static_cast<std::size_t>(j)] = edge;
    lanes.put(static_cast<std::size_t>(j), edge);
  }
  const auto count = static_cast<std::size_t>(countB);
  EdgeAxis best;
  for (int i = 0; i < countA; ++i) {
    const PlacedEdge ea = placeEdge(a, nearA[static_cast<std::size_t>(i)]);
    for (std::size_t first = 0; first < count; first += kLanes) {
      std::array<double, kLanes> crosses;
      if (findCrossings(ea, lanes, first, crosses.data()) == 0.0) continue;
      for (std::size_t j = first; j < std::min(first + kLanes, count); ++j) {
        if (crosses[j - first] == 0.0) continue;
        const PlacedEdge& eb = edgesB[j];
        Vector3D n = ea.along.cross(eb.along);
        const double length2 = n.squaredNorm();
        if (length2 <= kParallelEdges * ea.along.squaredNorm() * eb.along.squaredNorm()) continue;
        n /= std::sqrt(length2);
        if (n.dot(ea.normal0 + ea.normal1) < 0.0) n = -n;  // out of A
        const double s = n.dot(eb.from - ea.from);
        if (s > best.separation) {
          best = {s, ea.index, eb.index, n};
          if (s > enough) return best;
        }
      }
    }
  }
  return best;
}

}  // namespace msd_sim
