#include "msd-sim/src/Physics/Constraints/DistanceConstraint.hpp"

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

DistanceConstraint::DistanceConstraint(double targetDistance, std::size_t bodyAIndex, double alpha,
                                       double beta, const Coordinate& point)
    : CopyableConstraint{bodyAIndex, 0, alpha, beta},
      target_distance_{requirePositive(targetDistance, "targetDistance", "m")},
      point_{requireFinite(point, "point", "m")} {}

Eigen::VectorXd DistanceConstraint::evaluate(const InertialState& stateA, const InertialState&,
                                             double) const {
  return Eigen::VectorXd::Constant(
      1, (stateA.position - point_).squaredNorm() - target_distance_ * target_distance_);
}

Eigen::MatrixXd DistanceConstraint::jacobian(const InertialState& stateA, const InertialState&,
                                             double) const {
  Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, kOneBodyColumns);
  row.leftCols<3>() = 2.0 * (stateA.position - point_).transpose();
  return row;
}

}  // namespace msd_sim
