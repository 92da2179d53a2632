#pragma once

#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/FaceClip.hpp"

namespace msd_sim {

/// Drops candidates farther apart than `margin` [m], merges those at the same place, and keeps at
/// most four that span the patch: a deepest one, the one farthest from it, the two that give the
/// largest area on either side of the line between them. Ties are settled by a direction fixed to
/// A's frame, so that rounding does not make the choice flicker. What remains stays in order.
void reduceCandidates(const Vector3D& n, double margin, double size, CandidateList& list);

/// The frame of A in the world, as a matrix.
struct WorldFrame {
  Matrix3D R;
  Coordinate p;

  explicit WorldFrame(const Pose& pose)
      : R{pose.orientation.toRotationMatrix()}, p{pose.position} {}
};

/// Writes reduced candidates (A's frame, points of the cores) as a manifold in the world. The radii
/// thicken the cores along the normal.
void writeManifold(const CandidateList& list, const Vector3D& n, double radiusA, double radiusB,
                   const WorldFrame& frame, ContactManifold& out);

/// Exchanges A and B.
void swapManifold(ContactManifold& manifold);

}  // namespace msd_sim
