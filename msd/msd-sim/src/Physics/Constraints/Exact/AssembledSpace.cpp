#include "msd-sim/src/Physics/Constraints/Exact/AssembledSpace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {
namespace {

[[nodiscard]] Eigen::Map<const Eigen::Vector3d> part(std::span<const double> x, int contact) {
  return Eigen::Map<const Eigen::Vector3d>(x.data() + 3 * static_cast<std::ptrdiff_t>(contact));
}

[[nodiscard]] Eigen::Map<Eigen::Vector3d> part(std::span<double> x, int contact) {
  return Eigen::Map<Eigen::Vector3d>(x.data() + 3 * static_cast<std::ptrdiff_t>(contact));
}

}  // namespace

void AssembledSpace::setup(const FrictionProblem& problem) {
  const BlockMatrix& w = problem.matrix();
  contacts_ = problem.contactCount();
  q_.assign(problem.q().begin(), problem.q().end());

  // The pattern made symmetric, with every diagonal block: count, then fill row by row. Rows are
  // visited in order, so the transposed entries arrive sorted.
  std::vector<std::vector<int>> transposed(contacts_);
  for (int i = 0; i < contacts_; ++i) {
    for (int k = w.rowStart[i]; k < w.rowStart[i + 1]; ++k) transposed[w.column[k]].push_back(i);
  }
  row_start_.assign(1, 0);
  column_.clear();
  values_.clear();
  diagonal_.assign(contacts_, 0);
  std::vector<int> merged;
  for (int i = 0; i < contacts_; ++i) {
    merged.assign(w.column.begin() + w.rowStart[i], w.column.begin() + w.rowStart[i + 1]);
    merged.insert(merged.end(), transposed[i].begin(), transposed[i].end());
    merged.push_back(i);
    std::sort(merged.begin(), merged.end());
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    int source = w.rowStart[i];
    for (const int j : merged) {
      if (j == i) diagonal_[i] = static_cast<int>(column_.size());
      column_.push_back(j);
      const bool present = source < w.rowStart[i + 1] && w.column[source] == j;
      values_.push_back(present ? w.block[source] : ContactBlock::Zero());
      if (present) ++source;
    }
    row_start_.push_back(static_cast<int>(column_.size()));
  }

  const std::size_t size = 3 * static_cast<std::size_t>(contacts_);
  for (auto* vector : {&impulse_, &point_, &step_, &base_velocity_, &step_velocity_, &product_}) {
    vector->assign(size, 0.0);
  }
  blocks_.resize(9 * column_.size());
}

void AssembledSpace::multiply(std::span<const double> x, std::span<double> product) const {
  for (int i = 0; i < contacts_; ++i) {
    double s0 = 0.0;
    double s1 = 0.0;
    double s2 = 0.0;
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
      const double* block = values_[k].data();
      const double* v = x.data() + 3 * static_cast<std::ptrdiff_t>(column_[k]);
      s0 += block[0] * v[0] + block[1] * v[1] + block[2] * v[2];
      s1 += block[3] * v[0] + block[4] * v[1] + block[5] * v[2];
      s2 += block[6] * v[0] + block[7] * v[1] + block[8] * v[2];
    }
    product[3 * i] = s0;
    product[3 * i + 1] = s1;
    product[3 * i + 2] = s2;
  }
}

void AssembledSpace::setImpulses(std::span<const double> r) {
  std::copy(r.begin(), r.end(), impulse_.begin());
}

Eigen::Vector3d AssembledSpace::velocity(int contact) const {
  double s0 = q_[3 * contact];
  double s1 = q_[3 * contact + 1];
  double s2 = q_[3 * contact + 2];
  for (int k = row_start_[contact]; k < row_start_[contact + 1]; ++k) {
    const double* block = values_[k].data();
    const double* v = impulse_.data() + 3 * static_cast<std::ptrdiff_t>(column_[k]);
    s0 += block[0] * v[0] + block[1] * v[1] + block[2] * v[2];
    s1 += block[3] * v[0] + block[4] * v[1] + block[5] * v[2];
    s2 += block[6] * v[0] + block[7] * v[1] + block[8] * v[2];
  }
  return {s0, s1, s2};
}

void AssembledSpace::addImpulse(int contact, const Eigen::Vector3d& change) {
  part(std::span<double>(impulse_), contact) += change;
}

void AssembledSpace::computeVelocities(std::span<const double> r, std::span<double> u) {
  multiply(r, u);
  for (std::size_t i = 0; i < q_.size(); ++i) u[i] += q_[i];
}

void AssembledSpace::beginNewton(std::span<const double> r) {
  std::copy(r.begin(), r.end(), point_.begin());
  std::fill(step_.begin(), step_.end(), 0.0);
  std::fill(step_velocity_.begin(), step_velocity_.end(), 0.0);
  computeVelocities(point_, base_velocity_);
}

double AssembledSpace::mismatch(double t, std::span<const double> r) {
  multiply(r, product_);
  double energy = 0.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double difference = point_[i] + t * step_[i] - r[i];
    const double answer = base_velocity_[i] - q_[i] + t * step_velocity_[i] - product_[i];
    energy += difference * answer;
  }
  return std::sqrt(std::max(energy, 0.0));
}

bool AssembledSpace::computeStep(std::span<const ContactBlock> response,
                                 const RowStiffness& stiffness, std::span<const double> r,
                                 bool reuse) {
  if (!reuse) {
    lu_.analyze(contacts_, 3, row_start_, column_);
    for (int i = 0; i < contacts_; ++i) {
      const Eigen::Vector3d s(stiffness.value[2 * i], stiffness.value[2 * i + 1],
                              stiffness.value[2 * i + 1]);
      const ContactBlock scaled = s.asDiagonal() * response[i];
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
        Eigen::Map<ContactBlock> target(blocks_.data() + 9 * static_cast<std::ptrdiff_t>(k));
        target.noalias() = scaled * values_[k];
        if (column_[k] == i) target.diagonal() += s;
      }
    }
    (void)lu_.factorize(blocks_, tolerance::kTinyPivot, team_);
  }
  for (int i = 0; i < contacts_; ++i) {
    const Eigen::Vector3d s(stiffness.value[2 * i], stiffness.value[2 * i + 1],
                            stiffness.value[2 * i + 1]);
    part(std::span<double>(step_), i) =
        s.cwiseProduct(part(r, i) - part(std::span<const double>(point_), i));
  }
  lu_.solve(step_);
  multiply(step_, step_velocity_);
  return Eigen::Map<const Eigen::VectorXd>(step_.data(), static_cast<long>(step_.size()))
      .allFinite();
}

void AssembledSpace::acceptStep(double t) {
  for (std::size_t i = 0; i < q_.size(); ++i) point_[i] += t * step_[i];
  computeVelocities(point_, base_velocity_);
}

}  // namespace msd_sim
