#pragma once

#include <memory>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/ExtraRows.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointRecord.hpp"

namespace msd_sim {

/// The equations that hold a joint together: C = 0, up to six rows (docs/theory/joints.md, J-3).
class JointConstraint final : public Constraint {
 public:
  JointConstraint(const JointDefinition& joint, std::size_t bodyA, std::size_t bodyB);
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override;
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  [[nodiscard]] int bodyCount() const override { return 2; }
  [[nodiscard]] std::string typeName() const override { return "JointConstraint"; }

 private:
  const JointDefinition& joint_;
};

/// One row on a joint's free coordinate q: C = sign·(q − place), Ċ = sign·(q̇ − speed).
///
///   stop    C >= 0, λ >= 0                            a limit, or a rope that is taut
///   drive   Ċ = 0 while λ stays between its bounds     a motor that reaches a speed, or friction
///   soft    Ċ + γ λ = 0 between its bounds             gains of a motor, dampers, rotors, stiff
///   springs
class CoordinateConstraint final : public Constraint {
 public:
  struct Law {
    double sign{1.0};
    double place{0.0};       ///< [rad] or [m]
    double speed{0.0};       ///< [rad/s] or [m/s]
    double compliance{0.0};  ///< γ [1/kg] or [1/(kg·m²)]
    LambdaBounds bounds{LambdaBounds::bilateral()};
    bool measures{false};   ///< C is a position; else only Ċ counts
    double potential{0.0};  ///< stiffness of the spring in a soft row [N/m] or [N·m/rad]
    /// The motor's share of a soft row's force: constant part, and per speed at the end of the
    /// step.
    double motorForce{0.0}, motorGain{0.0};
    bool isMotor{false};  ///< all of the row is the motor's
  };
  /// `last`: the coordinate that angles continue from.
  CoordinateConstraint(const JointDefinition& joint, std::size_t bodyA, std::size_t bodyB,
                       double last, const Law& law);
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::VectorXd partialTimeDerivative(const InertialState& stateA,
                                                      const InertialState& stateB,
                                                      double time) const override;
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return law_.bounds; }
  [[nodiscard]] double compliance(double) const override { return law_.compliance; }
  [[nodiscard]] int bodyCount() const override { return 2; }
  [[nodiscard]] std::string typeName() const override { return "CoordinateConstraint"; }

  [[nodiscard]] const Law& law() const { return law_; }
  /// What the motor gave of an impulse λ of the row over a step of dt [N·s] or [N·m·s].
  [[nodiscard]] double motorImpulse(double lambda, double dt) const;

 private:
  const JointDefinition& joint_;
  double last_;
  Law law_;
};

/// A user's constraint with the body indices of this solve.
class PlacedConstraint final : public Constraint {
 public:
  PlacedConstraint(const Constraint& own, std::size_t bodyA, std::size_t bodyB);
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return own_.dimension(); }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override {
    return own_.evaluate(stateA, stateB, time);
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override {
    return own_.jacobian(stateA, stateB, time);
  }
  [[nodiscard]] Eigen::VectorXd partialTimeDerivative(const InertialState& stateA,
                                                      const InertialState& stateB,
                                                      double time) const override {
    return own_.partialTimeDerivative(stateA, stateB, time);
  }
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return own_.lambdaBounds(); }
  [[nodiscard]] double compliance(double dt) const override { return own_.compliance(dt); }
  [[nodiscard]] bool isActive(const InertialState& stateA, const InertialState& stateB,
                              double time) const override {
    return own_.isActive(stateA, stateB, time);
  }
  [[nodiscard]] int bodyCount() const override { return own_.bodyCount(); }
  [[nodiscard]] std::string typeName() const override { return own_.typeName(); }

 private:
  const Constraint& own_;
};

/// Where two states stand, as the functions of joints want it.
[[nodiscard]] JointPlace jointPlace(const InertialState& stateA, const InertialState& stateB,
                                    double time);

/// A joint in a step: its record, index and state of its bodies, and gains of its motor as the
/// mechanism stands.
struct PlacedJoint {
  const JointRecord& record;
  std::size_t bodyA, bodyB;
  const InertialState &stateA, &stateB;
  MotorGains gains{};
};
/// Where the free coordinate stands [rad] or [m], and how fast it changes [rad/s] or [m/s].
[[nodiscard]] double coordinateOf(const PlacedJoint& joint, double time);
[[nodiscard]] double coordinateRate(const PlacedJoint& joint, double time);
/// Force on a joint's coordinate that no constraint stands for: that of a spring which the step can
/// follow, and of a motor in force mode.
struct CoordinateForce {
  double elastic{0.0};  ///< [N] or [N·m]
  double motor{0.0};
};
/// Adds the constraints of one joint for a step of dt. `give`: how far a unit impulse on the
/// coordinate speeds it up, J M⁻¹ Jᵀ [1/kg] or [1/(kg·m²)].
[[nodiscard]] CoordinateForce addJointConstraints(const PlacedJoint& joint, double time, double dt,
                                                  double give,
                                                  std::vector<std::unique_ptr<Constraint>>& list);

}  // namespace msd_sim
