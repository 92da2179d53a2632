#include "msd-sim/src/Environment/Reference/JointConstraints.hpp"

#include <array>
#include <cmath>

namespace msd_sim {

namespace {

// Joints have no compliance: what is missing is taken back within the step (errorReduction = 1).
constexpr double kAtOnce = 1.0;    // α [1/s²]
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

int JointConstraint::dimension() const {
  return holdingRowCount(joint_);
}

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
  for (int i = 0; i < dimension(); ++i)
    writeRow(rows[static_cast<std::size_t>(i)], 1.0, jacobian, i);
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

double CoordinateConstraint::motorImpulse(double lambda, double dt) const {
  if (law_.isMotor) return lambda;
  // The row's own law gives the speed at the end of the step.
  const double speed = law_.speed - law_.compliance * lambda;
  return dt * (law_.motorForce - law_.motorGain * speed);
}

double coordinateOf(const PlacedJoint& joint, double time) {
  const JointDefinition& d = joint.record.definition;
  return continuedCoordinate(d, evaluateCoordinate(d, jointPlace(joint.stateA, joint.stateB, time)),
                             joint.record.coordinate);
}

double coordinateRate(const PlacedJoint& joint, double time) {
  const JointRow row =
      evaluateCoordinateRow(joint.record.definition, jointPlace(joint.stateA, joint.stateB, time));
  return row.linearA.dot(joint.stateA.velocity) + row.angularA.dot(joint.stateA.angularVelocity) +
         row.linearB.dot(joint.stateB.velocity) + row.angularB.dot(joint.stateB.angularVelocity);
}

namespace {

LambdaBounds between(double lower, double upper) {
  return std::isinf(lower) && std::isinf(upper) ? LambdaBounds::bilateral()
                                                : LambdaBounds::boxConstrained(lower, upper);
}

/// What stands still in a step: coordinate, rate, and the length of the step.
struct CoordinateStep {
  double q, rate, dt, give;
};

/// A spring this soft, h² k J M⁻¹ Jᵀ, is a force: the step follows its swing and keeps its energy
/// (the limit of stability is 4). A stiffer one is taken implicitly: it holds, and what it swings
/// dies away.
constexpr double kFollowed = 1.0;

/// Everything soft on a coordinate, taken implicitly: λ = h f(q + h q̇₁, q̇₁) − I (q̇₁ − q̇₀).
///
///   f = f₀ − k (q − q*) − c q̇    gives    q̇₁ + γ λ = γ (h (f₀ − k (q − q*)) + I q̇₀),
///   γ = 1/(h (h k + c) + I)
///
/// The spring of the joint itself is left out where it is a force.
void addSoftLaw(const SystemRow& row, double spring, const CoordinateStep& s,
                CoordinateConstraint::Law& law, CoordinateForce& force) {
  const bool followed = s.dt * s.dt * spring * s.give < kFollowed;
  double constant = row.force - row.stiffness * (s.q - row.target);
  double stiffness = row.stiffness;
  if (followed) {
    const double elastic = constant - (row.motorForce - row.motorStiffness * (s.q - row.target));
    force.elastic += elastic;
    constant -= elastic;
    stiffness -= spring;
  }
  const double hold = s.dt * (s.dt * stiffness + row.damping) + row.inertia;
  if (!(hold > 0.0)) {
    force.motor += constant;
    return;
  }
  law.compliance = 1.0 / hold;
  law.speed = law.compliance * (s.dt * constant + row.inertia * s.rate);
  law.potential = followed ? 0.0 : spring;
  law.motorForce = row.motorForce - row.motorStiffness * (s.q - row.target);
  law.motorGain = s.dt * row.motorStiffness + row.motorDamping;
}

}  // namespace

CoordinateForce addJointConstraints(const PlacedJoint& placed, double time, double dt, double give,
                                    std::vector<std::unique_ptr<Constraint>>& list) {
  const JointRecord& record = placed.record;
  const JointDefinition& joint = record.definition;
  CoordinateForce force;
  if (holdingRowCount(joint) > 0) {
    list.push_back(std::make_unique<JointConstraint>(joint, placed.bodyA, placed.bodyB));
  }
  ExtraRows extra = extraRows(joint);
  if (extra.count == 0) return force;
  const CoordinateStep step{coordinateOf(placed, time), coordinateRate(placed, time), dt, give};
  for (SystemRow& row : extra.all()) {
    CoordinateConstraint::Law law{.sign = row.sign, .bounds = between(row.lower, row.upper)};
    const bool isOwn = row.number == kMostHoldingRows + static_cast<int>(ExtraRow::kSpring);
    law.isMotor = row.number == kMostHoldingRows + static_cast<int>(ExtraRow::kMotor);
    if (row.law == RowLaw::kStop) {
      law.place = row.target;
      law.bounds = LambdaBounds::unilateral();
      law.measures = true;
    } else if (row.law == RowLaw::kDrive) {
      law.speed = row.target;
    } else {
      if (joint.motor && needsInertia(joint)) composeSoftRow(joint, placed.gains, row);
      addSoftLaw(row, isOwn ? joint.stiffness : 0.0, step, law, force);
      if (!(law.compliance > 0.0)) continue;
    }
    list.push_back(std::make_unique<CoordinateConstraint>(joint, placed.bodyA, placed.bodyB,
                                                          record.coordinate, law));
  }
  return force;
}

}  // namespace msd_sim
