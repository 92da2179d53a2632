#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// Squares and products of a few numbers up to this size stay finite.
void requireInRange(std::span<const double> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= kLargestNumber)) {
      throw std::invalid_argument(
          fmt::format("friction problem: {}[{}] is {}, expected a number within ±{:g}", name, i,
                      values[i], kLargestNumber));
    }
  }
}

void requireNonNegative(double value, const char* name) {
  if (!(value >= 0.0 && value <= kLargestNumber)) {
    throw std::invalid_argument(
        fmt::format("friction problem: {} is {}, expected a number from 0 to {:g}", name, value,
                    kLargestNumber));
  }
}

void requireBody(int body, int count, const char* name) {
  if (body < kStaticBody || body >= count) {
    throw std::invalid_argument(
        fmt::format("friction problem: {} is {}, expected -1 (static) or a body from 0 to {}", name,
                    body, count - 1));
  }
}

/// M⁻¹ p of one body: linear, then angular.
[[nodiscard]] Vector6 applyInverse(const BodyInverseMass& body, const Vector6& impulse) {
  Vector6 change;
  change.head<3>() = body.inverseMass * impulse.head<3>();
  change.tail<3>() = body.inverseInertia * impulse.tail<3>();
  return change;
}

/// One side of a contact or of a bilateral row, seen from its body.
struct BodySide {
  int row{0};  ///< contact, or contactCount + bilateral row
  Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, 3, 6> jacobian;
};

[[nodiscard]] std::vector<std::vector<BodySide>> collectSides(const FrictionProblem& problem) {
  std::vector<std::vector<BodySide>> sides(problem.bodyCount());
  const auto add = [&](int body, int row, const auto& jacobian) {
    if (body != kStaticBody) sides[body].push_back({row, jacobian});
  };
  for (int c = 0; c < problem.contactCount(); ++c) {
    const FrictionContact& rows = problem.contacts()[c];
    add(rows.bodyA, c, rows.jacobianA);
    add(rows.bodyB, c, rows.jacobianB);
  }
  for (int b = 0; b < problem.bilateralCount(); ++b) {
    const BilateralRow& row = problem.bilateralRows()[b];
    add(row.bodyA, problem.contactCount() + b, row.jacobianA);
    add(row.bodyB, problem.contactCount() + b, row.jacobianB);
  }
  return sides;
}

/// H M⁻¹ Hᵀ: contact with contact as block rows, joint rows dense (an audited step has few).
struct Coupling {
  std::vector<std::map<int, ContactBlock>> contacts;
  Eigen::MatrixXd jointContact;
  Eigen::MatrixXd jointJoint;
};

/// Two rows are coupled through each body that they share: Σ H_i M⁻¹ H_jᵀ over bodies.
[[nodiscard]] Coupling computeCoupling(const FrictionProblem& problem) {
  const int contacts = problem.contactCount();
  const int joints = problem.bilateralCount();
  Coupling coupling{std::vector<std::map<int, ContactBlock>>(contacts),
                    Eigen::MatrixXd::Zero(joints, 3L * contacts),
                    Eigen::MatrixXd::Zero(joints, joints)};
  const auto sides = collectSides(problem);
  for (int body = 0; body < problem.bodyCount(); ++body) {
    for (const BodySide& column : sides[body]) {
      Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 3> answer(6, column.jacobian.rows());
      for (Eigen::Index k = 0; k < column.jacobian.rows(); ++k) {
        answer.col(k) = applyInverse(problem.bodies()[body], column.jacobian.row(k).transpose());
      }
      for (const BodySide& row : sides[body]) {
        const Eigen::MatrixXd product = row.jacobian * answer;
        if (row.row < contacts && column.row < contacts) {
          coupling.contacts[row.row].try_emplace(column.row, ContactBlock::Zero()).first->second +=
              product;
        } else if (row.row >= contacts && column.row < contacts) {
          coupling.jointContact.block(row.row - contacts, 3L * column.row, 1, 3) += product;
        } else if (row.row >= contacts) {
          coupling.jointJoint(row.row - contacts, column.row - contacts) += product(0, 0);
        }
      }
    }
  }
  for (int b = 0; b < joints; ++b) coupling.jointJoint(b, b) += problem.bilateralCompliance()[b];
  return coupling;
}

/// Of a symmetric, positive semidefinite matrix, that of least norm: redundant joint rows share their load evenly.
[[nodiscard]] Eigen::MatrixXd pseudoInverse(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
  Eigen::VectorXd inverse = eigen.eigenvalues();
  const double cut = tolerance::kRedundantRow * inverse.cwiseAbs().maxCoeff();
  for (double& value : inverse) value = value > cut ? 1.0 / value : 0.0;
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

void requireMatrix(const BlockMatrix& w, std::size_t contacts) {
  const bool fits =
      static_cast<std::size_t>(w.rows()) == contacts && w.column.size() == w.block.size() &&
      (w.rowStart.empty() ||
       (w.rowStart.front() == 0 && static_cast<std::size_t>(w.rowStart.back()) == w.column.size()));
  if (!fits || !std::is_sorted(w.rowStart.begin(), w.rowStart.end())) {
    throw std::invalid_argument(fmt::format(
        "friction problem: W has {} block rows, {} columns and {} blocks in rows that do not fit, "
        "expected {} rows",
        w.rows(), w.column.size(), w.block.size(), contacts));
  }
  for (int i = 0; i < w.rows(); ++i) {
    for (int k = w.rowStart[i]; k < w.rowStart[i + 1]; ++k) {
      const bool ascending = k == w.rowStart[i] || w.column[k] > w.column[k - 1];
      if (w.column[k] < 0 || w.column[k] >= w.rows() || !ascending) {
        throw std::invalid_argument(
            fmt::format("friction problem: block row {} of W has column {} out of order or range",
                        i, w.column[k]));
      }
      requireInRange({w.block[k].data(), 9}, "block of W");
    }
  }
}

}  // namespace

FrictionProblem FrictionProblem::assembled(BlockMatrix w, std::vector<double> q,
                                           std::vector<double> mu) {
  const std::size_t contacts = mu.size();
  if (q.size() != 3 * contacts) {
    throw std::invalid_argument(
        fmt::format("friction problem: q has {} entries, expected 3 for each of {} contacts",
                    q.size(), contacts));
  }
  requireMatrix(w, contacts);
  requireInRange(q, "q");
  for (const double value : mu) requireNonNegative(value, "mu");
  FrictionProblem problem;
  problem.form_ = Form::kAssembled;
  problem.matrix_ = std::move(w);
  problem.q_ = std::move(q);
  problem.mu_ = std::move(mu);
  problem.compliance_.assign(contacts, 0.0);
  return problem;
}

void FrictionProblem::clear() {
  form_ = Form::kFactored;
  q_.clear();
  mu_.clear();
  compliance_.clear();
  bilateral_q_.clear();
  bilateral_compliance_.clear();
  matrix_.rowStart.clear();
  matrix_.column.clear();
  matrix_.block.clear();
  bodies_.clear();
  contacts_.clear();
  bilateral_.clear();
}

int FrictionProblem::addBody(const BodyInverseMass& body) {
  if (form_ != Form::kFactored) {
    throw std::logic_error("friction problem: an assembled problem takes no bodies");
  }
  requireNonNegative(body.inverseMass, "inverse mass [1/kg]");
  requireInRange({body.inverseInertia.data(), 9}, "inverse inertia [1/(kg·m²)]");
  bodies_.push_back(body);
  return bodyCount() - 1;
}

int FrictionProblem::addContact(const FrictionContact& rows, const Eigen::Vector3d& q, double mu,
                                double compliance) {
  if (form_ != Form::kFactored) {
    throw std::logic_error("friction problem: an assembled problem takes no more contacts");
  }
  requireBody(rows.bodyA, bodyCount(), "contact body A");
  requireBody(rows.bodyB, bodyCount(), "contact body B");
  if (rows.bodyA == rows.bodyB && rows.bodyA != kStaticBody) {
    throw std::invalid_argument(
        fmt::format("friction problem: body {} touches itself", rows.bodyA));
  }
  requireInRange({rows.jacobianA.data(), 18}, "contact Jacobian A");
  requireInRange({rows.jacobianB.data(), 18}, "contact Jacobian B");
  requireInRange({q.data(), 3}, "contact q [m/s]");
  requireNonNegative(mu, "mu");
  requireNonNegative(compliance, "contact compliance [1/kg]");
  contacts_.push_back(rows);
  q_.insert(q_.end(), q.data(), q.data() + 3);
  mu_.push_back(mu);
  compliance_.push_back(compliance);
  return contactCount() - 1;
}

int FrictionProblem::addBilateralRow(const BilateralRow& row, double q, double compliance) {
  if (form_ != Form::kFactored) {
    throw std::logic_error("friction problem: an assembled problem takes no bilateral rows");
  }
  requireBody(row.bodyA, bodyCount(), "bilateral body A");
  requireBody(row.bodyB, bodyCount(), "bilateral body B");
  if (row.bodyA == row.bodyB && row.bodyA != kStaticBody) {
    throw std::invalid_argument(
        fmt::format("friction problem: body {} is joined to itself", row.bodyA));
  }
  requireInRange({row.jacobianA.data(), 6}, "bilateral Jacobian A");
  requireInRange({row.jacobianB.data(), 6}, "bilateral Jacobian B");
  requireInRange({&q, 1}, "bilateral q [m/s]");
  requireNonNegative(compliance, "bilateral compliance [1/kg]");
  if (!(row.lower <= row.upper)) {
    throw std::invalid_argument(fmt::format(
        "friction problem: bilateral bounds are {} to {} N·s, expected lower <= upper", row.lower,
        row.upper));
  }
  bilateral_.push_back(row);
  bilateral_q_.push_back(q);
  bilateral_compliance_.push_back(compliance);
  return bilateralCount() - 1;
}

void FrictionProblem::computeVelocity(std::span<const double> impulse,
                                      std::span<const double> multiplier,
                                      std::span<double> bodyChange, std::span<double> velocity,
                                      std::span<double> bilateralVelocity) const {
  if (form_ == Form::kAssembled) {
    for (int c = 0; c < contactCount(); ++c) {
      Eigen::Vector3d sum = Eigen::Map<const Eigen::Vector3d>(q_.data() + 3 * c);
      for (int k = matrix_.rowStart[c]; k < matrix_.rowStart[c + 1]; ++k) {
        sum += matrix_.block[k] *
               Eigen::Map<const Eigen::Vector3d>(impulse.data() + 3 * matrix_.column[k]);
      }
      Eigen::Map<Eigen::Vector3d>(velocity.data() + 3 * c) = sum;
    }
    return;
  }
  computeBodyVelocityChange(impulse, multiplier, bodyChange);
  const auto bodyVelocity = [&](int body) -> Vector6 {
    if (body == kStaticBody) return Vector6::Zero();
    return Eigen::Map<const Vector6>(bodyChange.data() + 6 * body);
  };
  for (int c = 0; c < contactCount(); ++c) {
    const FrictionContact& rows = contacts_[c];
    const Eigen::Map<const Eigen::Vector3d> r(impulse.data() + 3 * c);
    Eigen::Map<Eigen::Vector3d>(velocity.data() + 3 * c) =
        rows.jacobianA * bodyVelocity(rows.bodyA) + rows.jacobianB * bodyVelocity(rows.bodyB) +
        Eigen::Map<const Eigen::Vector3d>(q_.data() + 3 * c) + compliance_[c] * r;
  }
  for (int b = 0; b < bilateralCount(); ++b) {
    const BilateralRow& row = bilateral_[b];
    bilateralVelocity[b] = row.jacobianA.dot(bodyVelocity(row.bodyA)) +
                           row.jacobianB.dot(bodyVelocity(row.bodyB)) + bilateral_q_[b] +
                           bilateral_compliance_[b] * multiplier[b];
  }
}

void FrictionProblem::computeBodyVelocityChange(std::span<const double> impulse,
                                                std::span<const double> multiplier,
                                                std::span<double> change) const {
  std::fill(change.begin(), change.end(), 0.0);
  const auto add = [&](int body, const Vector6& generalised) {
    if (body != kStaticBody) Eigen::Map<Vector6>(change.data() + 6 * body) += generalised;
  };
  for (int c = 0; c < contactCount() && form_ == Form::kFactored; ++c) {
    const Eigen::Map<const Eigen::Vector3d> r(impulse.data() + 3 * c);
    add(contacts_[c].bodyA, contacts_[c].jacobianA.transpose() * r);
    add(contacts_[c].bodyB, contacts_[c].jacobianB.transpose() * r);
  }
  for (int b = 0; b < bilateralCount(); ++b) {
    add(bilateral_[b].bodyA, bilateral_[b].jacobianA.transpose() * multiplier[b]);
    add(bilateral_[b].bodyB, bilateral_[b].jacobianB.transpose() * multiplier[b]);
  }
  for (int b = 0; b < bodyCount(); ++b) {
    Eigen::Map<Vector6> value(change.data() + 6 * b);
    value = applyInverse(bodies_[b], Vector6(value));
  }
}

FrictionProblem FrictionProblem::toAssembled() const {
  if (form_ == Form::kAssembled) return *this;
  for (const BilateralRow& row : bilateral_) {
    if (row.isBounded()) {
      throw std::logic_error(
          fmt::format("friction problem: a row has the bounds {} to {} N·s; contacts alone cannot "
                      "stand for it, expected settleBounds before",
                      row.lower, row.upper));
    }
  }
  Coupling coupling = computeCoupling(*this);
  std::vector<double> q = q_;
  Eigen::MatrixXd correction;
  if (bilateralCount() > 0) {
    // λ = -(W_bb + D_b)⁺ (q_b + W_bc r); redundant rows are cut off in the pseudo-inverse.
    const Eigen::MatrixXd pseudo = pseudoInverse(coupling.jointJoint);
    correction = coupling.jointContact.transpose() * pseudo * coupling.jointContact;
    const Eigen::VectorXd shift =
        coupling.jointContact.transpose() *
        (pseudo * Eigen::Map<const Eigen::VectorXd>(bilateral_q_.data(), bilateralCount()));
    for (std::size_t i = 0; i < q.size(); ++i) q[i] -= shift[static_cast<Eigen::Index>(i)];
  }
  BlockMatrix w;
  w.rowStart.push_back(0);
  for (int c = 0; c < contactCount(); ++c) {
    std::map<int, ContactBlock>& row = coupling.contacts[c];
    row.try_emplace(c, ContactBlock::Zero()).first->second.diagonal().array() += compliance_[c];
    for (int d = 0; d < contactCount() && correction.size() > 0; ++d) {
      const ContactBlock part = correction.block<3, 3>(3L * c, 3L * d);
      if (!part.isZero(0.0)) row.try_emplace(d, ContactBlock::Zero()).first->second -= part;
    }
    for (const auto& [column, block] : row) {
      w.column.push_back(column);
      w.block.push_back(block);
    }
    w.rowStart.push_back(static_cast<int>(w.column.size()));
  }
  return assembled(std::move(w), std::move(q), mu_);
}

FrictionProblem FrictionProblem::settleBounds(std::span<const double> multiplier) const {
  if (multiplier.size() != bilateral_.size()) {
    throw std::invalid_argument(fmt::format("friction problem: {} multipliers, expected {}",
                                            multiplier.size(), bilateral_.size()));
  }
  FrictionProblem settled;
  for (const BodyInverseMass& body : bodies_) settled.addBody(body);
  std::vector<double> push(bilateral_.size(), 0.0);
  for (std::size_t b = 0; b < bilateral_.size(); ++b) {
    const BilateralRow& row = bilateral_[b];
    const bool atBound = multiplier[b] <= row.lower || multiplier[b] >= row.upper;
    if (row.isBounded() && atBound) push[b] = multiplier[b];
  }
  // What the pushes do to every row is part of its free velocity.
  const std::vector<double> none(q_.size(), 0.0);
  std::vector<double> change(6 * bodies_.size()), velocity(q_.size()), rows(bilateral_.size());
  computeVelocity(none, push, change, velocity, rows);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    settled.addContact(contacts_[c], {velocity[3 * c], velocity[3 * c + 1], velocity[3 * c + 2]},
                       mu_[c], compliance_[c]);
  }
  for (std::size_t b = 0; b < bilateral_.size(); ++b) {
    if (push[b] != 0.0) continue;
    BilateralRow row = bilateral_[b];
    row.lower = -std::numeric_limits<double>::infinity();
    row.upper = std::numeric_limits<double>::infinity();
    settled.addBilateralRow(row, rows[b], bilateral_compliance_[b]);
  }
  return settled;
}

}  // namespace msd_sim
