#pragma once

#include <string>
#include <string_view>

#include "msd-sim/src/Physics/Constraints/Joints/JointKinds.hpp"

namespace msd_python {

/// "ball", "hinge", ... as in scene files; throws std::invalid_argument that lists them.
[[nodiscard]] msd_sim::JointKind toJointKind(const std::string& name);
[[nodiscard]] std::string fromJointKind(msd_sim::JointKind kind);
/// "velocity", "position", ...
[[nodiscard]] msd_sim::MotorMode toMotorMode(const std::string& name);
[[nodiscard]] std::string fromMotorMode(msd_sim::MotorMode mode);
/// Has an angle or travel of its own.
[[nodiscard]] bool hasCoordinate(msd_sim::JointKind kind);

}  // namespace msd_python
