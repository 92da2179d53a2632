// How a mechanism answers to a push on its bodies (docs/theory/joints.md, J-27).
#include <algorithm>

#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"

namespace msd_sim {

std::uint32_t JointComponent::numberOf(std::uint32_t slot) const {
  return static_cast<std::uint32_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) -
                                    slots_.begin());
}

/// right -= share J M⁻¹ w: what the joints would feel. Only rows of the body's own joints do.
/// Number i stands at right[i * stride].
void JointComponent::addAnswer(const Wrench& wrench, double share, double* right,
                               std::size_t stride) const {
  for (std::uint32_t t = touch_start_[wrench.number]; t < touch_start_[wrench.number + 1]; ++t) {
    if (areBalls()) {
      addBallAnswer(touching_[t], wrench, share, right, stride);
      continue;
    }
    const Link& link = links_[touching_[t]];
    const bool isA = link.slotA == wrench.slot;
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (!(rows_[i].diagonal > 0.0)) continue;
      const JointRow& r = rows_[i].response;
      right[i * stride] -=
          share * (isA ? r.linearA.dot(wrench.linear) + r.angularA.dot(wrench.angular)
                       : r.linearB.dot(wrench.linear) + r.angularB.dot(wrench.angular));
    }
  }
}

void JointComponent::respond(const SolverBodies& bodies, std::span<Push> pushes) {
  std::fill(several_.begin(), several_.end(), 0.0);
  std::fill(several_columns_.begin(), several_columns_.end(), 0.0);
  const auto at = [&](std::uint32_t body, std::size_t lane) {
    return several_columns_.data() + 6 * kPushes * body + lane;
  };
  for (std::size_t lane = 0; lane < pushes.size(); ++lane) {
    for (const Wrench& w : pushes[lane].wrenches) {
      const BodyMotion& m = bodies.motion[w.slot];
      addAnswer(w, 1.0, several_.data() + lane, kPushes);
      double* const own = at(w.number, lane);
      const Vector3D turn = inverseInertiaTimes(m, w.angular);
      for (std::size_t c = 0; c < 3; ++c) {
        own[c * kPushes] += m.inverseMass * w.linear[c];
        own[(3 + c) * kPushes] += turn[c];
      }
    }
  }
  factor_.solveSeveral(several_);
  if (areBalls()) {
    addBallResponses();
  } else {
    addResponses();
  }
  for (std::size_t lane = 0; lane < pushes.size(); ++lane) {
    double* const column = pushes[lane].column;
    for (std::size_t i = 0; i < columnSize(); ++i) column[i] = several_columns_[i * kPushes + lane];
    double compliance = 0.0;
    for (const Wrench& w : pushes[lane].wrenches) {
      const double* const own = column + 6 * w.number;
      for (std::size_t c = 0; c < 3; ++c)
        compliance += w.linear[c] * own[c] + w.angular[c] * own[3 + c];
    }
    pushes[lane].compliance = std::max(compliance, 0.0);
  }
}

/// What the impulses in several_ do to the columns.
void JointComponent::addResponses() {
  for (const Link& link : links_) {
    double* const a = several_columns_.data() + 6 * kPushes * link.bodyA;
    double* const b = several_columns_.data() + 6 * kPushes * link.bodyB;
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (!(rows_[i].diagonal > 0.0)) continue;
      const JointRow& r = rows_[i].response;
      const double* const p = several_.data() + kPushes * i;
      const auto add = [&](double* to, const Vector3D& share) {
        for (std::size_t c = 0; c < 3; ++c) {
          for (std::size_t k = 0; k < kPushes; ++k) to[c * kPushes + k] += share[c] * p[k];
        }
      };
      add(a, r.linearA);
      add(a + 3 * kPushes, r.angularA);
      add(b, r.linearB);
      add(b + 3 * kPushes, r.angularB);
    }
  }
}

void JointComponent::takeVelocities(const SolverBodies& bodies) {
  if (has_velocities_) return;
  has_velocities_ = true;
  for (std::size_t b = 0; b < slots_.size(); ++b) {
    const BodyMotion& m = bodies.motion[slots_[b]];
    for (std::size_t c = 0; c < 3; ++c) {
      velocities_[6 * b + c] = m.v[c];
      velocities_[6 * b + 3 + c] = m.w[c];
    }
  }
}

void JointComponent::returnVelocities(SolverBodies& bodies) {
  if (!has_velocities_) return;
  has_velocities_ = false;
  for (std::size_t b = 0; b < slots_.size(); ++b) {
    if (pushable_[b] == 0) continue;
    BodyMotion& m = bodies.motion[slots_[b]];
    for (std::size_t c = 0; c < 3; ++c) {
      m.v[c] = velocities_[6 * b + c];
      m.w[c] = velocities_[6 * b + 3 + c];
    }
  }
}

void JointComponent::give(const double* column, double share) {
  double* const to = velocities_.data();
  for (std::size_t i = 0; i < velocities_.size(); ++i) to[i] += share * column[i];
}

void JointComponent::owe(std::span<const Wrench> wrenches, double share) {
  if (!owes_) std::fill(owed_.begin(), owed_.end(), 0.0);
  owes_ = true;
  for (const Wrench& w : wrenches) addAnswer(w, share, owed_.data(), 1);
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
