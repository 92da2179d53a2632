// Constraints with friction, or joints together with contacts: the exact cone solver, to a
// certified residual (docs/theory/exact-contact.md).
//
// Contacts become contacts of a FrictionProblem, with the friction that follows them; one-sided
// rows contacts without friction; all others bilateral rows, with bounds where their strength is
// limited.
#include <cmath>

#include "msd-sim/src/Physics/Constraints/ConstraintProblem.hpp"
#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Tolerances.hpp"

namespace msd_sim {

namespace {

// Share of the fastest motion of which the tolerance's part is rounding.
constexpr double kSpeedFloor = 1e-4;

// Residual at which a solve that ran out of steps is no fault, in tolerances.
constexpr double kGoodEnough = 10.0;

// Residual worth a few more steps, in tolerances: what is left of this solve is there when the next
// begins, which else starts outside its tolerance even where nothing moves.
constexpr double kAim = 1e-3;

class ConeSolve {
 public:
  ConeSolve(const ConstraintProblem& problem, Eigen::VectorXd& lambdas)
      : p_{problem},
        lambda_{lambdas},
        place_(static_cast<std::size_t>(problem.rows()), -1),
        body_(problem.states.size(), kStaticBody) {}

  void build();
  void take(const ExactResult& result);

  FrictionProblem friction;
  std::vector<double> warm;
  [[nodiscard]] double speedFloor() const;

 private:
  [[nodiscard]] bool isFriction(std::size_t c) const {
    return p_.normalRow[c] != ConstraintProblem::kNoRow;
  }
  template <class Visit>
  void forRows(const Visit& visit) const {
    for (std::size_t c = 0; c < p_.constraints.size(); ++c) {
      if (p_.active[c] == 0) continue;
      for (int i = 0; i < p_.constraints[c]->dimension(); ++i) visit(c, p_.firstRow[c] + i);
    }
  }
  void addContact(std::size_t c);
  void addRow(std::size_t c, Eigen::Index row);

  const ConstraintProblem& p_;
  Eigen::VectorXd& lambda_;
  std::vector<int> place_;  ///< per row: contact or bilateral row of `friction`
  std::vector<int> body_;   ///< per body: its number in `friction`
};

/// A one-sided row, with the friction that follows it.
void ConeSolve::addContact(std::size_t c) {
  const Constraint& constraint = *p_.constraints[c];
  const bool rough = c + 1 < p_.constraints.size() && p_.active[c + 1] != 0 &&
                     p_.normalRow[c + 1] == p_.firstRow[c];
  for (int i = 0; i < constraint.dimension(); ++i) {
    const Eigen::Index row = p_.firstRow[c] + i;
    FrictionContact contact;
    contact.bodyA = body_[constraint.bodyAIndex()];
    if (constraint.bodyCount() == 2) contact.bodyB = body_[constraint.bodyBIndex()];
    Eigen::Vector3d q = Eigen::Vector3d::Zero(), warmStart = Eigen::Vector3d::Zero();
    for (int k = 0; k < (rough ? 3 : 1); ++k) {
      const Eigen::Index r = k == 0 ? row : p_.firstRow[c + 1] + k - 1;
      contact.jacobianA.row(k) = p_.jacobian.block<1, 6>(r, 0);
      contact.jacobianB.row(k) = p_.jacobian.block<1, 6>(r, 6);
      q[k] = -p_.right(r);
      warmStart[k] = lambda_(r);
    }
    place_[static_cast<std::size_t>(row)] =
        friction.addContact(contact, q, rough ? p_.friction[c + 1] : 0.0, p_.compliance(row));
    warm.insert(warm.end(), {warmStart[0], warmStart[1], warmStart[2]});
  }
}

/// A row of a joint or motor. Bounds are forces, multipliers impulses.
void ConeSolve::addRow(std::size_t c, Eigen::Index row) {
  const Constraint& constraint = *p_.constraints[c];
  const LambdaBounds bounds = constraint.lambdaBounds();
  BilateralRow b;
  b.bodyA = body_[constraint.bodyAIndex()];
  if (constraint.bodyCount() == 2) b.bodyB = body_[constraint.bodyBIndex()];
  b.jacobianA = p_.jacobian.block<1, 6>(row, 0);
  b.jacobianB = p_.jacobian.block<1, 6>(row, 6);
  b.lower = p_.dt * bounds.lower;
  b.upper = p_.dt * bounds.upper;
  place_[static_cast<std::size_t>(row)] = friction.addBilateralRow(
      b, -p_.right(row), p_.compliance(row) + constraint_tolerances::kRegularisation);
  warm.push_back(lambda_(row));
}

void ConeSolve::build() {
  forRows([&](std::size_t c, Eigen::Index) {
    for (int side = 0; side < p_.constraints[c]->bodyCount(); ++side) {
      const std::size_t body = ConstraintProblem::bodyOf(*p_.constraints[c], side);
      if (body_[body] != kStaticBody || p_.inverseMasses[body] == 0.0) continue;
      body_[body] = friction.addBody({p_.inverseMasses[body], p_.inverseInertias[body]});
    }
  });
  for (std::size_t c = 0; c < p_.constraints.size(); ++c) {
    if (p_.active[c] != 0 && p_.constraints[c]->lambdaBounds().isUnilateral()) addContact(c);
  }
  forRows([&](std::size_t c, Eigen::Index row) {
    if (!p_.constraints[c]->lambdaBounds().isUnilateral() && !isFriction(c)) addRow(c, row);
  });
}

void ConeSolve::take(const ExactResult& result) {
  forRows([&](std::size_t c, Eigen::Index row) {
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(row)]);
    if (isFriction(c)) {
      const auto contact =
          static_cast<std::size_t>(place_[static_cast<std::size_t>(p_.normalRow[c])]);
      lambda_(row) =
          result.impulse[3 * contact + 1 + static_cast<std::size_t>(row - p_.firstRow[c])];
    } else if (p_.constraints[c]->lambdaBounds().isUnilateral()) {
      lambda_(row) = result.impulse[3 * place];
    } else {
      lambda_(row) = result.multiplier[place];
    }
  });
}

double ConeSolve::speedFloor() const {
  double fastest = 0.0;
  for (const InertialState& s : p_.states) fastest = std::max(fastest, s.velocity.norm());
  return p_.bias.lpNorm<Eigen::Infinity>() + kSpeedFloor * fastest;
}

}  // namespace

void ConstraintSolver::solveCones(const Problem& problem, SolveResult& result) const {
  ConeSolve cones{problem, result.lambdas};
  cones.build();
  const ExactOptions options{.tolerance = cone_tolerance_,
                             .velocityFloor = cones.speedFloor(),
                             .aim = kAim * cone_tolerance_,
                             .maxIterations = cone_iterations_};
  ExactSolver solver;
  const ExactResult answer = solver.solve(cones.friction, options, cones.warm);
  result.iterations = answer.iterations();
  // The solver asks for more than it promises: the certificate decides.
  result.converged =
      answer.converged() || answer.certificate.naturalMap <= kGoodEnough * cone_tolerance_;
  result.residual = answer.certificate.velocityErrorAbsolute;
  cones.take(answer);
}

}  // namespace msd_sim
