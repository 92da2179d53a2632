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

/// One shape of a pair in the frame of the other, as PairRest keeps it.
struct RelativePlace {
  Vector3D x;                                  ///< [m]
  Eigen::Vector4d q{Eigen::Vector4d::Zero()};  ///< w first
  double radius{0.0};                          ///< of what turns with it [m]

  RelativePlace(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                const Placement& poseB);
};

/// The rest of a pair just tested that may move by `allowed` [m].
[[nodiscard]] PairRest restOf(const RelativePlace& now, double allowed);

/// What is left of the way that the shapes may move against each other [m]; an upper bound of how
/// far any of their points has moved is subtracted.
[[nodiscard]] double wayLeft(const PairRest& rest, const RelativePlace& now);

}  // namespace msd_sim
