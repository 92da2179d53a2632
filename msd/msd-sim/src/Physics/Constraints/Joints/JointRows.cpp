// The rows of a component for a solver that takes them together with those of contacts.
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"

namespace msd_sim {

void JointComponent::beginPhase(const SolverBodies& bodies, std::span<JointRecord> records,
                                Phase phase) {
  placeRows(bodies, records);
  if (phase == Phase::kVelocity) {
    if (soft_) turnSprings(bodies, records);
    measureCoordinates(bodies, records);
  }
  for (auto* rows : {&rows_, &bounded_}) {
    for (SystemRow& row : *rows) softenRow(row, phase);
  }
  if (phase == Phase::kPosition) beginSubstep(bodies, records);
}

double JointComponent::evaluatePhase(const SolverBodies& bodies,
                                     std::span<const JointRecord> records, Phase phase) {
  return phase == Phase::kPosition ? evaluatePositions(bodies, records).all()
                                   : evaluateVelocities(bodies);
}

void JointComponent::takeImpulses() {
  for (Link& link : links_) link.applied = impulseOf(link);
}

void JointComponent::giveImpulses(SolverBodies& bodies, Phase phase) {
  for (Link& link : links_) {
    link.applied = {Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero()};
  }
  if (phase == Phase::kPosition) applyDifference(bodies);
}

void JointComponent::saveImpulses(std::vector<double>& impulses) const {
  for (const SystemRow& row : rows_) impulses.push_back(row.impulse);
  for (const SystemRow& row : bounded_) impulses.push_back(row.impulse);
}

std::size_t JointComponent::loadImpulses(std::span<const double> impulses) {
  std::size_t k = 0;
  for (SystemRow& row : rows_) row.impulse = impulses[k++];
  for (SystemRow& row : bounded_) row.impulse = impulses[k++];
  return k;
}

}  // namespace msd_sim
