#include "msd-sim/src/Physics/Collision/PolytopeAxes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"

namespace msd_sim {

using msd_assets::ConvexPolyhedron;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The vertex at which leastAlong found `least`.
std::size_t findVertex(const ConvexPolyhedron& p, const Vector3D& n, double least) {
  const auto xs = p.xs();
  const auto ys = p.ys();
  const auto zs = p.zs();
  std::size_t i = 0;
  while (i + 1 < p.vertices().size() && n.x() * xs[i] + n.y() * ys[i] + n.z() * zs[i] != least) ++i;
  return i;
}

/// An edge in A's frame with the normals of its two faces.
struct PlacedEdge {
  Vector3D from, along, normal0, normal1;
  Vector3D arc;  ///< normal1 × normal0
  std::uint16_t index;
};

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

int collectEdges(const ConvexPolyhedron& p, const EdgeFilter& filter, std::uint16_t* out) {
  std::array<double, kMaxFaces> distance;
  const auto faces = p.faces();
  const std::size_t faceCount = std::min(faces.size(), kMaxFaces);
  for (std::size_t i = 0; i < faceCount; ++i) {
    distance[i] = faces[i].normal.dot(filter.inside) - faces[i].offset;
  }
  int count = 0;
  const auto vertices = p.vertices();
  const auto edges = p.edges();
  for (std::size_t i = 0; i < edges.size() && count < kMaxEdges; ++i) {
    const ConvexPolyhedron::Edge& e = edges[i];
    if (!(distance[e.face0] > filter.better || distance[e.face1] > filter.better)) continue;
    const double lowest = std::min(filter.normal.dot(vertices[e.vertex0]),
                                   filter.normal.dot(vertices[e.vertex1]));
    if (lowest <= filter.limit) out[count++] = static_cast<std::uint16_t>(i);
  }
  return count;
}

/// Two edges make a face of the Minkowski difference when their arcs on the Gauss sphere cross
/// (Gregorius, "The Separating Axis Test", GDC 2013). B's normals come with the opposite sign.
bool arcsCross(const PlacedEdge& a, const PlacedEdge& b) {
  const double cba = b.normal0.dot(a.arc), dba = b.normal1.dot(a.arc);
  if (cba * dba >= 0.0) return false;
  const double adc = a.normal0.dot(b.arc), bdc = a.normal1.dot(b.arc);
  return adc * bdc < 0.0 && cba * bdc > 0.0;
}

PlacedEdge placeEdge(const ConvexPolyhedron& p, std::uint16_t index) {
  const ConvexPolyhedron::Edge& e = p.edges()[index];
  PlacedEdge edge;
  edge.from = p.vertices()[e.vertex0];
  edge.along = p.vertices()[e.vertex1] - edge.from;
  edge.normal0 = p.faces()[e.face0].normal;
  edge.normal1 = p.faces()[e.face1].normal;
  edge.arc = edge.normal1.cross(edge.normal0);
  edge.index = index;
  return edge;
}

}  // namespace

double leastAlong(const ConvexPolyhedron& p, const Vector3D& n) {
  const auto xs = p.xs();
  const auto ys = p.ys();
  const auto zs = p.zs();
  std::array<double, 8> best;
  best.fill(kInfinity);
  for (std::size_t i = 0; i < xs.size(); i += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      const double d = n.x() * xs[i + l] + n.y() * ys[i + l] + n.z() * zs[i + l];
      best[l] = d < best[l] ? d : best[l];
    }
  }
  double least = best[0];
  for (std::size_t l = 1; l < 8; ++l) least = std::min(least, best[l]);
  return least;
}

double faceSeparation(const ConvexPolyhedron& owner, std::uint16_t face,
                      const ConvexPolyhedron& other, const RelativePose& otherInOwner) {
  const ConvexPolyhedron::Face& f = owner.faces()[face];
  const Vector3D n = otherInOwner.rotation.transpose() * f.normal;
  return leastAlong(other, n) + f.normal.dot(otherInOwner.translation) - f.offset;
}

FaceAxis findBestFace(const ConvexPolyhedron& owner, const ConvexPolyhedron& other,
                      const RelativePose& otherInOwner, std::uint16_t hint, double enough) {
  const auto faces = owner.faces();
  FaceAxis best;
  const auto consider = [&](std::uint16_t i) {
    const ConvexPolyhedron::Face& f = faces[i];
    const Vector3D n = otherInOwner.rotation.transpose() * f.normal;
    const double least = leastAlong(other, n);
    const double s = least + f.normal.dot(otherInOwner.translation) - f.offset;
    if (!(s > best.separation)) return;
    const std::size_t v = findVertex(other, n, least);
    best = {s, i,
            otherInOwner.rotation * Coordinate{other.xs()[v], other.ys()[v], other.zs()[v]} +
                otherInOwner.translation};
  };
  consider(hint < faces.size() ? hint : std::uint16_t{0});
  for (std::uint16_t i = 0; i < faces.size() && best.separation <= enough; ++i) {
    if (faces[i].normal.dot(best.deepest) - faces[i].offset > best.separation) consider(i);
  }
  return best;
}

EdgeAxis findBestEdges(const ConvexPolyhedron& a, const FaceAxis& faceA, const ConvexPolyhedron& b,
                       const FaceAxis& faceB, const RelativePose& bInA, double reach,
                       double enough) {
  std::array<std::uint16_t, kMaxEdges> nearA, nearB;
  const RelativePose aInB = bInA.inverse();
  const double better = std::min(std::max(faceA.separation, faceB.separation), 0.0);
  const ConvexPolyhedron::Face& planeA = a.faces()[faceA.face];
  const ConvexPolyhedron::Face& planeB = b.faces()[faceB.face];
  const Vector3D nA = bInA.rotation * planeB.normal;
  const int countA = collectEdges(
      a, {faceA.deepest, better, nA, planeB.offset + nA.dot(bInA.translation) + reach},
      nearA.data());
  if (countA == 0) return {};
  const Vector3D nB = aInB.rotation * planeA.normal;
  const int countB = collectEdges(
      b, {faceB.deepest, better, nB, planeA.offset + nB.dot(aInB.translation) + reach},
      nearB.data());

  thread_local std::array<PlacedEdge, kMaxEdges> edgesB;
  for (int j = 0; j < countB; ++j) {
    PlacedEdge edge = placeEdge(b, nearB[static_cast<std::size_t>(j)]);
    edge.from = bInA.rotation * edge.from + bInA.translation;
    edge.along = bInA.rotation * edge.along;
    edge.normal0 = -(bInA.rotation * edge.normal0);
    edge.normal1 = -(bInA.rotation * edge.normal1);
    edge.arc = bInA.rotation * edge.arc;
    edgesB[static_cast<std::size_t>(j)] = edge;
  }
  EdgeAxis best;
  for (int i = 0; i < countA; ++i) {
    const PlacedEdge ea = placeEdge(a, nearA[static_cast<std::size_t>(i)]);
    for (int j = 0; j < countB; ++j) {
      const PlacedEdge& eb = edgesB[static_cast<std::size_t>(j)];
      if (!arcsCross(ea, eb)) continue;
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
  return best;
}

}  // namespace msd_sim
