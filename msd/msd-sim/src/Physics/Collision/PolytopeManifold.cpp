#include "msd-sim/src/Physics/Collision/PolytopeManifold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeClip.hpp"

namespace msd_sim {

using msd_assets::ConvexPolyhedron;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// B seen from A: p_A = rotation * p_B + translation.
struct Relative {
  Matrix3D rotation;
  Vector3D translation;
};

Relative relativePose(const PlacedPolytope& a, const PlacedPolytope& b) {
  return {a.rotation.transpose() * b.rotation,
          a.rotation.transpose() * (b.position - a.position)};
}

struct FaceAxis {
  double separation{-kInfinity};
  std::uint16_t face{0};
};

/// min over the vertices v of `other` of n·v, n in other's frame.
double supportAgainst(const ConvexPolyhedron& other, const Vector3D& n) {
  const auto xs = other.xs();
  const auto ys = other.ys();
  const auto zs = other.zs();
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

/// Separation of `other` from one face: the distance of its nearest vertex from the plane.
double faceSeparation(const ConvexPolyhedron& owner, std::uint16_t face,
                      const ConvexPolyhedron& other, const Relative& otherInOwner) {
  const ConvexPolyhedron::Face& f = owner.faces()[face];
  const Vector3D n = otherInOwner.rotation.transpose() * f.normal;
  return supportAgainst(other, n) + f.normal.dot(otherInOwner.translation) - f.offset;
}

/// The face of `owner` from which `other` is separated most. Stops at the first that separates by
/// more than `enough`.
FaceAxis bestFace(const ConvexPolyhedron& owner, const ConvexPolyhedron& other,
                  const Relative& otherInOwner, double enough) {
  FaceAxis best;
  const auto count = static_cast<std::uint16_t>(owner.faces().size());
  for (std::uint16_t i = 0; i < count; ++i) {
    const double s = faceSeparation(owner, i, other, otherInOwner);
    if (s > best.separation) {
      best = {s, i};
      if (s > enough) return best;
    }
  }
  return best;
}

/// An edge in A's frame with the normals of its two faces.
struct PlacedEdge {
  Vector3D from, to, normal0, normal1;
  std::uint16_t index;
};

/// Edges whose box comes within `reach` of the box [lower, upper], all in one frame.
template <class Place, class PlaceDirection>
int collectEdges(const ConvexPolyhedron& p, const Vector3D& lower, const Vector3D& upper,
                 double reach, const Place& place, const PlaceDirection& turn, PlacedEdge* out,
                 int capacity) {
  int count = 0;
  const auto edges = p.edges();
  for (std::size_t i = 0; i < edges.size() && count < capacity; ++i) {
    const Vector3D from = place(p.vertices()[edges[i].vertex0]);
    const Vector3D to = place(p.vertices()[edges[i].vertex1]);
    const Vector3D low = from.cwiseMin(to), high = from.cwiseMax(to);
    if ((low.array() > upper.array() + reach).any() ||
        (high.array() < lower.array() - reach).any()) {
      continue;
    }
    out[count++] = {from, to, turn(p.faces()[edges[i].face0].normal),
                    turn(p.faces()[edges[i].face1].normal), static_cast<std::uint16_t>(i)};
  }
  return count;
}

/// Two edges make a face of the Minkowski difference when their arcs on the Gauss sphere cross
/// (Gregorius, "The Separating Axis Test", GDC 2013). B's normals come with the opposite sign.
bool arcsCross(const Vector3D& a, const Vector3D& b, const Vector3D& bxa, const Vector3D& c,
               const Vector3D& d, const Vector3D& dxc) {
  const double cba = c.dot(bxa), dba = d.dot(bxa);
  const double adc = a.dot(dxc), bdc = b.dot(dxc);
  return cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
}

struct EdgeAxis {
  double separation{-kInfinity};
  std::uint16_t a{0};
  std::uint16_t b{0};
  Vector3D normal{Vector3D::Zero()};  ///< unit, A's frame, from A to B
};

void boundsOf(const ConvexPolyhedron& p, const Matrix3D& rotation, const Vector3D& translation,
              Vector3D& lower, Vector3D& upper) {
  lower = Vector3D::Constant(kInfinity);
  upper = Vector3D::Constant(-kInfinity);
  for (const Vector3D& v : p.vertices()) {
    const Vector3D x = rotation * v + translation;
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
}

constexpr int kMaxEdges = 512;

/// The pair of edges with the largest separation. Only edges that come within `reach` of the other
/// polytope's box can hold closest points that near, and only those are looked at.
EdgeAxis bestEdges(const ConvexPolyhedron& a, const ConvexPolyhedron& b, const Relative& bInA,
                   double reach, double enough) {
  thread_local std::array<PlacedEdge, kMaxEdges> edgesA, edgesB;
  Vector3D lowerA, upperA, lowerB, upperB;
  boundsOf(a, Matrix3D::Identity(), Vector3D::Zero(), lowerA, upperA);
  boundsOf(b, bInA.rotation, bInA.translation, lowerB, upperB);
  const auto stay = [](const Vector3D& v) { return v; };
  const auto move = [&](const Vector3D& v) -> Vector3D {
    return bInA.rotation * v + bInA.translation;
  };
  const auto turn = [&](const Vector3D& v) -> Vector3D { return -(bInA.rotation * v); };
  const int countA = collectEdges(a, lowerB, upperB, reach, stay, stay, edgesA.data(), kMaxEdges);
  const int countB = collectEdges(b, lowerA, upperA, reach, move, turn, edgesB.data(), kMaxEdges);

  EdgeAxis best;
  for (int i = 0; i < countA; ++i) {
    const PlacedEdge& ea = edgesA[static_cast<std::size_t>(i)];
    const Vector3D da = ea.to - ea.from;
    const Vector3D bxa = ea.normal1.cross(ea.normal0);
    for (int j = 0; j < countB; ++j) {
      const PlacedEdge& eb = edgesB[static_cast<std::size_t>(j)];
      const Vector3D dxc = eb.normal1.cross(eb.normal0);
      if (!arcsCross(ea.normal0, ea.normal1, bxa, eb.normal0, eb.normal1, dxc)) continue;
      const Vector3D db = eb.to - eb.from;
      Vector3D n = da.cross(db);
      const double length2 = n.squaredNorm();
      if (length2 <= kParallelEdges * da.squaredNorm() * db.squaredNorm()) continue;
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

/// Separation along last time's axis; -infinity when there is none.
double cachedSeparation(const PlacedPolytope& a, const PlacedPolytope& b, const Relative& bInA,
                        const AxisCache& cache) {
  switch (cache.kind) {
    case AxisCache::Kind::kFaceA:
      return faceSeparation(*a.polyhedron, cache.a, *b.polyhedron, bInA);
    case AxisCache::Kind::kFaceB: {
      const Relative aInB{bInA.rotation.transpose(),
                          -(bInA.rotation.transpose() * bInA.translation)};
      return faceSeparation(*b.polyhedron, cache.b, *a.polyhedron, aInB);
    }
    case AxisCache::Kind::kEdges: {
      const auto& ea = a.polyhedron->edges()[cache.a];
      const auto& eb = b.polyhedron->edges()[cache.b];
      const Vector3D da = a.polyhedron->vertices()[ea.vertex1] - a.polyhedron->vertices()[ea.vertex0];
      const Vector3D db = bInA.rotation * (b.polyhedron->vertices()[eb.vertex1] -
                                           b.polyhedron->vertices()[eb.vertex0]);
      Vector3D n = da.cross(db);
      const double length2 = n.squaredNorm();
      if (length2 <= kParallelEdges * da.squaredNorm() * db.squaredNorm()) return -kInfinity;
      n /= std::sqrt(length2);
      if (n.dot(a.polyhedron->faces()[ea.face0].normal + a.polyhedron->faces()[ea.face1].normal) <
          0.0) {
        n = -n;
      }
      // The true supports along n, so that the answer is a separation whatever moved.
      const double behindA = -supportAgainst(*a.polyhedron, -n);
      return supportAgainst(*b.polyhedron, bInA.rotation.transpose() * n) +
             n.dot(bInA.translation) - behindA;
    }
    case AxisCache::Kind::kNone:
      break;
  }
  return -kInfinity;
}

double faceArea(const ConvexPolyhedron& p, std::uint16_t face) {
  const auto corners = p.faceVertices(p.faces()[face]);
  Vector3D sum = Vector3D::Zero();
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    sum += (p.vertices()[corners[k]] - p.vertices()[corners[0]])
               .cross(p.vertices()[corners[k + 1]] - p.vertices()[corners[0]]);
  }
  return 0.5 * sum.norm();
}

/// From the best axis of each kind to the manifolds: one, or two where the best is a pair of edges and
/// the bodies may move so far that a face can touch as well before they are tested again.
int makeManifolds(const PlacedPolytope& a, const PlacedPolytope& b, const FaceAxis& faceA,
                  const FaceAxis& faceB, const EdgeAxis& edges, double scale, double margin,
                  AxisCache& cache, std::span<ContactManifold> out) {
  const double face = std::max(faceA.separation, faceB.separation);
  if (edges.separation > face + kEdgeGain * scale) {
    cache = {AxisCache::Kind::kEdges, edges.a, edges.b};
    contactEdges(a, edges.a, b, edges.b, a.rotation * edges.normal, margin, out[0]);
    if (out[0].count == 0 || out.size() < 2 || margin < kFastMargin * scale) {
      return out[0].count > 0 ? 1 : 0;
    }
    if (faceA.separation >= faceB.separation) {
      clipFaces(a, faceA.face, b, true, margin, out[1]);
    } else {
      clipFaces(b, faceB.face, a, false, margin, out[1]);
    }
    return out[1].count > 0 ? 2 : 1;
  }
  bool referenceIsA = faceA.separation > faceB.separation;
  if (std::abs(faceA.separation - faceB.separation) <= kFaceTie * scale) {
    const double areaA = faceArea(*a.polyhedron, faceA.face);
    const double areaB = faceArea(*b.polyhedron, faceB.face);
    referenceIsA = areaA >= areaB * (1.0 - kAreaTie);
  }
  cache = {referenceIsA ? AxisCache::Kind::kFaceA : AxisCache::Kind::kFaceB, faceA.face,
           faceB.face};
  const double nearest = referenceIsA ? clipFaces(a, faceA.face, b, true, margin, out[0])
                                      : clipFaces(b, faceB.face, a, false, margin, out[0]);
  const double separation = referenceIsA ? faceA.separation : faceB.separation;
  if (nearest <= separation + kEdgeGain * scale) return out[0].count > 0 ? 1 : 0;
  // The deepest corner lies beside the face: it is two edges after all, or the shapes are apart and
  // their nearest features no face's.
  if (separation > 0.0 || !(edges.separation >= separation)) return kNoFeature;
  cache = {AxisCache::Kind::kEdges, edges.a, edges.b};
  contactEdges(a, edges.a, b, edges.b, a.rotation * edges.normal, margin, out[0]);
  return out[0].count > 0 ? 1 : 0;
}

int setSeparated(double separation, std::span<ContactManifold> out) {
  out[0].count = 0;
  out[0].separation = separation;
  return 0;
}

double scaleOf(const PlacedPolytope& a, const PlacedPolytope& b) {
  return std::min(a.polyhedron->boundingRadius(), b.polyhedron->boundingRadius());
}

/// The face of a box that looks along +axis or -axis.
std::uint16_t boxFace(const ConvexPolyhedron& box, int axis, bool positive) {
  const auto faces = box.faces();
  for (std::uint16_t i = 0; i < faces.size(); ++i) {
    const double c = faces[i].normal[axis];
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
    const Vector3D& p = box.vertices()[edges[i].vertex0];
    const Vector3D& q = box.vertices()[edges[i].vertex1];
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
  /// Edge i of A against edge j of B; -infinity when they are parallel. n is unit, from A to B.
  double edges(int i, int j, Vector3D& n) const {
    n = Vector3D::Unit(i).cross(R.col(j));
    const double length2 = n.squaredNorm();
    if (length2 <= kParallelEdges) return -kInfinity;
    n /= std::sqrt(length2);
    const double distance = n.dot(t);
    if (distance < 0.0) n = -n;
    const Vector3D nB = R.transpose() * n;
    return std::abs(distance) - n.cwiseAbs().dot(halfA) - nB.cwiseAbs().dot(halfB);
  }
};

}  // namespace

int collidePolytopes(const PlacedPolytope& a, const PlacedPolytope& b, double margin,
                     AxisCache& cache, std::span<ContactManifold> out) {
  const Relative bInA = relativePose(a, b);
  const double cached = cachedSeparation(a, b, bInA, cache);
  if (cached > margin) return setSeparated(cached, out);

  const FaceAxis faceA = bestFace(*a.polyhedron, *b.polyhedron, bInA, margin);
  if (faceA.separation > margin) {
    cache = {AxisCache::Kind::kFaceA, faceA.face, 0};
    return setSeparated(faceA.separation, out);
  }
  const Relative aInB{bInA.rotation.transpose(), -(bInA.rotation.transpose() * bInA.translation)};
  const FaceAxis faceB = bestFace(*b.polyhedron, *a.polyhedron, aInB, margin);
  if (faceB.separation > margin) {
    cache = {AxisCache::Kind::kFaceB, 0, faceB.face};
    return setSeparated(faceB.separation, out);
  }
  const double face = std::max(faceA.separation, faceB.separation);
  const EdgeAxis edges =
      bestEdges(*a.polyhedron, *b.polyhedron, bInA, std::max(-face, margin), margin);
  if (edges.separation > margin) {
    cache = {AxisCache::Kind::kEdges, edges.a, edges.b};
    return setSeparated(edges.separation, out);
  }
  out[0].separation = std::max(face, edges.separation);
  return makeManifolds(a, b, faceA, faceB, edges, scaleOf(a, b), margin, cache, out);
}

int collideBoxes(const PlacedPolytope& a, const Vector3D& halfA, const PlacedPolytope& b,
                 const Vector3D& halfB, double margin, AxisCache& cache,
                 std::span<ContactManifold> out) {
  const Relative bInA = relativePose(a, b);
  const BoxAxes axes{bInA.rotation, bInA.rotation.cwiseAbs(), bInA.translation, halfA, halfB};

  // Last time's axis, kept as axis numbers: face of A, 3 + face of B, 6 + 3 i + j.
  Vector3D n;
  if (cache.kind != AxisCache::Kind::kNone) {
    const int axis = cache.a;
    const double s = axis < 3   ? axes.faceA(axis)
                     : axis < 6 ? axes.faceB(axis - 3)
                                : axes.edges((axis - 6) / 3, (axis - 6) % 3, n);
    if (s > margin) return setSeparated(s, out);
  }

  FaceAxis faceA, faceB;
  const auto separatedBy = [&](double s, int axis) {
    if (s <= margin) return false;
    cache = {AxisCache::Kind::kFaceA, static_cast<std::uint16_t>(axis), 0};
    setSeparated(s, out);
    return true;
  };
  for (int i = 0; i < 3; ++i) {
    const double s = axes.faceA(i);
    if (separatedBy(s, i)) return 0;
    if (s > faceA.separation) faceA = {s, static_cast<std::uint16_t>(i)};
  }
  for (int j = 0; j < 3; ++j) {
    const double s = axes.faceB(j);
    if (separatedBy(s, 3 + j)) return 0;
    if (s > faceB.separation) faceB = {s, static_cast<std::uint16_t>(j)};
  }
  EdgeAxis edges;
  int edgeAxis = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double s = axes.edges(i, j, n);
      if (separatedBy(s, 6 + 3 * i + j)) return 0;
      if (s > edges.separation) {
        edges.separation = s;
        edges.normal = n;
        edgeAxis = 6 + 3 * i + j;
      }
    }
  }
  out[0].separation = std::max({faceA.separation, faceB.separation, edges.separation});
  const int axisA = faceA.face, axisB = faceB.face;
  if (edges.separation > -kInfinity) {
    edges.a = boxEdge(*a.polyhedron, (edgeAxis - 6) / 3, edges.normal);
    edges.b = boxEdge(*b.polyhedron, (edgeAxis - 6) % 3, -(axes.R.transpose() * edges.normal));
  }
  faceA.face = boxFace(*a.polyhedron, axisA, axes.t[axisA] >= 0.0);
  faceB.face = boxFace(*b.polyhedron, axisB, axes.R.col(axisB).dot(axes.t) < 0.0);
  const int count =
      makeManifolds(a, b, faceA, faceB, edges, scaleOf(a, b), margin, cache, out);
  const int used = cache.kind == AxisCache::Kind::kFaceA   ? axisA
                   : cache.kind == AxisCache::Kind::kFaceB ? 3 + axisB
                                                           : edgeAxis;
  cache = {cache.kind, static_cast<std::uint16_t>(used), 0};
  return count;
}

}  // namespace msd_sim
