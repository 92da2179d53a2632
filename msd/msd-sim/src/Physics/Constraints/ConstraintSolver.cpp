#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/Physics/Constraints/ConstraintProblem.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/Tolerances.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

using States = ConstraintProblem::States;

}  // namespace

void ConstraintSolver::setMaxIterations(int iterations) {
  requireRange(iterations, "maxIterations", "-", 1, 1e9);
  max_iterations_ = iterations;
}

void ConstraintSolver::setConvergenceTolerance(double tolerance) {
  tolerance_ = requirePositive(tolerance, "convergenceTolerance", "N·s");
}

void ConstraintSolver::setConeTolerance(double tolerance, int iterations) {
  cone_tolerance_ = requireRange(tolerance, "coneTolerance", "-", 1e-15, 1e-2);
  requireRange(iterations, "coneIterations", "-", 1, 1e9);
  cone_iterations_ = iterations;
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
  const LambdaBounds bounds = constraint.lambdaBounds();
  if (bounds.isUnilateral()) {
    if (const auto* contact = dynamic_cast<const ContactConstraint*>(&constraint)) {
      const double e = contact->getRestitution();
      const double erp = erp_.value_or(contact->alpha());
      // A hair's breadth apart (constraint_tolerances::kTouch) may close within the step.
      const double gap = std::max(
          contact->evaluate(problem.stateA(constraint), problem.stateB(constraint), problem.time)(0),
          0.0);
      return free - e * problem.velocity(first) +
             (erp * contact->getPenetrationDepth() - gap) / problem.dt;
    }
  }
  const InertialState& a = problem.stateA(constraint);
  const InertialState& b = problem.stateB(constraint);
  const double moving = constraint.partialTimeDerivative(a, b, problem.time)(row);
  if (bounds.isBoxConstrained()) return free - moving;
  const double error = constraint.evaluate(a, b, problem.time)(row);
  // What is still open may close within the step.
  const bool open = bounds.isUnilateral() && error > 0.0;
  const double own = errorReduction(constraint, problem.dt);
  const double share = open ? 1.0 : std::min(own, erp_.value_or(own));
  return free - moving - share / problem.dt * error;
}

ConstraintSolver::Way ConstraintSolver::wayFor(const Problem& problem) {
  bool bilateral = false, bounded = false, friction = false;
  for (std::size_t c = 0; c < problem.constraints.size(); ++c) {
    const bool isBilateral = problem.constraints[c]->lambdaBounds().isBilateral();
    (isBilateral ? bilateral : bounded) = true;
    friction = friction || problem.normalRow[c] != Problem::kNoRow;
  }
  if (!bounded) return Way::kDirect;
  return friction || bilateral ? Way::kCone : Way::kSweep;
}

void ConstraintSolver::solveDirectly(const Problem& problem, SolveResult& result) const {
  const Eigen::MatrixXd matrix = problem.matrix();
  Eigen::MatrixXd regular = matrix;
  regular.diagonal().array() += constraint_tolerances::kRegularisation;
  const Eigen::LLT<Eigen::MatrixXd> factor{regular};
  result.converged = factor.info() == Eigen::Success;
  if (!result.converged) return;
  result.lambdas = factor.solve(problem.right);
  for (Eigen::Index i = 0; i < problem.rows(); ++i) {
    if (!(matrix(i, i) > constraint_tolerances::kNoMotion)) result.lambdas(i) = 0.0;
  }
  result.residual = (matrix * result.lambdas - problem.right).lpNorm<Eigen::Infinity>();
}

void ConstraintSolver::sweep(const Problem& problem, SolveResult& result) const {
  using constraint_tolerances::kNoMotion;
  using constraint_tolerances::kRegularisation;
  Eigen::VectorXd& lambda = result.lambdas;
  const Eigen::MatrixXd a = problem.matrix();
  const auto visitRow = [&](const LambdaBounds& bounds, Eigen::Index row, bool write) {
    if (!(a(row, row) > kNoMotion)) return std::pair{0.0, 0.0};
    const double scale = a(row, row) + kRegularisation;
    const double velocity = a.row(row).dot(lambda) - problem.right(row);
    // Bounds are forces, multipliers impulses.
    const double next = std::clamp(lambda(row) - velocity / scale, bounds.lower * problem.dt,
                                   bounds.upper * problem.dt);
    const double change = std::fabs(next - lambda(row));
    if (write) lambda(row) = next;
    return std::pair{change, change * scale};
  };
  const auto visitAll = [&](bool write) {
    std::pair<double, double> worst{0.0, 0.0};
    for (std::size_t c = 0; c < problem.constraints.size(); ++c) {
      if (problem.active[c] == 0) continue;
      const LambdaBounds bounds = problem.constraints[c]->lambdaBounds();
      for (int i = 0; i < problem.constraints[c]->dimension(); ++i) {
        const auto [change, error] = visitRow(bounds, problem.firstRow[c] + i, write);
        worst = {std::max(worst.first, change), std::max(worst.second, error)};
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
  Problem problem{.constraints = constraints,
                  .states = states,
                  .inverseMasses = inverseMasses,
                  .inverseInertias = inverseInertias,
                  .dt = dt,
                  .time = time_};
  problem.countRows();
  problem.fillRows(velocityBias);
  problem.right.setZero(problem.rows());
  for (std::size_t c = 0; c < constraints.size(); ++c) {
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
  switch (wayFor(problem)) {
    case Way::kDirect: solveDirectly(problem, result); break;
    case Way::kSweep: sweep(problem, result); break;
    case Way::kCone: solveCones(problem, result); break;
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const Eigen::Index row = problem.firstRow[c], count = constraints[c]->dimension();
    const Eigen::VectorXd impulse =
        problem.jacobian.middleRows(row, count).transpose() * result.lambdas.segment(row, count);
    for (int side = 0; side < constraints[c]->bodyCount(); ++side) {
      BodyForces& body = result.bodyForces[Problem::bodyOf(*constraints[c], side)];
      body.linearForce += impulse.segment<3>(6 * side) / dt;
      body.angularTorque += impulse.segment<3>(6 * side + 3) / dt;
    }
  }
  return result;
}

}  // namespace msd_sim
