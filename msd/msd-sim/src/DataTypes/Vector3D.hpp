#pragma once

#include <Eigen/Core>

namespace msd_sim {

/// Three components in a right-handed frame. One type for all of them; the names below say what a
/// value means where it is declared.
using Vector3D = Eigen::Vector3d;
using Matrix3D = Eigen::Matrix3d;

using Coordinate = Vector3D;      ///< a position [m]
using CoordinateRate = Vector3D;  ///< a linear velocity [m/s]
using AngularRate = Vector3D;     ///< an angular velocity, world axes unless said [rad/s]
using Acceleration = Vector3D;    ///< a linear acceleration [m/s²]
using Force = Vector3D;           ///< [N]
using Torque = Vector3D;          ///< [N·m]

}  // namespace msd_sim
