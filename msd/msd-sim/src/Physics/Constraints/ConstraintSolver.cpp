#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/Tolerances.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

constexpr int kColumns = Constraint::kTwoBodyColumns;
constexpr Eigen::Index kNoRow = -1;

using States = std::vector<std::reference_wrapper<const InertialState>>;

}  // namespace

/// The dense system and where its rows come from.
struct ConstraintSolver::Problem {
  const std::vector<Constraint*>& constraints;
  const States& states;
  double dt;

  std::vector<Eigen::Index> firstRow;  ///< per constraint
  std::vector<Eigen::Index>
      normalRow;                 ///< per constraint: row of the contact that bounds its friction
  std::vector<double> friction;  ///< per constraint
  std::vector<std::uint8_t> active;  ///< per constraint
  Eigen::MatrixXd jacobian;          ///< rows x 12
  Eigen::MatrixXd response;          ///< M⁻¹Jᵀ, rows x 12
  Eigen::MatrixXd matrix;            ///< A
  Eigen::VectorXd right;             ///< b
  Eigen::VectorXd velocity;          ///< J v⁻
  Eigen::VectorXd bias;              ///< J v_bias

  [[nodiscard]] const InertialState& stateA(const Constraint& c) const {
    return states[c.bodyAIndex()];
  }
  [[nodiscard]] const InertialState& stateB(const Constraint& c) const {
    return c.bodyCount() == 2 ? states[c.bodyBIndex()] : states[c.bodyAIndex()];
  }
  [[nodiscard]] Eigen::Index rows() const { return jacobian.rows(); }

  void countRows();
  void fillRows(const std::vector<double>& inverseMasses,
                const std::vector<Eigen::Matrix3d>& inverseInertias,
                const std::vector<SpatialVector>& velocityBias);
  void fillMatrix();
};

void ConstraintSolver::Problem::countRows() {
  Eigen::Index rows = 0;
  Eigen::Index lastContact = kNoRow;
  for (const Constraint* c : constraints) {
    firstRow.push_back(rows);
    normalRow.push_back(kNoRow);
    friction.push_back(0.0);
    bool isUsed = c->isActive(stateA(*c), stateB(*c), 0.0);
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
}

void ConstraintSolver::Problem::fillRows(const std::vector<double>& inverseMasses,
                                         const std::vector<Eigen::Matrix3d>& inverseInertias,
                                         const std::vector<SpatialVector>& velocityBias) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& c = *constraints[i];
    if (active[i] == 0) continue;
    const Eigen::Index row = firstRow[i], count = c.dimension();
    const Eigen::MatrixXd j = velocityJacobian(c, stateA(c), stateB(c), 0.0);
    if (j.rows() != count || j.cols() != kColumns) {
      throw std::invalid_argument(fmt::format("Jacobian of {} is {} x {}; expected {} x {}",
                                              c.typeName(), j.rows(), j.cols(), count,
                                              c.bodyCount() == 2 ? kColumns : 7));
    }
    jacobian.middleRows(row, count) = j;
    const int bodies = c.bodyCount();
    for (int b = 0; b < bodies; ++b) {
      const std::size_t body = b == 0 ? c.bodyAIndex() : c.bodyBIndex();
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

void ConstraintSolver::Problem::fillMatrix() {
  matrix.setZero(rows(), rows());
  const auto bodyOf = [](const Constraint& c, int side) {
    return side == 0 ? c.bodyAIndex() : c.bodyBIndex();
  };
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
}

void ConstraintSolver::setMaxIterations(int iterations) {
  requireRange(iterations, "maxIterations", "-", 1, 1e9);
  max_iterations_ = iterations;
}

void ConstraintSolver::setConvergenceTolerance(double tolerance) {
  tolerance_ = requirePositive(tolerance, "convergenceTolerance", "N·s");
}

void ConstraintSolver::setErp(std::optional<double> erp) {
  if (erp) requireRange(*erp, "erp", "-", 0.0, 1.0);
  erp_ = erp;
}

void ConstraintSolver::checkInput(const std::vector<Constraint*>& constraints, const States& states,
                                  const std::vector<double>& inverseMasses,
                                  const std::vector<Eigen::Matrix3d>& inverseInertias,
                                  std::size_t numBodies, double dt,
                                  const std::vector<SpatialVector>& velocityBias) const {
  requirePositive(dt, "dt", "s");
  const auto require = [&](std::size_t size, std::string_view name) {
    if (size == numBodies) return;
    throw std::invalid_argument(
        fmt::format("{} has {} entries; expected {}, one per body", name, size, numBodies));
  };
  require(states.size(), "states");
  require(inverseMasses.size(), "inverseMasses");
  require(inverseInertias.size(), "inverseInertias");
  if (!velocityBias.empty()) require(velocityBias.size(), "velocityBias");
  for (const Constraint* c : constraints) {
    if (c == nullptr) throw std::invalid_argument("a constraint is null; expected an object");
    const std::size_t last =
        c->bodyCount() == 2 ? std::max(c->bodyAIndex(), c->bodyBIndex()) : c->bodyAIndex();
    if (last >= numBodies) {
      throw std::invalid_argument(fmt::format("{} names body {}; expected one of {} bodies",
                                              c->typeName(), last, numBodies));
    }
  }
}

double ConstraintSolver::rightHandSide(const Problem& problem, std::size_t index, int row) const {
  const Constraint& constraint = *problem.constraints[index];
  const Eigen::Index first = problem.firstRow[index];
  const double free = -problem.velocity(first + row) - problem.bias(first + row);
  if (constraint.lambdaBounds().isUnilateral()) {
    if (const auto* contact = dynamic_cast<const ContactConstraint*>(&constraint)) {
      const double e = contact->getRestitution();
      const double erp = erp_.value_or(contact->alpha());
      return free - e * problem.velocity(first) + erp / problem.dt * contact->getPenetrationDepth();
    }
  }
  const InertialState& a = problem.stateA(constraint);
  const InertialState& b = problem.stateB(constraint);
  const double moving = constraint.partialTimeDerivative(a, b, 0.0)(row);
  if (!constraint.lambdaBounds().isBilateral()) return free - moving;
  return free - moving - constraint.alpha() * problem.dt * constraint.evaluate(a, b, 0.0)(row);
}

void ConstraintSolver::solveDirectly(const Problem& problem, SolveResult& result) const {
  Eigen::MatrixXd regular = problem.matrix;
  for (Eigen::Index i = 0; i < problem.rows(); ++i) {
    regular(i, i) += constraint_tolerances::kRegularisation;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor{regular};
  result.converged = factor.info() == Eigen::Success;
  if (!result.converged) return;
  result.lambdas = factor.solve(problem.right);
  for (Eigen::Index i = 0; i < problem.rows(); ++i) {
    if (!(problem.matrix(i, i) > constraint_tolerances::kNoMotion)) result.lambdas(i) = 0.0;
  }
}

void ConstraintSolver::sweep(const Problem& problem, SolveResult& result) const {
  using constraint_tolerances::kNoMotion;
  using constraint_tolerances::kRegularisation;
  Eigen::VectorXd& lambda = result.lambdas;
  const Eigen::MatrixXd& a = problem.matrix;
  const auto velocityAt = [&](Eigen::Index i) { return a.row(i).dot(lambda) - problem.right(i); };
  const auto scaleAt = [&](Eigen::Index i) { return a(i, i) + kRegularisation; };

  const auto visitFriction = [&](std::size_t c, bool write) {
    const Eigen::Index row = problem.firstRow[c];
    const double limit = problem.friction[c] * std::max(lambda(problem.normalRow[c]), 0.0);
    // One step length for both tangents keeps the direction of sliding (isotropy).
    const double scale = scaleAt(row) + scaleAt(row + 1);
    Eigen::Vector2d next{lambda(row) - velocityAt(row) / scale,
                         lambda(row + 1) - velocityAt(row + 1) / scale};
    if (const double length = next.norm(); length > limit) next *= limit / length;
    const Eigen::Vector2d change = next - lambda.segment<2>(row);
    if (write) lambda.segment<2>(row) = next;
    return std::pair{change.lpNorm<Eigen::Infinity>(), change.lpNorm<Eigen::Infinity>() * scale};
  };
  const auto visitRow = [&](const Constraint& c, Eigen::Index row, bool write) {
    if (!(a(row, row) > kNoMotion)) return std::pair{0.0, 0.0};
    const LambdaBounds bounds = c.lambdaBounds();
    // Bounds are forces, multipliers impulses.
    const double next = std::clamp(lambda(row) - velocityAt(row) / scaleAt(row),
                                   bounds.lower * problem.dt, bounds.upper * problem.dt);
    const double change = next - lambda(row);
    if (write) lambda(row) = next;
    return std::pair{std::fabs(change), std::fabs(change) * scaleAt(row)};
  };
  const auto visitAll = [&](bool write) {
    std::pair<double, double> worst{0.0, 0.0};
    for (std::size_t c = 0; c < problem.constraints.size(); ++c) {
      if (problem.active[c] == 0) continue;
      const auto take = [&](std::pair<double, double> change) {
        worst.first = std::max(worst.first, change.first);
        worst.second = std::max(worst.second, change.second);
      };
      if (problem.normalRow[c] != kNoRow) {
        take(visitFriction(c, write));
        continue;
      }
      for (int i = 0; i < problem.constraints[c]->dimension(); ++i) {
        take(visitRow(*problem.constraints[c], problem.firstRow[c] + i, write));
      }
    }
    return worst;
  };
  while (result.iterations < max_iterations_ && !result.converged) {
    ++result.iterations;
    result.converged = visitAll(true).first < tolerance_;
  }
  result.residual = visitAll(false).second;
}

ConstraintSolver::SolveResult ConstraintSolver::solve(
    const std::vector<Constraint*>& constraints, const States& states,
    const std::vector<double>& inverseMasses, const std::vector<Eigen::Matrix3d>& inverseInertias,
    std::size_t numBodies, double dt, const std::optional<Eigen::VectorXd>& initialLambda,
    const std::vector<SpatialVector>& velocityBias) const {
  checkInput(constraints, states, inverseMasses, inverseInertias, numBodies, dt, velocityBias);
  SolveResult result;
  result.bodyForces.resize(numBodies);
  Problem problem{.constraints = constraints, .states = states, .dt = dt};
  problem.countRows();
  problem.fillRows(inverseMasses, inverseInertias, velocityBias);
  problem.fillMatrix();
  problem.right.setZero(problem.rows());
  bool bilateral = true;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    bilateral = bilateral && constraints[c]->lambdaBounds().isBilateral();
    if (problem.active[c] == 0) continue;
    for (int i = 0; i < constraints[c]->dimension(); ++i) {
      problem.right(problem.firstRow[c] + i) = rightHandSide(problem, c, i);
    }
  }
  if (initialLambda && initialLambda->size() != problem.rows()) {
    throw std::invalid_argument(fmt::format("initialLambda has {} entries; expected {}",
                                            initialLambda->size(), problem.rows()));
  }
  result.lambdas = initialLambda ? *initialLambda : Eigen::VectorXd::Zero(problem.rows()).eval();
  if (problem.rows() == 0) {
    result.converged = true;
    result.residual = 0.0;
    return result;
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (problem.active[c] == 0) {
      result.lambdas.segment(problem.firstRow[c], constraints[c]->dimension()).setZero();
    }
  }
  if (bilateral) {
    solveDirectly(problem, result);
    result.residual = (problem.matrix * result.lambdas - problem.right).lpNorm<Eigen::Infinity>();
  } else {
    sweep(problem, result);
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const Eigen::Index row = problem.firstRow[c], count = constraints[c]->dimension();
    const Eigen::VectorXd impulse =
        problem.jacobian.middleRows(row, count).transpose() * result.lambdas.segment(row, count);
    for (int side = 0; side < constraints[c]->bodyCount(); ++side) {
      BodyForces& body =
          result
              .bodyForces[side == 0 ? constraints[c]->bodyAIndex() : constraints[c]->bodyBIndex()];
      body.linearForce += impulse.segment<3>(6 * side) / dt;
      body.angularTorque += impulse.segment<3>(6 * side + 3) / dt;
    }
  }
  return result;
}

}  // namespace msd_sim
