// How a mechanism answers to a push on its bodies (docs/theory/joints.md, J-27).
#include <algorithm>

#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"

namespace msd_sim {

std::size_t JointComponent::numberOf(std::uint32_t slot) const {
  return static_cast<std::size_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) - slots_.begin());
}

/// right -= share J M⁻¹ w: what the joints would feel. Only rows of the body's own joints do.
void JointComponent::addAnswer(const Wrench& wrench, double share, std::span<double> right) const {
  const std::size_t body = numberOf(wrench.slot);
  for (std::uint32_t t = touch_start_[body]; t < touch_start_[body + 1]; ++t) {
    if (areBalls()) {
      addBallAnswer(touching_[t], wrench, share, right);
      continue;
    }
    const Link& link = links_[touching_[t]];
    const bool isA = link.slotA == wrench.slot;
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (!(rows_[i].diagonal > 0.0)) continue;
      const JointRow& r = rows_[i].response;
      right[i] -= share * (isA ? r.linearA.dot(wrench.linear) + r.angularA.dot(wrench.angular)
                               : r.linearB.dot(wrench.linear) + r.angularB.dot(wrench.angular));
    }
  }
}

double JointComponent::respond(const SolverBodies& bodies, std::span<const Wrench> wrenches, double* column) {
  std::fill(change_.begin(), change_.end(), 0.0);
  std::fill(column, column + columnSize(), 0.0);
  const auto at = [&](std::size_t body) { return Eigen::Map<Eigen::Matrix<double, 6, 1>>(column + 6 * body); };
  for (const Wrench& w : wrenches) {
    const BodyMotion& m = bodies.motion[w.slot];
    addAnswer(w, 1.0, change_);
    auto own = at(numberOf(w.slot));
    own.head<3>() += m.inverseMass * w.linear;
    own.tail<3>() += inverseInertiaTimes(m, w.angular);
  }
  factor_.solveForward(change_);
  factor_.solveBackward(change_);
  if (areBalls()) addBallResponses(column);
  for (const Link& link : links_) {
    if (areBalls()) break;
    auto a = at(link.bodyA), b = at(link.bodyB);
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (!(rows_[i].diagonal > 0.0)) continue;
      const JointRow& r = rows_[i].response;
      a.head<3>() += change_[i] * r.linearA;
      a.tail<3>() += change_[i] * r.angularA;
      b.head<3>() += change_[i] * r.linearB;
      b.tail<3>() += change_[i] * r.angularB;
    }
  }
  double compliance = 0.0;
  for (const Wrench& w : wrenches) {
    const auto own = at(numberOf(w.slot));
    compliance += w.linear.dot(own.head<3>()) + w.angular.dot(own.tail<3>());
  }
  return std::max(compliance, 0.0);
}

void JointComponent::give(SolverBodies& bodies, const double* column, double share) const {
  for (std::size_t b = 0; b < slots_.size(); ++b, column += 6) {
    if (pushable_[b] == 0) continue;
    BodyMotion& m = bodies.motion[slots_[b]];
    for (int c = 0; c < 3; ++c) {
      m.v[c] += share * column[c];
      m.w[c] += share * column[3 + c];
    }
  }
}

void JointComponent::owe(std::span<const Wrench> wrenches, double share) {
  if (!owes_) std::fill(owed_.begin(), owed_.end(), 0.0);
  owes_ = true;
  for (const Wrench& w : wrenches) addAnswer(w, share, owed_);
}

void JointComponent::settle() {
  if (!owes_) return;
  owes_ = false;
  factor_.solveForward(owed_);
  factor_.solveBackward(owed_);
  if (areBalls()) {
    settleBalls();
    return;
  }
  for (Link& link : links_) {
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      SystemRow& row = rows_[i];
      if (!(row.diagonal > 0.0)) continue;
      row.impulse += owed_[i];
      link.applied.linearA += owed_[i] * row.jacobian.linearA;
      link.applied.angularA += owed_[i] * row.jacobian.angularA;
      link.applied.linearB += owed_[i] * row.jacobian.linearB;
      link.applied.angularB += owed_[i] * row.jacobian.angularB;
    }
  }
}

}  // namespace msd_sim
