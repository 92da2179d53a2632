#pragma once

#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/FaceClip.hpp"

namespace msd_sim {

/// A direction in no simple relation to the axes of a shape, so that symmetric patches have no ties.
inline const Vector3D kTieBreaker{0.6234898018587336, 0.5453970045289083, 0.5602106171285963};

/// Drops candidates farther apart than `margin` [m], merges those at the same place, and keeps at
/// most four that span the patch: a deepest one, the one farthest from it, the two that give the
/// largest area on either side of the line between them. Ties are settled by `tie`, a direction fixed
/// to the bodies, so that rounding does not make the choice flicker. What remains stays in order.
void reduceCandidates(const Vector3D& n, const Vector3D& tie, double margin, double size,
                      CandidateList& list);

/// The frame of A in the world, as a matrix.
struct WorldFrame {
  Matrix3D R;
  Coordinate p;

  explicit WorldFrame(const Placement& place) : R{place.rotation}, p{place.position} {}
};

/// Writes reduced candidates (A's frame) as a manifold in the world.
void writeManifold(const CandidateList& list, const Vector3D& n, const WorldFrame& frame,
                   ContactManifold& out);

/// Exchanges A and B. Feature numbers that name a triangle stay as they are.
void swapManifold(ContactManifold& manifold, bool keepFeatures = false);

}  // namespace msd_sim
