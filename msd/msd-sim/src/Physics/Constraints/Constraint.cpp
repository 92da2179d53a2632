#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

Constraint::Constraint(std::size_t bodyAIndex, std::size_t bodyBIndex, double alpha, double beta)
    : body_a_index_{bodyAIndex},
      body_b_index_{bodyBIndex},
      alpha_{requireRange(alpha, "alpha", "1/s²", 0.0, 1e12)},
      beta_{requireRange(beta, "beta", "1/s", 0.0, 1e12)} {}

bool Constraint::isActive(const InertialState&, const InertialState&, double) const {
  return true;
}

Eigen::VectorXd Constraint::partialTimeDerivative(const InertialState&, const InertialState&,
                                                  double) const {
  return Eigen::VectorXd::Zero(dimension());
}

double Constraint::compliance(double) const { return 0.0; }

double errorReduction(const Constraint& constraint, double dt) {
  const double pull = constraint.alpha() * dt;
  return pull > 0.0 ? pull / (pull + constraint.beta()) : 0.0;
}

Eigen::MatrixXd velocityJacobian(const Constraint& constraint, const InertialState& stateA,
                                 const InertialState& stateB, double time) {
  Eigen::MatrixXd own = constraint.jacobian(stateA, stateB, time);
  if (constraint.bodyCount() == 2) return own;
  // q̇ = ½ (0, ω) ⊗ q, columns of ω.
  const Quaternion& q = stateA.orientation;
  Eigen::Matrix<double, 4, 3> rate;
  rate << -q.x(), -q.y(), -q.z(),  //
      q.w(), q.z(), -q.y(),        //
      -q.z(), q.w(), q.x(),        //
      q.y(), -q.x(), q.w();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(own.rows(), Constraint::kTwoBodyColumns);
  rows.leftCols<3>() = own.leftCols<3>();
  rows.middleCols<3>(3) = own.middleCols<4>(3) * (0.5 * rate);
  return rows;
}

}  // namespace msd_sim
