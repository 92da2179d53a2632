#pragma once

#include <cstdint>

#include "msd-sim/src/Physics/Collision/RigidMotion.hpp"

namespace msd_sim {

struct TimeOfImpact {
  enum class Status : std::uint8_t {
    kApart,        ///< farther apart than the target during the whole time
    kHit,          ///< at `time` the distance has come down to the target, within the tolerance
    kOverlapping,  ///< no farther apart than the target at the start: time is 0
    kLimited,      ///< the iterations ran out: apart until `time`, not known beyond
  };

  Status status{Status::kApart};
  double time{0.0};                      ///< [s], never later than the true moment
  Vector3D normal{Vector3D::Zero()};     ///< unit, from A to B at that time; zero when apart
  Coordinate point{Coordinate::Zero()};  ///< on B, nearest to A at that time [m]
  int iterations{0};
};

/// When two moving convex shapes first come within `target` [m] (> 0) of each other, within
/// `duration` [s].
///
/// Conservative advancement (B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems",
/// PhD thesis, Berkeley 1996, section 2.3): along the normal n of the nearest points no point of
/// either shape can close the gap faster than n·(v_A - v_B) + |n × ω_A| r_A + |n × ω_B| r_B, whatever
/// the orientations, so that advancing by (distance - target)/that rate never passes the moment of
/// contact. The search ends within 1 % of the target.
[[nodiscard]] TimeOfImpact computeTimeOfImpact(const CollisionShape& shapeA,
                                               const RigidMotion& motionA,
                                               const CollisionShape& shapeB,
                                               const RigidMotion& motionB, double duration,
                                               double target);

/// A moving convex shape (A) and a mesh or terrain at rest (B). Triangles count whose front the shape's
/// inner point faces at the start, as in contact.
[[nodiscard]] TimeOfImpact computeTimeOfImpact(const CollisionShape& convex,
                                               const RigidMotion& motion,
                                               const CollisionShape& surface, const Pose& pose,
                                               double duration, double target);

inline constexpr int kMaxImpactIterations = 128;

}  // namespace msd_sim
