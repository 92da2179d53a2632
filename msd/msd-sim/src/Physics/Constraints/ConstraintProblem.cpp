#include "msd-sim/src/Physics/Constraints/ConstraintProblem.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"

namespace msd_sim {

namespace {

constexpr int kColumns = Constraint::kTwoBodyColumns;

}  // namespace

void ConstraintProblem::countRows() {
  Eigen::Index rows = 0;
  Eigen::Index lastContact = kNoRow;
  for (const Constraint* c : constraints) {
    firstRow.push_back(rows);
    normalRow.push_back(kNoRow);
    friction.push_back(0.0);
    bool isUsed = c->isActive(stateA(*c), stateB(*c), time);
    if (c->lambdaBounds().isUnilateral()) lastContact = isUsed ? rows : kNoRow;
    if (c->bodyCount() == 2 && c->dimension() == 2) {
      if (const auto* f = dynamic_cast<const FrictionConstraint*>(c)) {
        normalRow.back() = lastContact;
        friction.back() = f->getFrictionCoefficient();
        isUsed = lastContact != kNoRow;  // the solve itself decides whether the contact presses
      }
    }
    active.push_back(isUsed ? 1 : 0);
    rows += c->dimension();
  }
  jacobian.setZero(rows, kColumns);
  response.setZero(rows, kColumns);
  velocity.setZero(rows);
  bias.setZero(rows);
  compliance.setZero(rows);
}

void ConstraintProblem::fillRows(const std::vector<SpatialVector>& velocityBias) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& c = *constraints[i];
    if (active[i] == 0) continue;
    const Eigen::Index row = firstRow[i], count = c.dimension();
    const Eigen::MatrixXd j = velocityJacobian(c, stateA(c), stateB(c), time);
    if (j.rows() != count || j.cols() != kColumns) {
      throw std::invalid_argument(fmt::format("Jacobian of {} is {} x {}; expected {} x {}",
                                              c.typeName(), j.rows(), j.cols(), count,
                                              c.bodyCount() == 2 ? kColumns : 7));
    }
    jacobian.middleRows(row, count) = j;
    compliance.segment(row, count).setConstant(c.compliance(dt));
    const int bodies = c.bodyCount();
    for (int b = 0; b < bodies; ++b) {
      const std::size_t body = bodyOf(c, b);
      const auto linear = j.middleCols<3>(6 * b), angular = j.middleCols<3>(6 * b + 3);
      response.block(row, 6 * b, count, 3) = inverseMasses[body] * linear;
      response.block(row, 6 * b + 3, count, 3) = angular * inverseInertias[body].transpose();
      const InertialState& s = states[body];
      velocity.segment(row, count) += linear * s.velocity + angular * s.angularVelocity;
      if (velocityBias.empty()) continue;
      bias.segment(row, count) +=
          linear * velocityBias[body].linear + angular * velocityBias[body].angular;
    }
  }
}

Eigen::MatrixXd ConstraintProblem::matrix() const {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows(), rows());
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      if (active[i] == 0 || active[k] == 0) continue;
      const Constraint& a = *constraints[i];
      const Constraint& b = *constraints[k];
      for (int sideA = 0; sideA < a.bodyCount(); ++sideA) {
        for (int sideB = 0; sideB < b.bodyCount(); ++sideB) {
          if (bodyOf(a, sideA) != bodyOf(b, sideB)) continue;
          matrix.block(firstRow[i], firstRow[k], a.dimension(), b.dimension()) +=
              jacobian.block(firstRow[i], 6 * sideA, a.dimension(), 6) *
              response.block(firstRow[k], 6 * sideB, b.dimension(), 6).transpose();
        }
      }
      matrix.block(firstRow[k], firstRow[i], b.dimension(), a.dimension()) =
          matrix.block(firstRow[i], firstRow[k], a.dimension(), b.dimension()).transpose().eval();
    }
  }
  matrix.diagonal() += compliance;
  return matrix;
}

}  // namespace msd_sim
