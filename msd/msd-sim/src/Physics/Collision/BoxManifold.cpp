// Two boxes: fifteen axes at once (Gottschalk, Lin, Manocha 1996), then the face of one clipped by
// the sides of a face of the other, or two edges. Rules and tolerances are those of
// PolytopeManifold.cpp; a box needs no lists of corners, faces and edges.
#include <algorithm>
#include <array>
#include <cmath>

#include "msd-sim/src/DataTypes/Infinity.hpp"
#include "msd-sim/src/DataTypes/Quad.hpp"
#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeClip.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeManifold.hpp"

namespace msd_sim {

namespace {

/// One box seen from the other: its axes by columns, and its centre.
struct SeenBox {
  double axis[3][4];
  double centre[4];
  const Vector3D& half;
};

/// The axis of largest separation of a kind.
struct BestAxis {
  double separation{-kInfinity};  ///< [m]
  int a{0};                       ///< axis of A
  int b{0};                       ///< axis of B
};

/// How far the two boxes are apart along all their axes. Lane i of what belongs to A is its axis i,
/// lane j of what belongs to B its axis j.
struct BoxAxes {
  Quad column[3];  ///< axes of B in A's frame
  Quad row[3];     ///< axes of A in B's frame
  Quad t;          ///< centre of B in A's frame [m]
  Quad s;          ///< the same along B's axes [m]
  Quad halfA, halfB;

  BoxAxes(const Placement& a, const Vector3D& hA, const Placement& b, const Vector3D& hB)
      : halfA{quad::of(hA)}, halfB{quad::of(hB)} {
    const quad::Rows rowsA = quad::rowsOf(a.rotation), rowsB = quad::rowsOf(b.rotation);
    for (int j = 0; j < 3; ++j) {
      column[j] = rowsA.of[0] * b.rotation(0, j) + rowsA.of[1] * b.rotation(1, j) +
                  rowsA.of[2] * b.rotation(2, j);
      row[j] = rowsB.of[0] * a.rotation(0, j) + rowsB.of[1] * a.rotation(1, j) +
               rowsB.of[2] * a.rotation(2, j);
    }
    const Vector3D d = b.position - a.position;
    t = rowsA.of[0] * d.x() + rowsA.of[1] * d.y() + rowsA.of[2] * d.z();
    s = rowsB.of[0] * d.x() + rowsB.of[1] * d.y() + rowsB.of[2] * d.z();
  }

  [[nodiscard]] BestAxis faceA() const {
    const quad::Largest best = quad::largest(quad::abs(t) - halfA - reach(column, halfB));
    return {best.value, best.lane, 0};
  }
  [[nodiscard]] BestAxis faceB() const {
    const quad::Largest best = quad::largest(quad::abs(s) - halfB - reach(row, halfA));
    return {best.value, 0, best.lane};
  }
  /// Edge i of A against edge j of B, along their cross product: of those that separate more than
  /// `worse`. Parallel edges have none.
  [[nodiscard]] BestAxis edges(double worse) const {
    BestAxis best{worse, -1, -1};
    const Quad t1 = quad::next(t), t2 = quad::afterNext(t);
    const Quad h1 = quad::next(halfA), h2 = quad::afterNext(halfA);
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const Quad c1 = quad::next(column[j]), c2 = quad::afterNext(column[j]);
      const Quad across = quad::abs(t2 * c1 - t1 * c2) - (h1 * quad::abs(c2) + h2 * quad::abs(c1)) -
                          (halfB[j1] * quad::abs(column[j2]) + halfB[j2] * quad::abs(column[j1]));
      // Divided by the length of the cross product, at most 1, an overlap is no less.
      if (quad::largest(across).value <= std::min(best.separation, 0.0)) continue;
      const Quad length2 = 1.0 - column[j] * column[j];
      for (int i = 0; i < 3; ++i) {
        if (!(length2[i] > kParallelEdges)) continue;
        const double separation = across[i] / std::sqrt(length2[i]);
        if (separation > best.separation) best = {separation, i, j};
      }
    }
    if (best.a < 0) best.separation = -kInfinity;
    return best;
  }
  /// Unit normal of two edges, from A to B, in A's frame.
  [[nodiscard]] Vector3D edgeNormal(int i, int j) const {
    const Vector3D n = Vector3D::Unit(i).cross(axisOfB(j)).normalized();
    return n.dot(quad::vectorOf(t)) < 0.0 ? Vector3D{-n} : n;
  }
  [[nodiscard]] Vector3D axisOfB(int j) const { return quad::vectorOf(column[j]); }

 private:
  /// How far a box reaches along the other's axes.
  static Quad reach(const Quad (&axis)[3], Quad half) {
    return quad::abs(axis[0]) * half[0] + quad::abs(axis[1]) * half[1] +
           quad::abs(axis[2]) * half[2];
  }
};

/// A corner of the incident face: its place over the reference face, and its height above it. The
/// edges that meet there name it.
struct Corner {
  double u, v, gap;
  std::uint32_t before, after;  ///< edges, in the order of the corners
  std::uint32_t feature;
};

/// An edge of the incident face, named by the corners of the box it joins; and a side of the
/// reference face.
constexpr std::uint32_t edgeName(std::uint32_t c1, std::uint32_t c2) {
  return c1 < c2 ? (c1 << 3) | c2 : (c2 << 3) | c1;
}
constexpr std::uint32_t sideName(std::uint32_t side) {
  return 64 + side;
}
constexpr std::uint32_t crossingName(std::uint32_t before, std::uint32_t after) {
  return 0x10000u | (before << 7) | after;
}
/// Four corners, cut by four sides.
struct Patch {
  std::array<Corner, 8> corners;
  int count{0};
};

/// Keeps the part of a patch with sign·u (or v) <= limit.
template <bool kAlongV>
void cut(Patch& patch, double sign, double limit, std::uint32_t side) {
  const auto beyond = [&](const Corner& c) { return sign * (kAlongV ? c.v : c.u) - limit; };
  bool any = false;
  for (int i = 0; i < patch.count; ++i)
    any = any || beyond(patch.corners[static_cast<std::size_t>(i)]) > 0.0;
  if (!any) return;
  const Patch in = patch;
  patch.count = 0;
  const Corner* previous = &in.corners[static_cast<std::size_t>(in.count - 1)];
  double dPrevious = beyond(*previous);
  const auto add = [&](const Corner& c) {
    if (patch.count < static_cast<int>(patch.corners.size()))
      patch.corners[static_cast<std::size_t>(patch.count++)] = c;
  };
  for (int i = 0; i < in.count; ++i) {
    const Corner& current = in.corners[static_cast<std::size_t>(i)];
    const double d = beyond(current);
    if ((d <= 0.0) != (dPrevious <= 0.0)) {
      const double share = dPrevious / (dPrevious - d);
      const bool enters = d <= 0.0;
      const std::uint32_t before = enters ? side : current.before,
                          after = enters ? current.before : side;
      add({previous->u + share * (current.u - previous->u),
           previous->v + share * (current.v - previous->v),
           previous->gap + share * (current.gap - previous->gap), before, after,
           crossingName(before, after)});
    }
    if (d <= 0.0) add(current);
    previous = &current;
    dPrevious = d;
  }
}

/// At most four corners of a patch.
int reduce(const Corner* close, int count, Corner (&kept)[4]) {
  return reduceCorners(
      close, count,
      [](const Corner& c, const Corner& first) {
        const double u = c.u - first.u, v = c.v - first.v;
        return u * u + v * v;
      },
      [](const Corner& first, const Corner& second) {
        const double alongU = second.u - first.u, alongV = second.v - first.v;
        return [first, alongU, alongV](const Corner& c) {
          return alongU * (c.v - first.v) - alongV * (c.u - first.u);
        };
      },
      kept);
}

/// A face of the reference box: axis k, on the side that `sign` says.
struct ReferenceFace {
  const Placement& place;
  const Vector3D& half;
  int k;
  double sign;
  bool isA;
};

/// The face of the other box that looks most against it, clipped by its sides. Returns the least
/// gap of any point over the face, infinity where there is none.
double clipFace(const ReferenceFace& face, const SeenBox& other, double margin,
                ContactManifold& out) {
  const int k = face.k, i = (k + 1) % 3, j = (k + 2) % 3;
  int m = 0;
  for (int axis = 1; axis < 3; ++axis) {
    if (std::abs(other.axis[axis][k]) > std::abs(other.axis[m][k])) m = axis;
  }
  const double against = face.sign * other.axis[m][k] > 0.0 ? -1.0 : 1.0;
  const int m1 = (m + 1) % 3, m2 = (m + 2) % 3;
  const auto along = [&](int axis, double size, int component) {
    return size * other.axis[axis][component];
  };
  const double middle = against * other.half[m];
  const auto centre = [&](int component) {
    return other.centre[component] + along(m, middle, component);
  };
  const double u0 = centre(i), v0 = centre(j), d0 = face.sign * centre(k) - face.half[k];
  const double u1 = along(m1, other.half[m1], i), v1 = along(m1, other.half[m1], j);
  const double u2 = along(m2, other.half[m2], i), v2 = along(m2, other.half[m2], j);
  const double d1 = face.sign * along(m1, other.half[m1], k),
               d2 = face.sign * along(m2, other.half[m2], k);
  const std::uint32_t base = against > 0.0 ? 1u << m : 0u;
  // Counter-clockwise seen from outside, from the lowest corner: opposite faces do not begin at
  // corners that face each other.
  const auto name = [&](bool up1, bool up2) {
    return base | (up1 ? 1u << m1 : 0u) | (up2 ? 1u << m2 : 0u);
  };
  const bool outward = against > 0.0;
  const std::uint32_t names[4] = {name(false, false), name(outward, !outward), name(true, true),
                                  name(!outward, outward)};
  Patch patch;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::uint32_t here = names[c];
    const double s1 = (here >> m1 & 1u) != 0 ? 1.0 : -1.0, s2 = (here >> m2 & 1u) != 0 ? 1.0 : -1.0;
    patch.corners[c] = {u0 + s1 * u1 + s2 * u2,
                        v0 + s1 * v1 + s2 * v2,
                        d0 + s1 * d1 + s2 * d2,
                        edgeName(names[(c + 3) % 4], here),
                        edgeName(here, names[(c + 1) % 4]),
                        here};
  }
  patch.count = 4;
  // The sides in the order of the reference face's edges.
  if (face.sign > 0.0) {
    cut<true>(patch, -1.0, face.half[j], sideName(0));
    cut<false>(patch, 1.0, face.half[i], sideName(1));
    cut<true>(patch, 1.0, face.half[j], sideName(2));
    cut<false>(patch, -1.0, face.half[i], sideName(3));
  } else {
    cut<false>(patch, -1.0, face.half[i], sideName(3));
    cut<true>(patch, 1.0, face.half[j], sideName(2));
    cut<false>(patch, 1.0, face.half[i], sideName(1));
    cut<true>(patch, -1.0, face.half[j], sideName(0));
  }

  double nearest = kInfinity;
  int count = 0;
  for (int c = 0; c < patch.count; ++c) {
    const Corner& at = patch.corners[static_cast<std::size_t>(c)];
    nearest = std::min(nearest, at.gap);
    if (at.gap <= margin) patch.corners[static_cast<std::size_t>(count++)] = at;
  }
  Corner kept[4];
  out.count = reduce(patch.corners.data(), count, kept);
  const Vector3D n = face.sign * face.place.rotation.col(k);
  const Vector3D alongU = face.place.rotation.col(i), alongV = face.place.rotation.col(j);
  const Coordinate middleOfFace = face.place.position + face.half[k] * n;
  out.normal = face.isA ? n : Vector3D{-n};
  out.owner = face.isA ? NormalOwner::kBodyA : NormalOwner::kBodyB;
  const std::uint32_t owner = face.isA ? 0u : 0x80000000u;
  for (int c = 0; c < out.count; ++c) {
    ManifoldPoint& point = out.points[static_cast<std::size_t>(c)];
    const Coordinate onFace = middleOfFace + kept[c].u * alongU + kept[c].v * alongV;
    const Coordinate above = onFace + kept[c].gap * n;
    point.pointA = face.isA ? onFace : above;
    point.pointB = face.isA ? above : onFace;
    point.gap = kept[c].gap;
    point.feature = kept[c].feature ^ owner;
  }
  return nearest;
}

/// The point of contact of edge i of A and edge j of B.
void touchEdges(const BoxAxes& axes, const Placement& a, const Vector3D& halfA,
                const Vector3D& halfB, int i, int j, double margin, ContactManifold& out) {
  const Vector3D t = quad::vectorOf(axes.t), direction = axes.axisOfB(j);
  const Vector3D n = axes.edgeNormal(i, j);
  // The edges that lie farthest against each other along n.
  Coordinate onA = Coordinate::Zero(), onB = t;
  std::uint32_t edgeA = static_cast<std::uint32_t>(i) << 3, edgeB = static_cast<std::uint32_t>(j)
                                                                    << 3;
  for (int m = 0; m < 3; ++m) {
    if (m != i) {
      onA[m] = n[m] >= 0.0 ? halfA[m] : -halfA[m];
      edgeA |= n[m] >= 0.0 ? 1u << m : 0u;
    }
    if (m != j) {
      const Vector3D axis = axes.axisOfB(m);
      const bool up = n.dot(axis) < 0.0;
      onB += (up ? halfB[m] : -halfB[m]) * axis;
      edgeB |= up ? 1u << m : 0u;
    }
  }
  // Nearest points of the two lines: r + s u = t v at right angles to both.
  const Vector3D r = onA - onB;
  const double cosine = direction[i], alongA = r[i], alongB = r.dot(direction);
  const double s =
      std::clamp((cosine * alongB - alongA) / (1.0 - cosine * cosine), -halfA[i], halfA[i]);
  const double q = std::clamp(cosine * s + alongB, -halfB[j], halfB[j]);
  onA[i] += s;
  onB += q * direction;
  ManifoldPoint& point = out.points[0];
  point.gap = n.dot(onB - onA);
  point.pointA = a.toWorld(onA);
  point.pointB = a.toWorld(onB);
  point.feature = 0x40000000u | (edgeA << 14) | edgeB;
  out.normal = a.rotation * n;
  out.owner = NormalOwner::kNeither;
  out.count = point.gap <= margin ? 1 : 0;
}

void keepNumbers(const Quad (&axis)[3], Quad centre, SeenBox& box) {
  for (int m = 0; m < 3; ++m) {
    for (int c = 0; c < 4; ++c) box.axis[m][c] = axis[m][c];
  }
  for (int c = 0; c < 4; ++c) box.centre[c] = centre[c];
}

}  // namespace

int collideBoxes(const Placement& a, const Vector3D& halfA, const Placement& b,
                 const Vector3D& halfB, double margin, std::span<ContactManifold> out) {
  const BoxAxes axes{a, halfA, b, halfB};
  const BestAxis faceA = axes.faceA(), faceB = axes.faceB();
  const double face = std::max(faceA.separation, faceB.separation);
  const bool byA = faceA.separation >= faceB.separation;
  const double sideA = axes.t[faceA.a] >= 0.0 ? 1.0 : -1.0,
               sideB = axes.s[faceB.b] >= 0.0 ? 1.0 : -1.0;
  out[0].count = 0;
  out[0].separation = face;
  out[0].normal =
      byA ? Vector3D{sideA * a.rotation.col(faceA.a)} : Vector3D{sideB * b.rotation.col(faceB.b)};
  if (face > margin) return 0;
  // Edges that separate no better than the best face are of no interest.
  const BestAxis edges = axes.edges(face);
  if (edges.separation > margin) {
    out[0].separation = edges.separation;
    out[0].normal = a.rotation * axes.edgeNormal(edges.a, edges.b);
    return 0;
  }

  const auto clip = [&](bool referenceIsA, ContactManifold& manifold) {
    if (referenceIsA) {
      SeenBox other{.axis = {}, .centre = {}, .half = halfB};
      keepNumbers(axes.column, axes.t, other);
      return clipFace({a, halfA, faceA.a, sideA, true}, other, margin, manifold);
    }
    SeenBox other{.axis = {}, .centre = {}, .half = halfA};
    keepNumbers(axes.row, -axes.s, other);
    return clipFace({b, halfB, faceB.b, -sideB, false}, other, margin, manifold);
  };
  const auto touch = [&] {
    touchEdges(axes, a, halfA, halfB, edges.a, edges.b, margin, out[0]);
    return out[0].count > 0 ? 1 : 0;
  };
  const double scale = std::sqrt(std::min(halfA.squaredNorm(), halfB.squaredNorm()));
  if (edges.separation > face + kEdgeGain * scale) {
    const int count = touch();
    if (count == 0 || out.size() < 2 || margin < kFastMargin * scale) return count;
    (void)clip(byA, out[1]);
    return out[1].count > 0 ? 2 : 1;
  }
  bool referenceIsA = faceA.separation > faceB.separation;
  if (std::abs(faceA.separation - faceB.separation) <= kFaceTie * scale) {
    const auto area = [](const Vector3D& half, int k) {
      return half[(k + 1) % 3] * half[(k + 2) % 3];
    };
    referenceIsA = area(halfA, faceA.a) >= area(halfB, faceB.b) * (1.0 - kAreaTie);
  }
  const double nearest = clip(referenceIsA, out[0]);
  const double separation = referenceIsA ? faceA.separation : faceB.separation;
  if (nearest <= separation + kEdgeGain * scale) return out[0].count > 0 ? 1 : 0;
  // The deepest corner lies beside the face: it is two edges after all, or the shapes are apart and
  // their nearest features no face's.
  if (separation > 0.0 || !(edges.separation >= separation)) return kNoFeature;
  return touch();
}

}  // namespace msd_sim
