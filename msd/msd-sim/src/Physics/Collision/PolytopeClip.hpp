#pragma once

#include <algorithm>
#include <cstdint>

#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeAxes.hpp"
#include "msd-sim/src/Physics/Collision/PolytopeManifold.hpp"

namespace msd_sim {

/// Points of contact between a reference face and, of the faces at the other polytope's deepest
/// corner, the one that looks most against it (K-8): the incident face clipped by the reference face's
/// sides. Both polytopes are given in world coordinates; `referenceIsA` says which one owns the face.
/// Returns the least gap of any point over the reference face, infinity when there is none: greater
/// than the separation along the normal when the deepest corner lies beside the face.
double clipFaces(const PlacedPolytope& reference, const FaceAxis& axis, const PlacedPolytope& incident,
                 bool referenceIsA, double margin, ContactManifold& out);

/// The single point of contact of two edges along `normal` (unit, from A to B).
void contactEdges(const PlacedPolytope& a, std::uint16_t edgeA, const PlacedPolytope& b,
                  std::uint16_t edgeB, const Vector3D& normal, double margin,
                  ContactManifold& out);

/// One candidate of a patch: a point of the incident polygon and its distance to the plane.
struct PatchPoint {
  Coordinate position;
  double gap;
  std::uint32_t feature;
};

/// Keeps at most four points: the deepest, the farthest from it, and the two that span the largest
/// area on either side. Ties go to the smaller feature number, so that order does not matter.
/// squareFrom(p, first) is the square of a distance, asideOf(first, second) a function that tells how
/// far a point lies beside the line between the two, to the left of it.
template <class Point, class SquareFrom, class AsideOf>
int reduceCorners(const Point* points, int count, const SquareFrom& squareFrom, const AsideOf& asideOf,
                  Point* kept) {
  if (count <= ContactManifold::kMaxPoints) {
    std::copy_n(points, count, kept);
    return count;
  }
  const auto pick = [&](const auto& score) -> const Point& {
    int best = 0;
    double most = score(points[0]);
    for (int i = 1; i < count; ++i) {
      const double value = score(points[i]);
      if (value > most || (value == most && points[i].feature < points[best].feature)) {
        best = i;
        most = value;
      }
    }
    return points[best];
  };
  const Point& first = pick([](const Point& p) { return -p.gap; });
  const Point& second = pick([&](const Point& p) { return squareFrom(p, first); });
  const auto aside = asideOf(first, second);
  const Point& third = pick(aside);
  const Point& fourth = pick([&](const Point& p) { return -aside(p); });
  int n = 0;
  for (const Point* p : {&first, &second, &third, &fourth}) {
    if (std::none_of(kept, kept + n, [&](const Point& k) { return k.feature == p->feature; })) kept[n++] = *p;
  }
  return n;
}
/// The same of points in space.
int reducePatch(const PatchPoint* points, int count, const Vector3D& normal, PatchPoint* kept);

}  // namespace msd_sim
