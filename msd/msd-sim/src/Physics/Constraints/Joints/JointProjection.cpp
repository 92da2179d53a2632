#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointMotion.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

/// Errors of the holding rows where the bodies stand, into residual_; returns the root of the sum of their squares,
/// against the joints' sizes: Newton's direction makes it smaller.
double JointComponent::measureErrors(const SolverBodies& bodies, std::span<const JointRecord> records) {
  if (areBalls()) return measureBallErrors(bodies);
  std::fill(residual_.begin(), residual_.end(), 0.0);
  double squares = 0.0;
  for (const Link& link : links_) {
    const JointDefinition& joint = records[link.joint].definition;
    double errors[kMostHoldingRows];
    evaluateErrors(joint, placeOfLink(bodies, link), errors);
    const auto holding = static_cast<std::uint32_t>(holdingRowCount(joint));
    for (std::uint32_t i = 0; i < holding; ++i) {
      const SystemRow& row = rows_[link.row + i];
      if (!(row.diagonal > 0.0)) continue;
      // What a user's constraint leaves to later steps (α, β) is no error.
      if (joint.constraint != nullptr) errors[i] -= row.keep;
      residual_[link.row + i] = errors[i];
      const double share = errors[i] / (row.isLength ? link.size : 1.0);
      squares += share * share;
    }
  }
  return std::sqrt(squares);
}

/// M⁻¹ Jᵀ λ for the multipliers in change_, into moves_.
void JointComponent::addMoves() {
  for (const Link& link : links_) {
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (!(rows_[i].diagonal > 0.0)) continue;
      const JointRow& r = rows_[i].response;
      moves_[link.bodyA].d += change_[i] * r.linearA;
      moves_[link.bodyA].theta += change_[i] * r.angularA;
      moves_[link.bodyB].d += change_[i] * r.linearB;
      moves_[link.bodyB].theta += change_[i] * r.angularB;
    }
  }
}

/// x += M⁻¹ Jᵀ λ for the multipliers in change_; no body farther than it may go at once.
void JointComponent::moveBodies(SolverBodies& bodies, double part) {
  std::vector<Move>& moves = moves_;
  moves.assign(slots_.size(), Move{});
  if (areBalls()) {
    addBallMoves();
  } else {
    addMoves();
  }
  double farthest = 0.0;
  for (std::size_t b = 0; b < moves.size(); ++b) {
    if (pushable_[b] == 0) continue;
    const double size = bodies.pose[slots_[b]].size;
    farthest = std::max(farthest, moves[b].d.norm() / size + moves[b].theta.norm());
  }
  const double share = part * std::min(1.0, joint_tolerances::kLargestMove / std::max(farthest, 1e-300));
  for (std::size_t b = 0; b < moves.size(); ++b) {
    const std::uint32_t slot = slots_[b];
    if (pushable_[b] == 0 || !(bodies.motion[slot].inverseMass > 0.0)) continue;
    moveBody(bodies, slot, share * moves[b].d, share * moves[b].theta);
  }
}

/// The rows' answers as if all bodies weighed the same. Where light links hold something heavy and are stretched
/// nearly straight, the least motion in the metric of the masses is a zigzag of the links, too wide for Newton's method.
void JointComponent::evenResponses(const SolverBodies& bodies) {
  for (const Link& link : links_) {
    const auto unitDiagonal = [&](std::uint32_t body, std::uint32_t slot, const Vector3D& linear, const Vector3D& angular,
                           Vector3D& toLinear, Vector3D& toAngular) {
      const bool moves = pushable_[body] != 0 && bodies.motion[slot].inverseMass > 0.0;
      const double size = bodies.pose[slot].size;
      toLinear = moves ? linear : Vector3D::Zero();
      toAngular = moves ? Vector3D{angular / (size * size)} : Vector3D::Zero();
      return toLinear.dot(linear) + toAngular.dot(angular);
    };
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      SystemRow& row = rows_[i];
      const JointRow& j = row.jacobian;
      row.diagonal = unitDiagonal(link.bodyA, link.slotA, j.linearA, j.angularA, row.response.linearA, row.response.angularA) +
                     unitDiagonal(link.bodyB, link.slotB, j.linearB, j.angularB, row.response.linearB, row.response.angularB);
    }
  }
}

void JointComponent::project(SolverBodies& bodies, std::span<JointRecord> records) {
  using namespace joint_tolerances;
  // A tree has been tried by the masses (closeTrees), without rows.
  const bool byMass = !isTree();
  if (!byMass) placeRows(bodies, records);
  double worst = measureErrors(bodies, records);
  if (worst <= kOpen) return;
  for (int i = byMass ? 0 : kMostByMass; i < kMostProjections && worst > kProjected; ++i) {
    if (i >= kMostByMass) alone_ = false;  // until the next step
    if (areBalls()) {
      placeBalls(bodies);
      assembleBalls();
    } else {
      placeRows(bodies, records);
      if (i >= kMostByMass) evenResponses(bodies);
      assemble(Phase::kPosition);
    }
    (void)measureErrors(bodies, records);
    for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = -residual_[k];
    factor_.solveForward(change_);
    factor_.solveBackward(change_);
    // Far from closed, a whole step may miss: half of it, and half of that, until things get better.
    double part = 1.0, now = worst;
    for (int halving = 0; halving < kMostHalvings; ++halving) {
      moveBodies(bodies, part);
      now = measureErrors(bodies, records);
      if (now < worst) break;
      moveBodies(bodies, -part);
      part *= 0.5;
    }
    if (!(now < worst)) break;
    worst = now;
  }
  for (const Link& link : links_) {
    records[link.joint].separation = evaluateSeparation(records[link.joint].definition, placeOfLink(bodies, link));
  }
}

}  // namespace msd_sim
