#pragma once

#include <array>

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// Coulomb friction at one contact point: the sliding velocity is zero as long as the force stays
/// in the disc |λ| <= μ λ_N, and opposite to the force at its edge.
///
///   Ċ_k = t_k·(v_B + ω_B × r_B − v_A − ω_A × r_A),   k = 1, 2
///   J_k = [ −t_kᵀ, −(r_A × t_k)ᵀ, t_kᵀ, (r_B × t_k)ᵀ ]
///
/// t₁, t₂ and the normal are orthonormal. The solver keeps λ in the disc, never in the square that
/// lambdaBounds() draws about it. In a list of constraints it stands after the ContactConstraint of
/// its point.
class FrictionConstraint final : public Constraint {
 public:
  /// As for ContactConstraint; frictionCoefficient >= 0 [-].
  FrictionConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& normal,
                     const Coordinate& contactPointA, const Coordinate& contactPointB,
                     const Coordinate& comA, const Coordinate& comB, double frictionCoefficient);

  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 2; }
  /// Friction has no position to keep: zero.
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  /// ± μ λ_N.
  [[nodiscard]] LambdaBounds lambdaBounds() const override;
  /// True while the contact is pressed together.
  [[nodiscard]] bool isActive(const InertialState& stateA, const InertialState& stateB,
                              double time) const override;
  [[nodiscard]] int bodyCount() const override { return 2; }
  [[nodiscard]] std::string typeName() const override { return "FrictionConstraint"; }

  /// Normal force of the contact [N], >= 0; 0 until the solver or a caller sets it.
  void setNormalLambda(double normalLambda);
  [[nodiscard]] double getNormalLambda() const { return normal_lambda_; }
  [[nodiscard]] double getFrictionCoefficient() const { return friction_coefficient_; }
  [[nodiscard]] const std::array<Coordinate, 2>& getTangents() const { return tangents_; }

 private:
  std::array<Coordinate, 2> tangents_;
  Coordinate lever_arm_a_;
  Coordinate lever_arm_b_;
  double friction_coefficient_;
  double normal_lambda_{0.0};
};

}  // namespace msd_sim
