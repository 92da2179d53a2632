// Motors, springs and rotors of a component: the numbers of their rows, and what they did.
#include <algorithm>

#include "msd-sim/src/Physics/Constraints/Joints/ExtraRows.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"

namespace msd_sim {

namespace {

bool isMotorRow(const SystemRow& row) {
  return row.number == kMostHoldingRows + static_cast<int>(ExtraRow::kMotor);
}

}  // namespace

/// Calls visit(row) for the rows of a link beyond those that hold the joint together, in the order
/// in which extraRows lists them within each kind.
template <class Visit>
void JointComponent::forExtraRows(const Link& link, const Visit& visit) {
  for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
    if (rows_[i].number >= kMostHoldingRows) visit(rows_[i]);
  }
  for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
    visit(bounded_[i]);
  }
}

void JointComponent::readParameters(std::span<const JointRecord> records) {
  for (const Link& link : links_) {
    const ExtraRows extra = extraRows(records[link.joint].definition);
    forExtraRows(link, [&](SystemRow& row) {
      const auto now = std::ranges::find(extra.all(), row.number, &SystemRow::number);
      if (now == extra.all().end()) return;
      row.lower = now->lower;
      row.upper = now->upper;
      row.target = now->target;
      row.stiffness = now->stiffness;
      row.damping = now->damping;
      row.force = now->force;
      row.inertia = now->inertia;
      row.motorStiffness = now->motorStiffness;
      row.motorDamping = now->motorDamping;
      row.motorForce = now->motorForce;
    });
  }
}

/// The inertia of the mechanism is needed where a motor is tuned to a frequency or carries loads.
/// It is seen along the coordinates of all motors that hold a place or a speed.
void JointComponent::prepareMotors(std::span<const std::uint32_t> joints,
                                   std::span<const JointRecord> records,
                                   const SolverBodies& bodies) {
  inertia_.reset();
  tuned_.clear();
  std::vector<std::uint32_t> driven;
  for (std::uint32_t k = 0; k < links_.size(); ++k) {
    const JointDefinition& joint = records[links_[k].joint].definition;
    if (!isHeld(joint)) continue;
    if (needsInertia(joint)) {
      tuned_.push_back({k, static_cast<std::uint32_t>(driven.size())});
    }
    driven.push_back(links_[k].joint);
  }
  if (tuned_.empty()) return;
  inertia_.emplace();
  inertia_->build(joints, driven, records, [&](std::uint32_t slot) {
    return slot != 0 && bodies.mass[slot].dynamic > 0.0;
  });
}

/// (J-14), (J-29): gains and forces of the motors for the mechanism as it stands.
void JointComponent::tuneMotors(const SolverBodies& bodies, std::span<const JointRecord> records) {
  inertia_->place(bodies, records, time_);
  inertia_->findFreeAccelerations(bodies, bodies.load, records,
                                  MechanismInertia::Motion::kIgnored);
  for (const auto& [k, coordinate] : tuned_) {
    const JointDefinition& joint = records[links_[k].joint].definition;
    const JointMotor& motor = *joint.motor;
    MotorGains gains = motor.isTuned() ? tunedGains(motor, inertia_->inertia(coordinate))
                                       : givenGains(motor);
    if (carriesLoad(motor)) gains.load = inertia_->holdingForce(coordinate);
    forExtraRows(links_[k], [&](SystemRow& row) {
      if (row.law == RowLaw::kSpring && (isMotorRow(row) || !isBounded(row))) {
        composeSoftRow(joint, gains, row);
      }
    });
  }
}

/// Rotors turn with their coordinates.
void JointComponent::startRotors(const SolverBodies& bodies) {
  for (const Link& link : links_) {
    forExtraRows(link, [&](SystemRow& row) {
      if (row.inertia > 0.0) row.rotor = velocityOf(bodies, link, row);
    });
  }
}

/// Force of a soft row in the running substep, but for its rotor (J-9).
double JointComponent::softForce(const SystemRow& row, double speed) const {
  return row.force - row.stiffness * (row.mean - row.target) - row.damping * speed;
}

/// At the end of a phase: what the motor gave, and how fast the rotor turns. The speed follows from
/// the row's own law.
void JointComponent::noteMotor(SystemRow& row, Phase phase) const {
  if (isMotorRow(row)) row.driven += row.impulse;
  if (row.law != RowLaw::kSpring || isMotorRow(row)) return;
  const double half = 0.5 * h_;
  const double still = half * softForce(row, 0.0);
  double speed = 0.0;
  if (phase == Phase::kPosition) {
    const double mean = 2.0 * (row.mean - row.start) / h_;
    const double turn = row.inertia * (mean - row.rotor);
    if (row.damping > 0.0) speed = (still - turn - row.impulse) / (half * row.damping);
    row.rotor = mean;
  } else if (const double give = half * row.damping + row.inertia; give > 0.0) {
    speed = (still + row.inertia * row.rotor - row.impulse) / give;
    row.rotor = speed;
  }
  row.driven += half * (row.motorForce - row.motorStiffness * (row.mean - row.target) -
                        row.motorDamping * speed);
}

}  // namespace msd_sim
