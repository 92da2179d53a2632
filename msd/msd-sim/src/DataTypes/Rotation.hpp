#pragma once

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// exp(angle): the rotation by |angle| about the axis of `angle` [rad], to rounding for any angle,
/// with the same bits on every machine (no library sine).
[[nodiscard]] Quaternion exponentialRotation(const Vector3D& angle);

/// The reverse: the shortest rotation vector of a unit quaternion [rad], with the same bits on
/// every machine.
[[nodiscard]] Vector3D rotationVector(const Quaternion& q);

}  // namespace msd_sim
