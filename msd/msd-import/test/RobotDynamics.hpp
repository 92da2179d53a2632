#pragma once

#include <Eigen/Core>
#include <span>

#include "msd-import/src/RobotModel.hpp"

namespace msd_import::test {

/// Mass matrix H and bias h of H q̈ + h = τ: gravity and the motion itself, without springs, damping
/// and friction. Freedoms in the order of the joints; a free joint has world velocities, then body
/// rates; a ball joint body rates.
struct RobotDynamics {
  Eigen::MatrixXd massMatrix;
  Eigen::VectorXd bias;
};

[[nodiscard]] RobotDynamics computeDynamics(const RobotModel& robot,
                                            std::span<const double> positions,
                                            std::span<const double> velocities);

}  // namespace msd_import::test
