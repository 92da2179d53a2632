#include "msd-sim/src/Environment/Reference/JointConstraints.hpp"

#include <array>
#include <cmath>

#include "msd-sim/src/Physics/Constraints/Joints/Angle.hpp"

namespace msd_sim {

namespace {

// Joints have no compliance: what is missing is taken back within the step (errorReduction = 1).
constexpr double kAtOnce = 1.0;  // α [1/s²]
constexpr double kUndamped = 0.0;  // β [1/s]

void writeRow(const JointRow& row, double scale, Eigen::MatrixXd& rows, Eigen::Index i) {
  rows.row(i) << scale * row.linearA.transpose(), scale * row.angularA.transpose(),
      scale * row.linearB.transpose(), scale * row.angularB.transpose();
}

}  // namespace

JointPlace jointPlace(const InertialState& a, const InertialState& b, double time) {
  JointPlace place{};
  place.xA = a.position;
  place.xB = b.position;
  place.qA = a.orientation;
  place.qB = b.orientation;
  place.time = time;
  return place;
}

JointConstraint::JointConstraint(const JointDefinition& joint, std::size_t bodyA, std::size_t bodyB)
    : Constraint{bodyA, bodyB, kAtOnce, kUndamped}, joint_{joint} {}

int JointConstraint::dimension() const { return holdingRowCount(joint_); }

Eigen::VectorXd JointConstraint::evaluate(const InertialState& a, const InertialState& b,
                                          double time) const {
  Eigen::VectorXd errors(dimension());
  evaluateErrors(joint_, jointPlace(a, b, time), errors.data());
  return errors;
}

Eigen::MatrixXd JointConstraint::jacobian(const InertialState& a, const InertialState& b,
                                          double time) const {
  std::array<JointRow, kMostHoldingRows> rows;
  evaluateRows(joint_, jointPlace(a, b, time), rows.data());
  Eigen::MatrixXd jacobian(dimension(), kTwoBodyColumns);
  for (int i = 0; i < dimension(); ++i) writeRow(rows[static_cast<std::size_t>(i)], 1.0, jacobian, i);
  return jacobian;
}

CoordinateConstraint::CoordinateConstraint(const JointDefinition& joint, std::size_t bodyA,
                                           std::size_t bodyB, double last, const Law& law)
    : Constraint{bodyA, bodyB, law.measures ? kAtOnce : 0.0, kUndamped},
      joint_{joint},
      last_{last},
      law_{law} {}

Eigen::VectorXd CoordinateConstraint::evaluate(const InertialState& a, const InertialState& b,
                                               double time) const {
  if (!law_.measures) return Eigen::VectorXd::Zero(1);
  const double q =
      continuedCoordinate(joint_, evaluateCoordinate(joint_, jointPlace(a, b, time)), last_);
  return Eigen::VectorXd::Constant(1, law_.sign * (q - law_.place));
}

Eigen::MatrixXd CoordinateConstraint::jacobian(const InertialState& a, const InertialState& b,
                                               double time) const {
  Eigen::MatrixXd row(1, kTwoBodyColumns);
  writeRow(evaluateCoordinateRow(joint_, jointPlace(a, b, time)), law_.sign, row, 0);
  return row;
}

Eigen::VectorXd CoordinateConstraint::partialTimeDerivative(const InertialState&,
                                                            const InertialState&, double) const {
  return Eigen::VectorXd::Constant(1, -law_.sign * law_.speed);
}

PlacedConstraint::PlacedConstraint(const Constraint& own, std::size_t bodyA, std::size_t bodyB)
    : Constraint{bodyA, bodyB, own.alpha(), own.beta()}, own_{own} {}

namespace {

/// Speed that a motor with a target position asks for: an implicit step of the oscillator
/// q̈ = −ω²(q − target) − 2ζω q̇, at the frequency and damping ratio of the motor.
double pullSpeed(const JointMotor& motor, double q, double speed, double dt) {
  const double omega = 2.0 * kPi * motor.frequency;
  const double damping = 2.0 * motor.dampingRatio * omega * dt;
  return (speed - dt * omega * omega * (q - motor.target)) / (1.0 + damping + dt * dt * omega * omega);
}

LambdaBounds upTo(double force) {
  return std::isinf(force) ? LambdaBounds::bilateral() : LambdaBounds::boxConstrained(-force, force);
}

}  // namespace

double coordinateRate(const PlacedJoint& joint, double time) {
  const JointRow row =
      evaluateCoordinateRow(joint.record.definition, jointPlace(joint.stateA, joint.stateB, time));
  return row.linearA.dot(joint.stateA.velocity) + row.angularA.dot(joint.stateA.angularVelocity) +
         row.linearB.dot(joint.stateB.velocity) + row.angularB.dot(joint.stateB.angularVelocity);
}

void addJointConstraints(const PlacedJoint& placed, double time, double dt,
                         std::vector<std::unique_ptr<Constraint>>& list) {
  const JointRecord& record = placed.record;
  const JointDefinition& joint = record.definition;
  const auto add = [&](const CoordinateConstraint::Law& law) {
    list.push_back(
        std::make_unique<CoordinateConstraint>(joint, placed.bodyA, placed.bodyB, record.coordinate, law));
  };
  if (holdingRowCount(joint) > 0) {
    list.push_back(std::make_unique<JointConstraint>(joint, placed.bodyA, placed.bodyB));
  }
  const LambdaBounds stop = LambdaBounds::unilateral();
  if (joint.kind == JointKind::kRope) {
    add({.sign = -1.0, .place = joint.length, .bounds = stop, .measures = true});
  }
  if (joint.limit && std::isfinite(joint.limit->lower)) {
    add({.sign = 1.0, .place = joint.limit->lower, .bounds = stop, .measures = true});
  }
  if (joint.limit && std::isfinite(joint.limit->upper)) {
    add({.sign = -1.0, .place = joint.limit->upper, .bounds = stop, .measures = true});
  }
  if (joint.motor) {
    const bool holds = joint.motor->mode == MotorMode::kPosition;
    const double speed =
        holds ? pullSpeed(*joint.motor, record.coordinate, coordinateRate(placed, time), dt)
              : joint.motor->target;
    add({.speed = speed, .bounds = upTo(joint.motor->maxForce)});
  }
  if (joint.friction > 0.0) add({.bounds = upTo(joint.friction)});
}

}  // namespace msd_sim
