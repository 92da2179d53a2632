#pragma once

#include "msd-import/src/RobotModel.hpp"

namespace msd_import {

/// Inertia of a homogeneous solid of a density [kg/m³], placed in a link's frame. A mesh is
/// measured by its surface: exactly where `exactMesh`, otherwise by pyramids over its faces whose
/// volumes all count as positive, as MuJoCo does. A plane or field has none.
[[nodiscard]] RobotInertia inertiaOf(const RobotGeometry& geometry, const Pose& pose,
                                     double density, bool exactMesh);

/// Two bodies joined: parallel-axis theorem.
[[nodiscard]] RobotInertia operator+(const RobotInertia& a, const RobotInertia& b);
/// The same body seen from a frame in which its own frame has this pose.
[[nodiscard]] RobotInertia transformed(const RobotInertia& body, const Pose& pose);
/// All masses times a factor.
[[nodiscard]] RobotInertia scaled(const RobotInertia& body, double factor);

}  // namespace msd_import
