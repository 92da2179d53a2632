#pragma once

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim {

/// Where two shapes stood against each other when their pair was last tested
/// (docs/theory/collision.md, K-14). One counts as at rest; the other, the ball or the smaller of
/// the two, as moving in its frame.
struct PairRest {
  float x[3]{};  ///< place of the moving shape's origin [m]; of two balls their distance, 0, 0
  float q[4]{};  ///< its orientation, w first; zero for a ball
  float allowed{0.0f};  ///< how far they may move before the next test [m]; 0: they must be tested
};

/// The rest of a pair just tested that may move by `allowed` [m].
[[nodiscard]] PairRest restOf(const CollisionShape& a, const Pose& poseA, const CollisionShape& b,
                              const Pose& poseB, double allowed);

/// What is left of the way that the shapes may move against each other [m]; an upper bound of how
/// far any of their points has moved is subtracted.
[[nodiscard]] double wayLeft(const PairRest& rest, const CollisionShape& a, const Pose& poseA,
                             const CollisionShape& b, const Pose& poseB);

}  // namespace msd_sim
