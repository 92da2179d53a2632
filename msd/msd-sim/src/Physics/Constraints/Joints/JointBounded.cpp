// Bounded rows of a component: stops, ropes, friction and motors of limited strength (J-17).
#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

double shared(const JointRow& j, const JointRow& s, bool aa, bool ab, bool ba, bool bb) {
  double sum = 0.0;
  if (aa) sum += j.linearA.dot(s.linearA) + j.angularA.dot(s.angularA);
  if (ab) sum += j.linearA.dot(s.linearB) + j.angularA.dot(s.angularB);
  if (ba) sum += j.linearB.dot(s.linearA) + j.angularB.dot(s.angularA);
  if (bb) sum += j.linearB.dot(s.linearB) + j.angularB.dot(s.angularB);
  return sum;
}

/// Cholesky solve of the rows and columns in `set`; false where the matrix is not definite.
bool solveSet(std::span<const std::uint32_t> set, const double* matrix, std::size_t stride,
              std::span<double> work, std::span<double> x) {
  const std::size_t n = set.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = matrix[set[i] * stride + set[k]];
      for (std::size_t q = 0; q < k; ++q) sum -= work[i * n + q] * work[k * n + q];
      if (i == k) {
        const double diagonal = matrix[set[i] * stride + set[i]];
        if (!(sum > 1e-13 * diagonal)) return false;
        work[i * n + i] = std::sqrt(sum);
      } else {
        work[i * n + k] = sum / work[k * n + k];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t q = 0; q < i; ++q) x[i] -= work[i * n + q] * x[q];
    x[i] /= work[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t q = i + 1; q < n; ++q) x[i] -= work[q * n + i] * x[q];
    x[i] /= work[i * n + i];
  }
  return true;
}

}  // namespace

/// Rows that may carry an impulse after this solve. A stop that is open and unloaded is left out;
/// if the solve closes it, the next Newton step sees that.
void JointComponent::findHot() {
  hot_.clear();
  for (std::uint32_t c = 0; c < bounded_.size(); ++c) {
    const SystemRow& row = bounded_[c];
    if (!(row.diagonal > 0.0)) continue;
    if (row.law == RowLaw::kStop && row.impulse == 0.0 && bounded_residual_[c] >= 0.0) continue;
    hot_.push_back(c);
  }
  std::fill(bounded_change_.begin(), bounded_change_.end(), 0.0);
}

/// J M⁻¹ J_cᵀ for all rows without bounds.
void JointComponent::couple(std::uint32_t c, double* column) const {
  std::fill(column, column + rows_.size(), 0.0);
  const Link& link = links_[bounded_link_[c]];
  const JointRow& s = bounded_[c].response;
  const auto add = [&](std::uint32_t body, bool sideA) {
    if (pushable_[body] == 0) return;
    for (std::uint32_t t = touch_start_[body]; t < touch_start_[body + 1]; ++t) {
      const Link& other = links_[touching_[t]];
      for (std::uint32_t i = other.row; i < other.row + other.rowCount; ++i) {
        const JointRow& j = rows_[i].jacobian;
        const bool onA = other.bodyA == body;
        column[i] += shared(j, s, onA && sideA, onA && !sideA, !onA && sideA, !onA && !sideA);
      }
    }
  };
  add(link.bodyA, true);
  add(link.bodyB, false);
}

void JointComponent::cacheHotRow(std::uint32_t c) {
  if (cached_[c] != 0) return;
  cached_[c] = 1;
  const std::size_t n = rows_.size(), count = bounded_.size();
  double* const column = columns_.data() + c * n;
  couple(c, column);
  factor_.solveForward({column, n});
  const Link& link = links_[bounded_link_[c]];
  for (std::uint32_t d = 0; d < count; ++d) {
    if (cached_[d] == 0) continue;
    const Link& other = links_[bounded_link_[d]];
    const auto same = [&](std::uint32_t x, std::uint32_t y) { return x == y && pushable_[x] != 0; };
    double sum = shared(bounded_[c].jacobian, bounded_[d].response, same(link.bodyA, other.bodyA),
                        same(link.bodyA, other.bodyB), same(link.bodyB, other.bodyA),
                        same(link.bodyB, other.bodyB));
    const double* const columnD = columns_.data() + d * n;
    for (std::size_t i = 0; i < n; ++i) sum -= column[i] * columnD[i];
    if (c == d) {
      sum += bounded_[c].softness;
      sum = std::max(sum, joint_tolerances::kProximal * bounded_[c].diagonal);
    }
    schur_[c * count + d] = schur_[d * count + c] = sum;
  }
}

/// Finds δ with p + δ inside the bounds and S δ + z zero, or pushing outwards at a bound: projected
/// Gauss–Seidel to guess which rows sit at a bound, an exact solve for those that do not, again
/// until the guess was right.
void JointComponent::solveBounded() {
  using namespace joint_tolerances;
  const std::size_t n = rows_.size(), count = bounded_.size(), hot = hot_.size();
  const double half = 0.5 * h_;
  // change_ holds -L⁻¹ r, so z_c = r_c + column_c · change_.
  const std::span<double> z{hot_vector_.data(), hot};
  const std::span<double> x{hot_vector_.data() + count, hot};
  for (std::size_t k = 0; k < hot; ++k) {
    const double* const column = columns_.data() + hot_[k] * n;
    double sum = bounded_residual_[hot_[k]];
    for (std::size_t i = 0; i < n; ++i) sum += column[i] * change_[i];
    z[k] = sum;
    x[k] = 0.0;
  }
  const auto entry = [&](std::size_t k, std::size_t l) {
    return schur_[hot_[k] * count + hot_[l]];
  };
  const auto low = [&](std::size_t k) {
    return half * bounded_[hot_[k]].lower - bounded_[hot_[k]].impulse;
  };
  const auto high = [&](std::size_t k) {
    return half * bounded_[hot_[k]].upper - bounded_[hot_[k]].impulse;
  };
  const auto velocity = [&](std::size_t k) {
    double sum = z[k];
    for (std::size_t l = 0; l < hot; ++l) sum += entry(k, l) * x[l];
    return sum;
  };
  std::vector<std::uint32_t>& set = free_rows_;
  for (int round = 0; round < kMostRounds; ++round) {
    for (int sweep = 0; sweep < (round == 0 ? kBoundedSweeps : 2); ++sweep) {
      for (std::size_t k = 0; k < hot; ++k) {
        x[k] = std::clamp(x[k] - velocity(k) / entry(k, k), low(k), high(k));
      }
    }
    set.clear();
    const std::span<double> right{hot_vector_.data() + 2 * count, hot};
    for (std::size_t k = 0; k < hot; ++k) {
      if (x[k] > low(k) && x[k] < high(k)) set.push_back(static_cast<std::uint32_t>(k));
    }
    if (set.empty()) break;
    for (std::size_t k = 0; k < hot; ++k) {
      for (std::size_t l = 0; l < hot; ++l) hot_matrix_[k * hot + l] = entry(k, l);
    }
    for (std::size_t f = 0; f < set.size(); ++f) right[f] = -velocity(set[f]);
    if (!solveSet(set, hot_matrix_.data(), hot, {hot_work_.data(), set.size() * set.size()},
                  right.first(set.size()))) {
      continue;
    }
    bool inside = true;
    for (std::size_t f = 0; f < set.size(); ++f) {
      const double next = x[set[f]] + right[f];
      inside = inside && next >= low(set[f]) && next <= high(set[f]);
      x[set[f]] = std::clamp(next, low(set[f]), high(set[f]));
    }
    if (!inside) continue;
    bool settled = true;
    for (std::size_t k = 0; k < hot; ++k) {
      const double u = velocity(k);
      const double slack = 1e-12 * (std::fabs(z[k]) + entry(k, k) * std::fabs(x[k]));
      if (x[k] <= low(k))
        settled = settled && u >= -slack;
      else if (x[k] >= high(k))
        settled = settled && u <= slack;
    }
    if (settled) break;
  }
  for (std::size_t k = 0; k < hot; ++k) bounded_change_[hot_[k]] = x[k];
}

}  // namespace msd_sim
