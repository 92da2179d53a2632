#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "msd-import/src/RobotModel.hpp"

namespace msd_import {

/// How many numbers place all joints of a robot, and how many move them. A free joint has a
/// position and a quaternion (7 numbers, 6 freedoms), a ball a quaternion (4, 3), the others one
/// each; joints follow one another in the order of the links.
[[nodiscard]] std::size_t positionCount(const RobotModel& robot);
[[nodiscard]] std::size_t freedomCount(const RobotModel& robot);

/// Positions at which every link stands as the file writes it.
[[nodiscard]] std::vector<double> referencePositions(const RobotModel& robot);

/// A joint as it stands in the world: its anchor and axis once the joints before it have moved.
struct PlacedJoint {
  Vector3D anchor{Vector3D::Zero()};
  Vector3D axis{Vector3D::Zero()};
  /// Frame of the link when this joint, but none after it, has moved.
  Pose after{};
};

struct PlacedRobot {
  std::vector<Pose> links{};                       ///< world pose per link
  std::vector<std::vector<PlacedJoint>> joints{};  ///< per link and joint
};

/// World poses at given positions. Throws std::invalid_argument where there are not
/// positionCount() of them. Quaternions are normalised; one of length zero is no rotation.
[[nodiscard]] PlacedRobot placeRobot(const RobotModel& robot, std::span<const double> positions);

}  // namespace msd_import
