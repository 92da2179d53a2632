#pragma once

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// The state of a rigid body, of its centre of mass. This is the truth that a step advances.
struct InertialState {
  Coordinate position{Coordinate::Zero()};         ///< of the centre of mass, world [m]
  Quaternion orientation{Quaternion::Identity()};  ///< of the body's axes, R_WB
  CoordinateRate velocity{CoordinateRate::Zero()};      ///< of the centre of mass [m/s]
  AngularRate angularVelocity{AngularRate::Zero()};     ///< world axes [rad/s]
};

}  // namespace msd_sim
