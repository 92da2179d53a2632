#pragma once

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// Two bodies do not penetrate at one contact point. Immutable.
///
///   C = (x_B + r_B − x_A − r_A)·n >= 0,    J = [ −nᵀ, −(r_A × n)ᵀ, nᵀ, (r_B × n)ᵀ ]
///
/// n is the unit normal from A to B, r the lever arm from a body's centre of mass to the point,
/// world axes, as they were when the contact was found. C is negative when penetrating.
class ContactConstraint final : public Constraint {
 public:
  /// Error reduction parameter: share of the penetration removed per step [-].
  static constexpr double kDefaultErp = 0.2;

  /// Points and centres in world coordinates [m]; depth >= 0 [m]; restitution 0 to 1 [-];
  /// preImpactRelVelNormal: n·(velocity of B's point − that of A's) before the impact [m/s].
  /// Throws std::invalid_argument when the normal is not a unit vector or a number out of range.
  ContactConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& normal,
                    const Coordinate& contactPointA, const Coordinate& contactPointB,
                    double penetrationDepth, const Coordinate& comA, const Coordinate& comB,
                    double restitution, double preImpactRelVelNormal, double erp = kDefaultErp);

  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return LambdaBounds::unilateral(); }
  /// True while the points touch or penetrate.
  [[nodiscard]] bool isActive(const InertialState& stateA, const InertialState& stateB,
                              double time) const override;
  [[nodiscard]] int bodyCount() const override { return 2; }
  [[nodiscard]] std::string typeName() const override { return "ContactConstraint"; }

  [[nodiscard]] const Coordinate& getContactNormal() const { return contact_normal_; }
  [[nodiscard]] double getPenetrationDepth() const { return penetration_depth_; }
  [[nodiscard]] double getRestitution() const { return restitution_; }
  [[nodiscard]] double getPreImpactRelVelNormal() const { return pre_impact_rel_vel_normal_; }
  [[nodiscard]] const Coordinate& getLeverArmA() const { return lever_arm_a_; }
  [[nodiscard]] const Coordinate& getLeverArmB() const { return lever_arm_b_; }

 private:
  Coordinate contact_normal_;
  Coordinate lever_arm_a_;
  Coordinate lever_arm_b_;
  double penetration_depth_;
  double restitution_;
  double pre_impact_rel_vel_normal_;
};

}  // namespace msd_sim
