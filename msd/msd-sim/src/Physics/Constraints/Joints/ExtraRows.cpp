#include "msd-sim/src/Physics/Constraints/Joints/ExtraRows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Constraints/Joints/Angle.hpp"

namespace msd_sim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint8_t numberOf(ExtraRow row) {
  return static_cast<std::uint8_t>(kMostHoldingRows + static_cast<int>(row));
}

/// Strength of the motor on the joint's side of the gear.
double strengthOf(const JointMotor& motor) {
  return motor.maxForce * std::fabs(motor.gear);
}

bool isDriven(const JointDefinition& joint) {
  return joint.motor && joint.motor->maxForce > 0.0;
}

/// True when the motor's push is part of the soft row: it has gains, and no bound it could reach.
bool isInSoftRow(const JointDefinition& joint) {
  return isDriven(joint) && joint.motor->isSoft() &&
         (joint.motor->mode == MotorMode::kForce || joint.motor->maxForce == kInfinity);
}

class Collector {
 public:
  explicit Collector(const JointDefinition& joint) : joint_{joint} {}

  SystemRow& add(ExtraRow which, RowLaw law, double lower, double upper) {
    SystemRow& row = result.rows[result.count++];
    row.number = numberOf(which);
    row.law = law;
    row.lower = lower;
    row.upper = upper;
    row.isLength = !isAngle(joint_.kind);
    return row;
  }
  void addStop(ExtraRow which, double place, double sign) {
    SystemRow& row = add(which, RowLaw::kStop, 0.0, kInfinity);
    row.target = place;
    row.sign = sign;
  }
  void addUserRow() {
    if (holdingRowCount(joint_) > 0) return;
    if (joint_.lower == 0.0 && joint_.upper == kInfinity) {
      addStop(ExtraRow::kLower, 0.0, 1.0);
    } else {
      add(ExtraRow::kFriction, RowLaw::kDrive, joint_.lower, joint_.upper);
    }
  }
  void addSoftRow() {
    if (!(joint_.stiffness > 0.0) && !(joint_.damping > 0.0) && !(rotorInertia(joint_) > 0.0) &&
        !isInSoftRow(joint_)) {
      return;
    }
    SystemRow& row = add(ExtraRow::kSpring, RowLaw::kSpring, -kInfinity, kInfinity);
    composeSoftRow(joint_, joint_.motor ? givenGains(*joint_.motor) : MotorGains{}, row);
  }
  void addMotorRow() {
    if (!isDriven(joint_) || isInSoftRow(joint_)) return;
    const JointMotor& motor = *joint_.motor;
    const double most = strengthOf(motor);
    SystemRow& row =
        add(ExtraRow::kMotor, motor.isSoft() ? RowLaw::kSpring : RowLaw::kDrive, -most, most);
    row.target = motor.target / motor.gear;
    if (motor.isSoft()) composeSoftRow(joint_, givenGains(motor), row);
  }
  void addLimits() {
    if (!joint_.limit) return;
    if (joint_.limit->lower > -kInfinity) addStop(ExtraRow::kLower, joint_.limit->lower, 1.0);
    if (joint_.limit->upper < kInfinity) addStop(ExtraRow::kUpper, joint_.limit->upper, -1.0);
  }

  ExtraRows result;

 private:
  const JointDefinition& joint_;
};

}  // namespace

bool isBounded(const SystemRow& row) {
  return row.lower > -kInfinity || row.upper < kInfinity;
}

ExtraRows extraRows(const JointDefinition& joint) {
  Collector rows{joint};
  if (joint.constraint != nullptr) {
    rows.addUserRow();
    return rows.result;
  }
  if (joint.kind == JointKind::kRope) rows.addStop(ExtraRow::kUpper, joint.length, -1.0);
  if (joint.kind == JointKind::kSpring || hasFreeCoordinate(joint.kind)) rows.addSoftRow();
  if (!hasFreeCoordinate(joint.kind)) return rows.result;
  rows.addMotorRow();
  rows.addLimits();
  if (joint.friction > 0.0) {
    rows.add(ExtraRow::kFriction, RowLaw::kDrive, -joint.friction, joint.friction);
  }
  return rows.result;
}

bool haveSameRows(const JointDefinition& a, const JointDefinition& b) {
  const ExtraRows rowsA = extraRows(a), rowsB = extraRows(b);
  const auto isSame = [](const SystemRow& x, const SystemRow& y) {
    return x.number == y.number && x.law == y.law && isBounded(x) == isBounded(y);
  };
  return holdingRowCount(a) == holdingRowCount(b) &&
         std::ranges::equal(rowsA.all(), rowsB.all(), isSame);
}

MotorGains givenGains(const JointMotor& motor) {
  MotorGains gains;
  const double ratio = motor.gear * motor.gear;
  if (motor.mode == MotorMode::kPosition && motor.stiffness >= 0.0) {
    gains.stiffness = ratio * motor.stiffness;
  }
  if (motor.mode != MotorMode::kForce && motor.damping >= 0.0) {
    gains.damping = ratio * motor.damping;
  }
  return gains;
}

MotorGains tunedGains(const JointMotor& motor, double inertia) {
  const double omega = 2.0 * kPi * motor.frequency;
  return {omega * omega * inertia, 2.0 * motor.dampingRatio * omega * inertia, 0.0};
}

bool carriesLoad(const JointMotor& motor) {
  return motor.mode == MotorMode::kPosition && motor.carriesLoad.value_or(motor.isTuned());
}

bool isHeld(const JointDefinition& joint) {
  return isDriven(joint) && hasFreeCoordinate(joint.kind) && joint.motor->mode != MotorMode::kForce;
}

bool needsInertia(const JointDefinition& joint) {
  return isHeld(joint) && (joint.motor->isTuned() || carriesLoad(*joint.motor));
}

void composeSoftRow(const JointDefinition& joint, const MotorGains& gains, SystemRow& row) {
  const bool own = row.number == numberOf(ExtraRow::kSpring);
  const bool driven = own ? isInSoftRow(joint) : true;
  const double stiffness = own ? joint.stiffness : 0.0;
  const double rest = joint.kind == JointKind::kSpring ? joint.length : joint.rest;
  row.stiffness = stiffness;
  row.damping = own ? joint.damping : 0.0;
  row.inertia = own ? rotorInertia(joint) : 0.0;
  row.target = rest;
  row.force = row.motorStiffness = row.motorDamping = row.motorForce = 0.0;
  if (!driven) return;
  const JointMotor& motor = *joint.motor;
  const double most = strengthOf(motor);
  row.motorStiffness = gains.stiffness;
  row.motorDamping = gains.damping;
  switch (motor.mode) {
    case MotorMode::kForce:
      row.motorForce = std::clamp(motor.target * motor.gear, -most, most);
      break;
    case MotorMode::kPosition:
      row.target = motor.target / motor.gear;
      row.motorForce = gains.damping * motor.targetVelocity / motor.gear +
                       motor.feedForward * motor.gear + gains.load;
      break;
    case MotorMode::kVelocity:
      row.motorForce =
          gains.damping * motor.target / motor.gear + motor.feedForward * motor.gear;
      break;
  }
  row.stiffness += gains.stiffness;
  row.damping += gains.damping;
  row.force = row.motorForce + stiffness * (rest - row.target);
}

}  // namespace msd_sim
