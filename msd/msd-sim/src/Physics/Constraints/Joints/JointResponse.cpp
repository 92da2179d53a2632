// How a mechanism answers to a push on one of its bodies (docs/theory/joints.md, J-27).
#include <algorithm>

#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"

namespace msd_sim {

/// change_ = -share J M⁻¹ w: what the joints would feel. Only rows of the body's own joints do.
void JointComponent::answerOf(const Wrench& wrench, double share) {
  std::fill(change_.begin(), change_.end(), 0.0);
  const auto at = std::lower_bound(slots_.begin(), slots_.end(), wrench.slot);
  const auto body = static_cast<std::size_t>(at - slots_.begin());
  for (std::uint32_t t = touch_start_[body]; t < touch_start_[body + 1]; ++t) {
    const Link& link = links_[touching_[t]];
    const bool isA = link.slotA == wrench.slot;
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (!(rows_[i].diagonal > 0.0)) continue;
      const JointRow& r = rows_[i].response;
      change_[i] = -share * (isA ? r.linearA.dot(wrench.linear) + r.angularA.dot(wrench.angular)
                                 : r.linearB.dot(wrench.linear) + r.angularB.dot(wrench.angular));
    }
  }
}

double JointComponent::compliance(const SolverBodies& bodies, const Wrench& wrench) {
  const BodyMotion& m = bodies.motion[wrench.slot];
  const double alone = m.inverseMass * wrench.linear.squaredNorm() +
                       wrench.angular.dot(inverseInertiaTimes(m, wrench.angular));
  answerOf(wrench, 1.0);
  factor_.solveForward(change_);
  double taken = 0.0;
  for (const double y : change_) taken += y * y;
  return std::max(alone - taken, 0.0);
}

void JointComponent::respond(SolverBodies& bodies, const Wrench& wrench, double share) {
  push(bodies.motion[wrench.slot], share * wrench.linear, share * wrench.angular);
  answerOf(wrench, share);
  factor_.solveForward(change_);
  factor_.solveBackward(change_);
  hot_.clear();
  applyChanges(bodies);
}

}  // namespace msd_sim
