#pragma once

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
int reducePatch(const PatchPoint* points, int count, const Vector3D& normal, PatchPoint* kept);

}  // namespace msd_sim
