#include "msd-sim/src/Physics/Constraints/Exact/FactoredSpace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {
namespace {

/// Lower triangular L with L Lᵀ = the symmetric, positive semidefinite matrix; a direction without
/// inverse inertia (a locked axis) gets a zero column.
[[nodiscard]] Eigen::Matrix3d squareRoot(const Eigen::Matrix3d& matrix) {
  Eigen::Matrix3d root = Eigen::Matrix3d::Zero();
  const double floor = tolerance::kSingularBlock * std::max(matrix.trace(), 0.0);
  for (int j = 0; j < 3; ++j) {
    double pivot = matrix(j, j);
    for (int k = 0; k < j; ++k) pivot -= root(j, k) * root(j, k);
    if (!(pivot > floor)) continue;
    root(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < 3; ++i) {
      double entry = 0.5 * (matrix(i, j) + matrix(j, i));
      for (int k = 0; k < j; ++k) entry -= root(i, k) * root(j, k);
      root(i, j) = entry / root(j, j);
    }
  }
  return root;
}

}  // namespace

// Rows scaled once, H̃ = H L with M⁻¹ = L Lᵀ (E-7): the unknowns y = H̃ᵀ r are the bodies' velocity
// changes in the norm of the kinetic energy, and the mass is gone from everything that follows.
// Static bodies share one spare body of zero rows, so that no loop asks whether there is one.
void FactoredSpace::setup(const FrictionProblem& problem) {
  bodies_ = problem.bodyCount();
  const int spare = bodies_;
  contacts_.resize(problem.contactCount());
  rows_.resize(problem.bilateralCount());
  diagonal_.resize(contacts_.size());
  row_diagonal_.resize(rows_.size());

  roots_.resize(bodies_);
  for (int i = 0; i < bodies_; ++i) {
    roots_[i] = {std::sqrt(problem.bodies()[i].inverseMass),
                 squareRoot(problem.bodies()[i].inverseInertia)};
  }
  const auto scaled = [&](int body, const auto& jacobian) {
    auto result = jacobian.eval();
    if (body == kStaticBody) {
      result.setZero();
      return result;
    }
    result.template leftCols<3>() = jacobian.template leftCols<3>() * roots_[body].linear;
    result.template rightCols<3>() = jacobian.template rightCols<3>() * roots_[body].angular;
    return result;
  };
  const auto slot = [&](int body) { return body == kStaticBody ? spare : body; };

  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const FrictionContact& from = problem.contacts()[c];
    Contact& to = contacts_[c];
    to.bodyA = slot(from.bodyA);
    to.bodyB = slot(from.bodyB);
    to.a = scaled(from.bodyA, from.jacobianA);
    to.b = scaled(from.bodyB, from.jacobianB);
    to.q = Eigen::Map<const Eigen::Vector3d>(problem.q().data() + 3 * c);
    diagonal_[c].noalias() = to.a * to.a.transpose();
    diagonal_[c].noalias() += to.b * to.b.transpose();
  }
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    const BilateralRow& from = problem.bilateralRows()[b];
    Row& to = rows_[b];
    to.bodyA = slot(from.bodyA);
    to.bodyB = slot(from.bodyB);
    to.a = scaled(from.bodyA, from.jacobianA);
    to.b = scaled(from.bodyB, from.jacobianB);
    to.q = problem.bilateralQ()[b];
    row_diagonal_[b] = to.a.squaredNorm() + to.b.squaredNorm();
  }
  buildPattern();

  const std::size_t bodySize = 6 * (static_cast<std::size_t>(bodies_) + 1);
  for (auto* vector : {&y_, &point_, &step_, &target_}) vector->assign(bodySize, 0.0);
  const std::size_t rowSize = 3 * contacts_.size() + rows_.size();
  base_velocity_.assign(rowSize, 0.0);
  step_velocity_.assign(rowSize, 0.0);
  blocks_.resize(36 * column_.size());
}

// I + H̃ᵀ C H̃ has a 6 x 6 block where two bodies share a contact or a joint row, whatever C is: the
// pattern, and with it the symbolic analysis, belongs to the contact graph.
void FactoredSpace::buildPattern() {
  edges_.clear();
  for (int i = 0; i < bodies_; ++i) edges_.emplace_back(i, i);
  const auto addEdge = [&](int a, int b) {
    if (a == bodies_ || b == bodies_) return;
    // The points of one manifold follow each other: one edge is enough for all of them.
    if (edges_.back() == std::pair{b, a}) return;
    edges_.emplace_back(a, b);
    edges_.emplace_back(b, a);
  };
  for (const Contact& contact : contacts_) addEdge(contact.bodyA, contact.bodyB);
  for (const Row& row : rows_) addEdge(row.bodyA, row.bodyB);
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  row_start_.assign(static_cast<std::size_t>(bodies_) + 1, 0);
  column_.resize(edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    ++row_start_[edges_[e].first + 1];
    column_[e] = edges_[e].second;
  }
  for (int i = 0; i < bodies_; ++i) row_start_[i + 1] += row_start_[i];

  // Blocks of a static body do not exist; its contributions are zero and are skipped (-1).
  const auto place = [&](int a, int b) {
    if (a == bodies_ || b == bodies_) return -1;
    const auto begin = column_.begin() + row_start_[a];
    const auto end = column_.begin() + row_start_[a + 1];
    return static_cast<int>(std::lower_bound(begin, end, b) - column_.begin());
  };
  const auto places = [&](int a, int b) {
    return Places{place(a, a), place(a, b), place(b, a), place(b, b)};
  };
  contact_places_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    contact_places_[c] = places(contacts_[c].bodyA, contacts_[c].bodyB);
  }
  row_places_.resize(rows_.size());
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    row_places_[b] = places(rows_[b].bodyA, rows_[b].bodyB);
  }
}

// y = H̃ᵀ r.
void FactoredSpace::gather(std::span<const double> r, std::vector<double>& y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& contact = contacts_[c];
    const Eigen::Map<const Eigen::Vector3d> impulse(r.data() + 3 * c);
    bodyPart(y, contact.bodyA).noalias() += contact.a.transpose() * impulse;
    bodyPart(y, contact.bodyB).noalias() += contact.b.transpose() * impulse;
  }
  const double* multiplier = r.data() + 3 * contacts_.size();
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    bodyPart(y, rows_[b].bodyA) += multiplier[b] * rows_[b].a.transpose();
    bodyPart(y, rows_[b].bodyB) += multiplier[b] * rows_[b].b.transpose();
  }
}

// u = H̃ y, and + q where the free velocities are asked for (E-1).
void FactoredSpace::spread(const std::vector<double>& y, std::span<double> u, bool addFree) const {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& contact = contacts_[c];
    Eigen::Vector3d value = contact.a * bodyPart(y, contact.bodyA);
    value.noalias() += contact.b * bodyPart(y, contact.bodyB);
    if (addFree) value += contact.q;
    Eigen::Map<Eigen::Vector3d>(u.data() + 3 * c) = value;
  }
  double* rowVelocity = u.data() + 3 * contacts_.size();
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    rowVelocity[b] = rows_[b].a.dot(bodyPart(y, rows_[b].bodyA)) +
                     rows_[b].b.dot(bodyPart(y, rows_[b].bodyB)) + (addFree ? rows_[b].q : 0.0);
  }
}

void FactoredSpace::setImpulses(std::span<const double> r) {
  gather(r, y_);
}

void FactoredSpace::computeVelocities(std::span<const double> r, std::span<double> u) {
  gather(r, target_);
  spread(target_, u, true);
}

// The velocities along a step are linear in its length: u(t) = base + t · step, so that a line
// search needs no product with H̃.
void FactoredSpace::beginNewton(std::span<const double> r) {
  gather(r, point_);
  std::fill(step_.begin(), step_.end(), 0.0);
  std::fill(step_velocity_.begin(), step_velocity_.end(), 0.0);
  spread(point_, base_velocity_, true);
}

// |F(y + t dy)| (E-7), the square root of a kinetic energy.
double FactoredSpace::mismatch(double t, std::span<const double> r) {
  gather(r, target_);
  double sum = 0.0;
  for (int i = 0; i < 6 * bodies_; ++i) {
    const double difference = point_[i] + t * step_[i] - target_[i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

// I + Σ H̃_cᵀ C_c H̃_c (E-7), contact by contact in their order, which fixes the order of every sum.
// C is unsymmetric where a contact slides, and so both blocks beside the diagonal are written.
void FactoredSpace::assembleMatrix(std::span<const ContactBlock> response,
                                   std::span<const double> rowInverse) {
  std::fill(blocks_.begin(), blocks_.end(), 0.0);
  const auto block = [&](int place) {
    return Eigen::Map<Matrix6>(blocks_.data() + 36 * static_cast<std::ptrdiff_t>(place));
  };
  for (int i = 0; i < bodies_; ++i) {
    const auto begin = column_.begin() + row_start_[i];
    const auto end = column_.begin() + row_start_[i + 1];
    block(static_cast<int>(std::lower_bound(begin, end, i) - column_.begin())).setIdentity();
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (response[c](0, 0) == 0.0) continue;  // open: no response at all
    const Contact& contact = contacts_[c];
    const Places& at = contact_places_[c];
    const ContactJacobian ca = response[c] * contact.a;
    const ContactJacobian cb = response[c] * contact.b;
    if (at.aa >= 0) block(at.aa).noalias() += contact.a.transpose() * ca;
    if (at.bb >= 0) block(at.bb).noalias() += contact.b.transpose() * cb;
    if (at.ab >= 0) {
      block(at.ab).noalias() += contact.a.transpose() * cb;
      block(at.ba).noalias() += contact.b.transpose() * ca;
    }
  }
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    const Row& row = rows_[b];
    const Places& at = row_places_[b];
    const double inverse = rowInverse[b];
    if (at.aa >= 0) block(at.aa).noalias() += row.a.transpose() * (inverse * row.a);
    if (at.bb >= 0) block(at.bb).noalias() += row.b.transpose() * (inverse * row.b);
    if (at.ab >= 0) {
      block(at.ab).noalias() += row.a.transpose() * (inverse * row.b);
      block(at.ba).noalias() += row.b.transpose() * (inverse * row.a);
    }
  }
}

// One Newton step: (I + H̃ᵀ C H̃) dy = H̃ᵀ r(y) − y = −F. `reuse` solves with the factors of the step
// before (a chord step), where only the right-hand side has changed.
bool FactoredSpace::computeStep(std::span<const ContactBlock> response,
                                const RowStiffness& stiffness, std::span<const double> r,
                                bool reuse) {
  if (!reuse) {
    lu_.analyze(bodies_, 6, row_start_, column_);
    assembleMatrix(response, stiffness.inverse.subspan(2 * contacts_.size()));
    (void)lu_.factorize(blocks_, tolerance::kTinyPivot, team_);
  }
  gather(r, target_);
  for (int i = 0; i < 6 * bodies_; ++i) step_[i] = target_[i] - point_[i];
  lu_.solve(std::span(step_).first(6 * static_cast<std::size_t>(bodies_)));
  spread(step_, step_velocity_, false);
  return Eigen::Map<const Eigen::VectorXd>(step_.data(), 6L * bodies_).allFinite();
}

void FactoredSpace::acceptStep(double t) {
  for (int i = 0; i < 6 * bodies_; ++i) point_[i] += t * step_[i];
  spread(point_, base_velocity_, true);
}

}  // namespace msd_sim
