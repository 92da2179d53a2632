#include "msd-sim/src/Physics/Collision/PolytopeManifold.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "msd-sim/src/DataTypes/Infinity.hpp"
#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeAxes.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeClip.hpp"

namespace msd_sim {

using msd_assets::ConvexPolyhedron;

namespace {

RelativePose relativePose(const PlacedPolytope& a, const PlacedPolytope& b) {
  return {a.rotation.transpose() * b.rotation, a.rotation.transpose() * (b.position - a.position)};
}

/// Do the features that a cache names exist? It may be of another pair.
bool fits(const AxisCache& cache, const ConvexPolyhedron& a, const ConvexPolyhedron& b) {
  const bool edges = cache.kind == AxisCache::Kind::kEdges;
  return cache.a < (edges ? a.edges().size() : a.faceCount()) &&
         cache.b < (edges ? b.edges().size() : b.faceCount());
}

/// Separation along last time's axis; -infinity when there is none.
double cachedSeparation(const PlacedPolytope& a, const PlacedPolytope& b, const RelativePose& bInA,
                        const AxisCache& cache) {
  if (!fits(cache, *a.polyhedron, *b.polyhedron)) return -kInfinity;
  switch (cache.kind) {
    case AxisCache::Kind::kFaceA:
      return faceSeparation(*a.polyhedron, cache.a, *b.polyhedron, bInA);
    case AxisCache::Kind::kFaceB:
      return faceSeparation(*b.polyhedron, cache.b, *a.polyhedron, bInA.inverse());
    case AxisCache::Kind::kEdges: {
      const auto& ea = a.polyhedron->edges()[cache.a];
      const auto& eb = b.polyhedron->edges()[cache.b];
      const Vector3D da = a.polyhedron->vertex(ea.vertex1) - a.polyhedron->vertex(ea.vertex0);
      const Vector3D db =
          bInA.rotation * (b.polyhedron->vertex(eb.vertex1) - b.polyhedron->vertex(eb.vertex0));
      Vector3D n = da.cross(db);
      const double length2 = n.squaredNorm();
      if (length2 <= kParallelEdges * da.squaredNorm() * db.squaredNorm()) return -kInfinity;
      n /= std::sqrt(length2);
      if (n.dot(a.polyhedron->normal(ea.face0) + a.polyhedron->normal(ea.face1)) < 0.0) n = -n;
      // The true supports along n, so that the answer is a separation whatever moved.
      const double behindA = -leastAlong(*a.polyhedron, -n);
      return leastAlong(*b.polyhedron, bInA.rotation.transpose() * n) + n.dot(bInA.translation) -
             behindA;
    }
    case AxisCache::Kind::kNone:
      break;
  }
  return -kInfinity;
}

double faceArea(const ConvexPolyhedron& p, std::uint16_t face) {
  const auto corners = p.faceVertices(face);
  const Coordinate first = p.vertex(corners[0]);
  Vector3D sum = Vector3D::Zero();
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    sum += (p.vertex(corners[k]) - first).cross(p.vertex(corners[k + 1]) - first);
  }
  return 0.5 * sum.norm();
}

/// From the best axis of each kind to the manifolds: one, or two where the best is a pair of edges
/// and the bodies may move so far that a face can touch as well before they are tested again.
int makeManifolds(const PlacedPolytope& a, const PlacedPolytope& b, const FaceAxis& faceA,
                  const FaceAxis& faceB, const EdgeAxis& edges, double scale, double margin,
                  AxisCache& cache, std::span<ContactManifold> out) {
  const double face = std::max(faceA.separation, faceB.separation);
  if (edges.separation > face + kEdgeGain * scale) {
    cache.set(AxisCache::Kind::kEdges, edges.a, edges.b);
    contactEdges(a, edges.a, b, edges.b, a.rotation * edges.normal, margin, out[0]);
    if (out[0].count == 0 || out.size() < 2 || margin < kFastMargin * scale) {
      return out[0].count > 0 ? 1 : 0;
    }
    if (faceA.separation >= faceB.separation) {
      clipFaces(a, faceA, b, true, margin, out[1]);
    } else {
      clipFaces(b, faceB, a, false, margin, out[1]);
    }
    return out[1].count > 0 ? 2 : 1;
  }
  bool referenceIsA = faceA.separation > faceB.separation;
  if (std::abs(faceA.separation - faceB.separation) <= kFaceTie * scale) {
    const double areaA = faceArea(*a.polyhedron, faceA.face);
    const double areaB = faceArea(*b.polyhedron, faceB.face);
    referenceIsA = areaA >= areaB * (1.0 - kAreaTie);
  }
  cache.set(referenceIsA ? AxisCache::Kind::kFaceA : AxisCache::Kind::kFaceB, faceA.face,
            faceB.face);
  const double nearest = referenceIsA ? clipFaces(a, faceA, b, true, margin, out[0])
                                      : clipFaces(b, faceB, a, false, margin, out[0]);
  const double separation = referenceIsA ? faceA.separation : faceB.separation;
  if (nearest <= separation + kEdgeGain * scale) return out[0].count > 0 ? 1 : 0;
  // The deepest corner lies beside the face: it is two edges after all, or the shapes are apart and
  // their nearest features no face's.
  if (separation > 0.0 || !(edges.separation >= separation)) return kNoFeature;
  cache.set(AxisCache::Kind::kEdges, edges.a, edges.b);
  contactEdges(a, edges.a, b, edges.b, a.rotation * edges.normal, margin, out[0]);
  return out[0].count > 0 ? 1 : 0;
}

int setSeparated(double separation, std::span<ContactManifold> out) {
  out[0].count = 0;
  out[0].separation = separation;
  return 0;
}

/// Does the nearest corner lie over the face? Of shapes that are apart it is then as far away as
/// any point of them.
bool isOverFace(const ConvexPolyhedron& p, const FaceAxis& axis) {
  const Vector3D normal = p.normal(axis.face);
  const auto corners = p.faceVertices(axis.face);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Coordinate from = p.vertex(corners[k]);
    const Vector3D side =
        (p.vertex(corners[k + 1 == corners.size() ? 0 : k + 1]) - from).cross(normal);
    if (side.dot(axis.deepest - from) > 0.0) return false;
  }
  return true;
}

double scaleOf(const PlacedPolytope& a, const PlacedPolytope& b) {
  return std::min(a.polyhedron->boundingRadius(), b.polyhedron->boundingRadius());
}

/// The face of a box that looks along +axis or -axis.
std::uint16_t boxFace(const ConvexPolyhedron& box, int axis, bool positive) {
  for (std::uint16_t i = 0; i < box.faceCount(); ++i) {
    const double c = box.normal(i)[axis];
    if (positive ? c > 0.5 : c < -0.5) return i;
  }
  return 0;
}

/// The edge of a box along `axis` that lies farthest along n (box frame).
std::uint16_t boxEdge(const ConvexPolyhedron& box, int axis, const Vector3D& n) {
  const auto edges = box.edges();
  std::uint16_t best = 0;
  double farthest = -kInfinity;
  for (std::uint16_t i = 0; i < edges.size(); ++i) {
    const Coordinate p = box.vertex(edges[i].vertex0);
    const Coordinate q = box.vertex(edges[i].vertex1);
    if (p[axis] == q[axis]) continue;
    const double d = n.dot(p + q);
    if (d > farthest) {
      farthest = d;
      best = i;
    }
  }
  return best;
}

/// Separations of two boxes along the fifteen axes (Gottschalk, Lin, Manocha 1996), in A's frame.
struct BoxAxes {
  Matrix3D R, absR;
  Vector3D t, halfA, halfB;

  [[nodiscard]] double faceA(int i) const {
    return std::abs(t[i]) - halfA[i] - absR.row(i).dot(halfB);
  }
  [[nodiscard]] double faceB(int j) const {
    return std::abs(R.col(j).dot(t)) - halfB[j] - absR.col(j).dot(halfA);
  }
  /// Along n = e_i × R_j, not of unit length: |n·t| less both boxes' reach along n.
  [[nodiscard]] double crossed(int i, int j) const {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double distance = t[i2] * R(i1, j) - t[i1] * R(i2, j);
    return std::abs(distance) - (halfA[i1] * absR(i2, j) + halfA[i2] * absR(i1, j) +
                                 halfB[j1] * absR(i, j2) + halfB[j2] * absR(i, j1));
  }
  /// Edge i of A against edge j of B; -infinity when they are parallel. Below `worse` an overlap is
  /// given as it is: divided by the length of n, at most 1, it is no less.
  [[nodiscard]] double edges(int i, int j, double worse) const {
    const double s = crossed(i, j);
    if (s < 0.0 && s <= worse) return s;
    const double length2 = 1.0 - R(i, j) * R(i, j);
    return length2 > kParallelEdges ? s / std::sqrt(length2) : -kInfinity;
  }
  /// Unit normal of that axis, from A to B.
  [[nodiscard]] Vector3D edgeNormal(int i, int j) const {
    const Vector3D n = Vector3D::Unit(i).cross(R.col(j)).normalized();
    return n.dot(t) < 0.0 ? Vector3D{-n} : n;
  }
};

}  // namespace

int collidePolytopes(const PlacedPolytope& a, const PlacedPolytope& b, double margin, double reach,
                     AxisCache& cache, std::span<ContactManifold> out) {
  const RelativePose bInA = relativePose(a, b);
  const double cached = cachedSeparation(a, b, bInA, cache);
  if (cached > margin) return setSeparated(cached, out);

  const FaceAxis faceA =
      findBestFace(*a.polyhedron, *b.polyhedron, bInA, {.hint = cache.faceA, .enough = margin});
  cache.faceA = faceA.face;
  if (faceA.separation > margin) {
    cache.set(AxisCache::Kind::kFaceA, faceA.face, 0);
    return setSeparated(faceA.separation, out);
  }
  // A face of B that separates less than the best of A has no part in what follows.
  const FaceAxis faceB = findBestFace(*b.polyhedron, *a.polyhedron, bInA.inverse(),
                                      {.hint = cache.faceB,
                                       .floor = faceA.separation - kFaceTie * scaleOf(a, b),
                                       .enough = margin});
  cache.faceB = faceB.face;
  if (faceB.separation > margin) {
    cache.set(AxisCache::Kind::kFaceB, 0, faceB.face);
    return setSeparated(faceB.separation, out);
  }
  const double face = std::max(faceA.separation, faceB.separation);
  const bool isDistance =
      face > 0.0 && (faceA.separation >= faceB.separation ? isOverFace(*a.polyhedron, faceA)
                                                          : isOverFace(*b.polyhedron, faceB));
  // What is as far apart as a face says no edges can separate more.
  const EdgeAxis edges = isDistance ? EdgeAxis{}
                                    : findBestEdges(*a.polyhedron, faceA, *b.polyhedron, faceB,
                                                    bInA, std::max(-face, reach), margin);
  if (edges.separation > margin) {
    cache.set(AxisCache::Kind::kEdges, edges.a, edges.b);
    return setSeparated(edges.separation, out);
  }
  out[0].separation = std::max(face, edges.separation);
  return makeManifolds(a, b, faceA, faceB, edges, scaleOf(a, b), margin, cache, out);
}

int collideBoxes(const PlacedPolytope& a, const Vector3D& halfA, const PlacedPolytope& b,
                 const Vector3D& halfB, double margin, AxisCache& cache,
                 std::span<ContactManifold> out) {
  const RelativePose bInA = relativePose(a, b);
  const BoxAxes axes{bInA.rotation, bInA.rotation.cwiseAbs(), bInA.translation, halfA, halfB};

  // Last time's axis, kept as axis numbers: face of A, 3 + face of B, 6 + 3 i + j.
  if (cache.kind != AxisCache::Kind::kNone) {
    const int axis = std::min<int>(cache.a, 14);
    const double s = axis < 3   ? axes.faceA(axis)
                     : axis < 6 ? axes.faceB(axis - 3)
                                : axes.edges((axis - 6) / 3, (axis - 6) % 3, -kInfinity);
    if (s > margin) return setSeparated(s, out);
  }

  FaceAxis faceA, faceB;
  const auto separatedBy = [&](double s, int axis) {
    if (s <= margin) return false;
    cache.set(AxisCache::Kind::kFaceA, static_cast<std::uint16_t>(axis), 0);
    setSeparated(s, out);
    return true;
  };
  for (int i = 0; i < 3; ++i) {
    const double s = axes.faceA(i);
    if (separatedBy(s, i)) return 0;
    if (s > faceA.separation) faceA = {.separation = s, .face = static_cast<std::uint16_t>(i)};
  }
  for (int j = 0; j < 3; ++j) {
    const double s = axes.faceB(j);
    if (separatedBy(s, 3 + j)) return 0;
    if (s > faceB.separation) faceB = {.separation = s, .face = static_cast<std::uint16_t>(j)};
  }
  EdgeAxis edges;
  int edgeAxis = -1;
  // Edges that separate no better than the best face are of no interest.
  double best = std::max(faceA.separation, faceB.separation);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double s = axes.edges(i, j, best);
      if (!(s > best)) continue;
      if (separatedBy(s, 6 + 3 * i + j)) return 0;
      best = edges.separation = s;
      edgeAxis = 6 + 3 * i + j;
    }
  }
  out[0].separation = std::max({faceA.separation, faceB.separation, edges.separation});
  const int axisA = faceA.face, axisB = faceB.face;
  if (edgeAxis >= 0) {
    edges.normal = axes.edgeNormal((edgeAxis - 6) / 3, (edgeAxis - 6) % 3);
    edges.a = boxEdge(*a.polyhedron, (edgeAxis - 6) / 3, edges.normal);
    edges.b = boxEdge(*b.polyhedron, (edgeAxis - 6) % 3, -(axes.R.transpose() * edges.normal));
  }
  faceA.face = boxFace(*a.polyhedron, axisA, axes.t[axisA] >= 0.0);
  faceB.face = boxFace(*b.polyhedron, axisB, axes.R.col(axisB).dot(axes.t) < 0.0);
  const int count = makeManifolds(a, b, faceA, faceB, edges, scaleOf(a, b), margin, cache, out);
  const int used = cache.kind == AxisCache::Kind::kFaceA   ? axisA
                   : cache.kind == AxisCache::Kind::kFaceB ? 3 + axisB
                                                           : edgeAxis;
  cache.set(cache.kind, static_cast<std::uint16_t>(used), 0);
  return count;
}

}  // namespace msd_sim
