#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix63 = Eigen::Matrix<double, 6, 3>;

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

}  // namespace

FrictionProblem FrictionProblem::assembled(BlockMatrix w, std::vector<double> q,
                                           std::vector<double> mu) {
  const std::size_t contacts = mu.size();
  if (q.size() != 3 * contacts) {
    throw std::invalid_argument(
        fmt::format("friction problem: q has {} entries, expected 3 for each of {} contacts",
                    q.size(), contacts));
  }
  if (static_cast<std::size_t>(w.rows()) != contacts || w.column.size() != w.block.size() ||
      (!w.rowStart.empty() && (w.rowStart.front() != 0 ||
                               static_cast<std::size_t>(w.rowStart.back()) != w.column.size()))) {
    throw std::invalid_argument(fmt::format(
        "friction problem: W has {} block rows and {} blocks for {} columns, expected {} rows",
        w.rows(), w.block.size(), w.column.size(), contacts));
  }
  if (!std::is_sorted(w.rowStart.begin(), w.rowStart.end())) {
    throw std::invalid_argument("friction problem: a block row of W ends before it begins");
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

int FrictionProblem::addContact(const ContactRows& rows, const Eigen::Vector3d& q, double mu,
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
    const ContactRows& rows = contacts_[c];
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
  const int contacts = contactCount();
  const int joints = bilateralCount();

  std::vector<std::vector<BodySide>> sides(bodyCount());
  for (int c = 0; c < contacts; ++c) {
    if (contacts_[c].bodyA >= 0) sides[contacts_[c].bodyA].push_back({c, contacts_[c].jacobianA});
    if (contacts_[c].bodyB >= 0) sides[contacts_[c].bodyB].push_back({c, contacts_[c].jacobianB});
  }
  for (int b = 0; b < joints; ++b) {
    const int row = contacts + b;
    if (bilateral_[b].bodyA >= 0)
      sides[bilateral_[b].bodyA].push_back({row, bilateral_[b].jacobianA});
    if (bilateral_[b].bodyB >= 0)
      sides[bilateral_[b].bodyB].push_back({row, bilateral_[b].jacobianB});
  }

  // Contact–contact blocks as ordered lists, joint rows dense: joints are few in an audited step.
  std::vector<std::vector<std::pair<int, ContactBlock>>> rows(contacts);
  Eigen::MatrixXd jointContact = Eigen::MatrixXd::Zero(joints, 3L * contacts);
  Eigen::MatrixXd jointJoint = Eigen::MatrixXd::Zero(joints, joints);
  for (int body = 0; body < bodyCount(); ++body) {
    for (const BodySide& column : sides[body]) {
      Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 3> answer(6, column.jacobian.rows());
      for (Eigen::Index k = 0; k < column.jacobian.rows(); ++k) {
        answer.col(k) = applyInverse(bodies_[body], column.jacobian.row(k).transpose());
      }
      for (const BodySide& row : sides[body]) {
        const Eigen::MatrixXd product = row.jacobian * answer;
        if (row.row < contacts && column.row < contacts) {
          rows[row.row].emplace_back(column.row, ContactBlock(product));
        } else if (row.row >= contacts && column.row < contacts) {
          jointContact.block(row.row - contacts, 3L * column.row, 1, 3) += product;
        } else if (row.row >= contacts) {
          jointJoint(row.row - contacts, column.row - contacts) += product(0, 0);
        }
      }
    }
  }

  std::vector<double> q = q_;
  Eigen::MatrixXd correction;
  if (joints > 0) {
    // λ = -(W_bb + D_b)⁺ (q_b + W_bc r); redundant rows are cut off in the pseudo-inverse.
    for (int b = 0; b < joints; ++b) jointJoint(b, b) += bilateral_compliance_[b];
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(jointJoint);
    Eigen::VectorXd inverse = eigen.eigenvalues();
    const double cut = tolerance::kRedundantRow * std::max(inverse.cwiseAbs().maxCoeff(), 0.0);
    for (double& value : inverse) value = value > cut ? 1.0 / value : 0.0;
    const Eigen::MatrixXd pseudo =
        eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
    correction = jointContact.transpose() * pseudo * jointContact;
    const Eigen::VectorXd shift =
        jointContact.transpose() *
        (pseudo * Eigen::Map<const Eigen::VectorXd>(bilateral_q_.data(), joints));
    for (int i = 0; i < 3 * contacts; ++i) q[i] -= shift[i];
  }

  BlockMatrix w;
  w.rowStart.push_back(0);
  std::vector<ContactBlock> dense(contacts, ContactBlock::Zero());
  std::vector<char> used(contacts, 0);
  for (int c = 0; c < contacts; ++c) {
    std::fill(used.begin(), used.end(), char{0});
    for (const auto& [column, block] : rows[c]) {
      if (used[column] == 0) dense[column].setZero();
      used[column] = 1;
      dense[column] += block;
    }
    if (used[c] == 0) dense[c].setZero();
    used[c] = 1;
    dense[c].diagonal().array() += compliance_[c];
    for (int d = 0; d < contacts; ++d) {
      if (joints > 0) {
        const ContactBlock part = correction.block<3, 3>(3L * c, 3L * d);
        if (!part.isZero(0.0)) {
          if (used[d] == 0) dense[d].setZero();
          used[d] = 1;
          dense[d] -= part;
        }
      }
      if (used[d] != 0 && (d == c || !dense[d].isZero(0.0))) {
        w.column.push_back(d);
        w.block.push_back(dense[d]);
      }
    }
    w.rowStart.push_back(static_cast<int>(w.column.size()));
  }
  return assembled(std::move(w), std::move(q), mu_);
}

}  // namespace msd_sim
