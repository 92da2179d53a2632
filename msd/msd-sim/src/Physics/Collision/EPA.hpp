#pragma once

#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/NormalRefinement.hpp"
#include "msd-sim/src/Physics/Collision/SimplexSolver.hpp"

namespace msd_sim {

/// How deep two shapes overlap, world frame.
struct PenetrationResult {
  Vector3D normal{Vector3D::UnitX()};     ///< unit, from A to B: moving B along it separates soonest
  double depth{0.0};                      ///< the move needed, >= 0 [m]
  Coordinate pointA{Coordinate::Zero()};  ///< on A's surface, deepest inside B [m]
  Coordinate pointB{Coordinate::Zero()};  ///< on B's surface, deepest inside A [m]
  int iterations{0};
};

/// Least move that separates two overlapping cores, thickened by their radii; A's frame.
///
/// The expanding polytope of G. van den Bergen, "Proximity Queries and Penetration Depth Computation
/// on 3D Game Objects", GDC 2001, with two bounds: the nearest face of the growing polytope bounds
/// the depth from below, the support in the direction of any face from above. What is returned is the
/// upper bound, so that a move by the depth does separate the shapes even where rounding ends the
/// search early. Works on touching cores; fixed memory on the stack; at most kMaxEpaIterations.
///
/// `simplex` is the one with which GJK ended; on return it holds the corners of the nearest face.
inline constexpr int kMaxEpaIterations = 128;
[[nodiscard]] Separation runEpa(const ConvexPair& pair, Simplex& simplex, int& iterations);

/// The same from three vertices that made up the nearest face before the shapes moved a little, with
/// its normal. False, and nothing done, if the origin is not between that face and the far side of
/// the difference: whether the shapes overlap must be found out then.
[[nodiscard]] bool growFromFace(const ConvexPair& pair, const Vector3D& normal, Simplex& face,
                                Separation& separation);

/// The expanding polytope algorithm for two placed convex shapes that GJK found to intersect.
class EPA {
 public:
  /// The shapes must be convex and outlive the object.
  EPA(const CollisionShape& shapeA, const Pose& poseA, const CollisionShape& shapeB,
      const Pose& poseB);

  /// Starts from the simplex with which GJK ended.
  [[nodiscard]] PenetrationResult computePenetration(const Simplex& simplex);

 private:
  Pose pose_a_;
  ConvexPair pair_;
};

}  // namespace msd_sim
