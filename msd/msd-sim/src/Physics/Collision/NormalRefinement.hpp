#pragma once

#include "msd-sim/src/Physics/Collision/ConvexView.hpp"

namespace msd_sim {

/// The axis that separates two convex shapes most, or along which they overlap least; A's frame.
struct Separation {
  Vector3D normal{Vector3D::UnitX()};     ///< unit, from A to B
  double gap{0.0};                        ///< of the thick shapes along the normal; < 0 overlapping [m]
  Coordinate pointA{Coordinate::Zero()};  ///< on A's surface; pointB - pointA = gap · normal [m]
  Coordinate pointB{Coordinate::Zero()};  ///< on B's surface [m]
};

/// The outward normal of a face of a convex core.
struct FaceNormal {
  Vector3D normal{Vector3D::Zero()};
  double cosine{-2.0};      ///< with the direction asked for; -2: the core has no faces
  std::uint32_t index{0};   ///< box: axis·2 + (1 if positive); cylinder: 0 bottom, 1 top; hull: face
};

/// The face that looks most along the unit direction d, both in the core's frame.
[[nodiscard]] FaceNormal findFaceNormal(const ConvexView& view, const Vector3D& d);

/// Turns an approximate separation into an exact one.
///
/// On entry `normal` is near the true one, gap and witness points are those of the cores; on return
/// all fields hold for the thick shapes. The function g(n) = gap along n has its maximum at the true
/// normal, which is a face normal of one shape or belongs to a pair of curves: corner, edge, rim
/// circle or axis of a cylinder, whose distance is stationary,
///   (c_B(t) - c_A(s))·c_A'(s) = 0,  (c_B(t) - c_A(s))·c_B'(t) = 0.
/// Newton's method solves these to rounding from the witness points and the features that support the
/// shapes along the normal; the candidate with the greatest g wins. Pairs without a cylinder are exact already.
void finishSeparation(const ConvexPair& pair, Separation& separation);

}  // namespace msd_sim
