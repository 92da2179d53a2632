#pragma once

#include <memory>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
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
///   stop    C >= 0, λ >= 0                          a limit, or a rope that is taut
///   drive   Ċ = 0 while λ stays between its bounds   a motor, or friction in the joint
class CoordinateConstraint final : public Constraint {
 public:
  struct Law {
    double sign{1.0};
    double place{0.0};  ///< [rad] or [m]
    double speed{0.0};  ///< [rad/s] or [m/s]
    LambdaBounds bounds{LambdaBounds::bilateral()};
    bool measures{false};  ///< C is a position; else only Ċ counts
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
  [[nodiscard]] int bodyCount() const override { return 2; }
  [[nodiscard]] std::string typeName() const override { return "CoordinateConstraint"; }

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

/// A joint in a step: its record, and index and state of its bodies.
struct PlacedJoint {
  const JointRecord& record;
  std::size_t bodyA, bodyB;
  const InertialState &stateA, &stateB;
};
/// How fast the free coordinate changes now [rad/s] or [m/s].
[[nodiscard]] double coordinateRate(const PlacedJoint& joint, double time);
/// Adds the constraints of one joint for a step of dt; springs are forces and add none.
void addJointConstraints(const PlacedJoint& joint, double time, double dt,
                         std::vector<std::unique_ptr<Constraint>>& list);

}  // namespace msd_sim
