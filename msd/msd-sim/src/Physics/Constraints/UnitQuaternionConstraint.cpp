#include "msd-sim/src/Physics/Constraints/UnitQuaternionConstraint.hpp"

namespace msd_sim {

UnitQuaternionConstraint::UnitQuaternionConstraint(std::size_t bodyAIndex, double alpha,
                                                   double beta)
    : CopyableConstraint{bodyAIndex, 0, alpha, beta} {}

Eigen::VectorXd UnitQuaternionConstraint::evaluate(const InertialState& stateA,
                                                   const InertialState&, double) const {
  return Eigen::VectorXd::Constant(1, stateA.orientation.squaredNorm() - 1.0);
}

Eigen::MatrixXd UnitQuaternionConstraint::jacobian(const InertialState& stateA,
                                                   const InertialState&, double) const {
  const Quaternion& q = stateA.orientation;
  Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, kOneBodyColumns);
  row.rightCols<4>() << 2.0 * q.w(), 2.0 * q.x(), 2.0 * q.y(), 2.0 * q.z();
  return row;
}

}  // namespace msd_sim
