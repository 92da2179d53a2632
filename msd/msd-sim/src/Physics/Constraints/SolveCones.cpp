// Constraints with friction, or joints together with contacts: the exact cone solver, to a certified
// residual (docs/theory/exact-contact.md).
//
// Contacts become contacts of a FrictionProblem, with the friction that follows them; one-sided rows
// contacts without friction; two-sided rows bilateral ones. Rows of limited strength (motors, brakes)
// are two-sided until their multiplier reaches a bound, and push with that bound from then on, until
// the motion turns against it.
#include <cmath>

#include "msd-sim/src/Physics/Constraints/ConstraintProblem.hpp"
#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Tolerances.hpp"

namespace msd_sim {

namespace {

/// A row of limited strength, and where it stands.
enum class Hold : std::uint8_t { kFree, kAtLower, kAtUpper };

// Times rows of limited strength may change between holding and pushing.
constexpr int kMostChanges = 16;

// Share of the fastest motion of which the tolerance's part is rounding.
constexpr double kSpeedFloor = 1e-4;

class ConeSolve {
 public:
  ConeSolve(const ConstraintProblem& problem, Eigen::VectorXd& lambdas)
      : p_{problem},
        lambda_{lambdas},
        hold_(static_cast<std::size_t>(problem.rows()), Hold::kFree),
        place_(static_cast<std::size_t>(problem.rows()), -1),
        body_(problem.states.size(), kStaticBody) {}

  /// Builds the problem with rows at their bounds as known pushes.
  void build();
  /// Takes the answer; true where a row of limited strength has to change.
  bool take(const ExactResult& result);

  FrictionProblem friction;
  std::vector<double> warm;
  [[nodiscard]] double speedFloor() const;

 private:
  [[nodiscard]] bool isBoxed(std::size_t c) const {
    return p_.constraints[c]->lambdaBounds().isBoxConstrained() &&
           p_.normalRow[c] == ConstraintProblem::kNoRow;
  }
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
  [[nodiscard]] double velocityOf(std::size_t c, Eigen::Index row, const Eigen::MatrixXd& change) const;
  void push(std::size_t c, Eigen::Index row, double impulse, Eigen::MatrixXd& change) const;
  void addContact(std::size_t c);

  const ConstraintProblem& p_;
  Eigen::VectorXd& lambda_;
  std::vector<Hold> hold_;      ///< per row
  std::vector<int> place_;      ///< per row: contact or bilateral row of `friction`
  std::vector<int> body_;       ///< per body: its number in `friction`
  Eigen::MatrixXd pushed_;      ///< 6 x bodies: what known pushes do to velocities
};

/// What a change of the bodies' velocities is along a row.
double ConeSolve::velocityOf(std::size_t c, Eigen::Index row, const Eigen::MatrixXd& change) const {
  double u = 0.0;
  for (int side = 0; side < p_.constraints[c]->bodyCount(); ++side) {
    const auto body = static_cast<Eigen::Index>(ConstraintProblem::bodyOf(*p_.constraints[c], side));
    u += p_.jacobian.block<1, 6>(row, 6 * side).dot(change.col(body));
  }
  return u;
}

void ConeSolve::push(std::size_t c, Eigen::Index row, double impulse,
                     Eigen::MatrixXd& change) const {
  for (int side = 0; side < p_.constraints[c]->bodyCount(); ++side) {
    const auto body = static_cast<Eigen::Index>(ConstraintProblem::bodyOf(*p_.constraints[c], side));
    change.col(body) += impulse * p_.response.block<1, 6>(row, 6 * side).transpose();
  }
}

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
    Eigen::Vector3d q = Eigen::Vector3d::Zero(), guess = Eigen::Vector3d::Zero();
    for (int k = 0; k < (rough ? 3 : 1); ++k) {
      const Eigen::Index r = k == 0 ? row : p_.firstRow[c + 1] + k - 1;
      contact.jacobianA.row(k) = p_.jacobian.block<1, 6>(r, 0);
      contact.jacobianB.row(k) = p_.jacobian.block<1, 6>(r, 6);
      q[k] = velocityOf(c, r, pushed_) - p_.right(r);
      guess[k] = lambda_(r);
    }
    place_[static_cast<std::size_t>(row)] =
        friction.addContact(contact, q, rough ? p_.friction[c + 1] : 0.0);
    warm.insert(warm.end(), {guess[0], guess[1], guess[2]});
  }
}

void ConeSolve::build() {
  friction.clear();
  warm.clear();
  std::fill(body_.begin(), body_.end(), kStaticBody);
  pushed_.setZero(6, static_cast<Eigen::Index>(p_.states.size()));
  const auto addBody = [&](std::size_t body) {
    if (body_[body] != kStaticBody || p_.inverseMasses[body] == 0.0) return;
    body_[body] = friction.addBody({p_.inverseMasses[body], p_.inverseInertias[body]});
  };
  forRows([&](std::size_t c, Eigen::Index row) {
    for (int side = 0; side < p_.constraints[c]->bodyCount(); ++side) {
      addBody(ConstraintProblem::bodyOf(*p_.constraints[c], side));
    }
    const Hold hold = hold_[static_cast<std::size_t>(row)];
    if (hold == Hold::kFree) return;
    const LambdaBounds bounds = p_.constraints[c]->lambdaBounds();
    lambda_(row) = p_.dt * (hold == Hold::kAtLower ? bounds.lower : bounds.upper);
    push(c, row, lambda_(row), pushed_);
  });
  for (std::size_t c = 0; c < p_.constraints.size(); ++c) {
    if (p_.active[c] != 0 && p_.constraints[c]->lambdaBounds().isUnilateral()) addContact(c);
  }
  forRows([&](std::size_t c, Eigen::Index row) {
    const Constraint& constraint = *p_.constraints[c];
    if (constraint.lambdaBounds().isUnilateral() || isFriction(c)) return;
    if (hold_[static_cast<std::size_t>(row)] != Hold::kFree) return;
    BilateralRow b;
    b.bodyA = body_[constraint.bodyAIndex()];
    if (constraint.bodyCount() == 2) b.bodyB = body_[constraint.bodyBIndex()];
    b.jacobianA = p_.jacobian.block<1, 6>(row, 0);
    b.jacobianB = p_.jacobian.block<1, 6>(row, 6);
    place_[static_cast<std::size_t>(row)] = friction.addBilateralRow(
        b, velocityOf(c, row, pushed_) - p_.right(row), constraint_tolerances::kRegularisation);
    warm.push_back(lambda_(row));
  });
}

bool ConeSolve::take(const ExactResult& result) {
  forRows([&](std::size_t c, Eigen::Index row) {
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(row)]);
    if (isFriction(c)) {
      const auto contact = static_cast<std::size_t>(place_[static_cast<std::size_t>(p_.normalRow[c])]);
      lambda_(row) = result.impulse[3 * contact + 1 + static_cast<std::size_t>(row - p_.firstRow[c])];
    } else if (p_.constraints[c]->lambdaBounds().isUnilateral()) {
      lambda_(row) = result.impulse[3 * place];
    } else if (hold_[static_cast<std::size_t>(row)] == Hold::kFree) {
      lambda_(row) = result.multiplier[place];
    }
  });
  // Velocities that all impulses together make, to see who must change.
  Eigen::MatrixXd change = Eigen::MatrixXd::Zero(6, static_cast<Eigen::Index>(p_.states.size()));
  forRows([&](std::size_t c, Eigen::Index row) { push(c, row, lambda_(row), change); });
  bool changed = false;
  forRows([&](std::size_t c, Eigen::Index row) {
    if (!isBoxed(c)) return;
    const LambdaBounds bounds = p_.constraints[c]->lambdaBounds();
    Hold& hold = hold_[static_cast<std::size_t>(row)];
    const Hold before = hold;
    if (hold == Hold::kFree) {
      if (lambda_(row) > p_.dt * bounds.upper) hold = Hold::kAtUpper;
      if (lambda_(row) < p_.dt * bounds.lower) hold = Hold::kAtLower;
    } else {
      // u > 0 at the upper bound, or u < 0 at the lower one: less push would do.
      const double u = velocityOf(c, row, change) - p_.right(row);
      if (hold == Hold::kAtUpper ? u > 0.0 : u < 0.0) hold = Hold::kFree;
    }
    changed = changed || hold != before;
  });
  return changed;
}

double ConeSolve::speedFloor() const {
  double fastest = 0.0;
  for (const InertialState& s : p_.states) fastest = std::max(fastest, s.velocity.norm());
  return p_.bias.lpNorm<Eigen::Infinity>() + kSpeedFloor * fastest;
}

}  // namespace

void ConstraintSolver::solveCones(const Problem& problem, SolveResult& result) const {
  ConeSolve cones{problem, result.lambdas};
  ExactSolver solver;
  for (int k = 0; k < kMostChanges; ++k) {
    cones.build();
    const ExactOptions options{.tolerance = cone_tolerance_,
                               .velocityFloor = cones.speedFloor(),
                               .maxIterations = cone_iterations_};
    const ExactResult answer = solver.solve(cones.friction, options, cones.warm);
    result.iterations += answer.iterations();
    result.converged = answer.converged();
    result.residual = answer.certificate.velocityErrorAbsolute;
    if (!cones.take(answer)) return;
  }
  result.converged = false;
}

}  // namespace msd_sim
