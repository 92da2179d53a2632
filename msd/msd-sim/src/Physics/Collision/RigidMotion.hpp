#pragma once

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim {

/// A shape that moves with constant velocity and turns with constant angular velocity about a point
/// of its own, as a rigid body does about its centre of mass within a step.
struct RigidMotion {
  Pose start{};                                      ///< of the shape's frame at time 0
  CoordinateRate velocity{CoordinateRate::Zero()};   ///< of the pivot, world [m/s]
  AngularRate angularVelocity{AngularRate::Zero()};  ///< world axes [rad/s]
  Coordinate pivot{Coordinate::Zero()};              ///< in the shape's frame [m]

  [[nodiscard]] Pose at(double time) const;
};

/// Greatest distance of a point of the shape's core from the pivot [m]. Turning moves no point of the
/// surface faster than this allows: the thickness about the core turns in itself.
[[nodiscard]] double computeReach(const CollisionShape& shape, const Coordinate& pivot);

}  // namespace msd_sim
