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

/// A direction, from A to B in A's frame, and how far the polytopes are apart along it.
struct SeparatingAxis {
  double separation{-kInfinity};
  Vector3D normal{Vector3D::Zero()};
};

/// Last time's axis; -infinity when there is none.
SeparatingAxis cachedSeparation(const PlacedPolytope& a, const PlacedPolytope& b,
                                const RelativePose& bInA, const AxisCache& cache) {
  if (!fits(cache, *a.polyhedron, *b.polyhedron)) return {};
  switch (cache.kind) {
    case AxisCache::Kind::kFaceA:
      return {faceSeparation(*a.polyhedron, cache.a, *b.polyhedron, bInA),
              a.polyhedron->normal(cache.a)};
    case AxisCache::Kind::kFaceB:
      return {faceSeparation(*b.polyhedron, cache.b, *a.polyhedron, bInA.inverse()),
              -(bInA.rotation * b.polyhedron->normal(cache.b))};
    case AxisCache::Kind::kEdges: {
      const auto& ea = a.polyhedron->edges()[cache.a];
      const auto& eb = b.polyhedron->edges()[cache.b];
      const Vector3D da = a.polyhedron->vertex(ea.vertex1) - a.polyhedron->vertex(ea.vertex0);
      const Vector3D db =
          bInA.rotation * (b.polyhedron->vertex(eb.vertex1) - b.polyhedron->vertex(eb.vertex0));
      Vector3D n = da.cross(db);
      const double length2 = n.squaredNorm();
      if (length2 <= kParallelEdges * da.squaredNorm() * db.squaredNorm()) return {};
      n /= std::sqrt(length2);
      if (n.dot(a.polyhedron->normal(ea.face0) + a.polyhedron->normal(ea.face1)) < 0.0) n = -n;
      // The true supports along n, so that the answer is a separation whatever moved.
      const double behindA = -leastAlong(*a.polyhedron, -n);
      return {leastAlong(*b.polyhedron, bInA.rotation.transpose() * n) + n.dot(bInA.translation) -
                  behindA,
              n};
    }
    case AxisCache::Kind::kNone:
      break;
  }
  return {};
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

/// `normal`: along which, from A to B, world.
int setSeparated(double separation, const Vector3D& normal, std::span<ContactManifold> out) {
  out[0].count = 0;
  out[0].separation = separation;
  out[0].normal = normal;
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

}  // namespace

int collidePolytopes(const PlacedPolytope& a, const PlacedPolytope& b, double margin, double reach,
                     AxisCache& cache, std::span<ContactManifold> out) {
  const RelativePose bInA = relativePose(a, b);
  const SeparatingAxis cached = cachedSeparation(a, b, bInA, cache);
  if (cached.separation > margin)
    return setSeparated(cached.separation, a.rotation * cached.normal, out);

  const FaceAxis faceA =
      findBestFace(*a.polyhedron, *b.polyhedron, bInA, {.hint = cache.faceA, .enough = margin});
  cache.faceA = faceA.face;
  if (faceA.separation > margin) {
    cache.set(AxisCache::Kind::kFaceA, faceA.face, 0);
    return setSeparated(faceA.separation, a.rotation * a.polyhedron->normal(faceA.face), out);
  }
  // A face of B that separates less than the best of A has no part in what follows.
  const FaceAxis faceB = findBestFace(*b.polyhedron, *a.polyhedron, bInA.inverse(),
                                      {.hint = cache.faceB,
                                       .floor = faceA.separation - kFaceTie * scaleOf(a, b),
                                       .enough = margin});
  cache.faceB = faceB.face;
  if (faceB.separation > margin) {
    cache.set(AxisCache::Kind::kFaceB, 0, faceB.face);
    return setSeparated(faceB.separation, -(b.rotation * b.polyhedron->normal(faceB.face)), out);
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
    return setSeparated(edges.separation, a.rotation * edges.normal, out);
  }
  out[0].separation = std::max(face, edges.separation);
  return makeManifolds(a, b, faceA, faceB, edges, scaleOf(a, b), margin, cache, out);
}

}  // namespace msd_sim
