#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>

#include "msd-sim/src/Physics/Constraints/LambdaBounds.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim {

/// A constraint C(q, t) on one or two rigid bodies: the only base class there is. Derive from it to
/// add a constraint of your own (WorldModel::addConstraint, ConstraintSolver).
///
///   bilateral   C = 0               λ any
///   unilateral  C >= 0, λ >= 0      one of them zero
///   boxed       Ċ = 0               while λ stays between its bounds
///
/// The Jacobian has one row per dimension. One-body constraints write 7 columns, position (3) and
/// quaternion w, x, y, z (4), so that Ċ = J q̇. Two-body constraints write 12 columns, the
/// velocities v_A, ω_A, v_B, ω_B in world axes.
class Constraint {
 public:
  static constexpr int kOneBodyColumns = 7;
  static constexpr int kTwoBodyColumns = 12;

  virtual ~Constraint() = default;

  /// Number of scalar equations.
  [[nodiscard]] virtual int dimension() const = 0;
  /// C, `dimension()` entries. One-body constraints ignore stateB.
  [[nodiscard]] virtual Eigen::VectorXd evaluate(const InertialState& stateA,
                                                 const InertialState& stateB,
                                                 double time) const = 0;
  [[nodiscard]] virtual Eigen::MatrixXd jacobian(const InertialState& stateA,
                                                 const InertialState& stateB,
                                                 double time) const = 0;
  /// Bounds of every multiplier of this constraint, as forces [N] or [N·m].
  [[nodiscard]] virtual LambdaBounds lambdaBounds() const = 0;
  /// False where the constraint has no say in this state.
  [[nodiscard]] virtual bool isActive(const InertialState& stateA, const InertialState& stateB,
                                      double time) const;
  /// ∂C/∂t at fixed positions; zero unless the constraint moves by itself.
  [[nodiscard]] virtual Eigen::VectorXd partialTimeDerivative(const InertialState& stateA,
                                                              const InertialState& stateB,
                                                              double time) const;
  /// 1 or 2.
  [[nodiscard]] virtual int bodyCount() const { return 1; }
  [[nodiscard]] virtual std::string typeName() const = 0;

  /// Gains of Baumgarte's stabilisation, C̈ + β Ċ + α C = 0: α [1/s²] and β [1/s]. A violation decays
  /// at the rate α/β; β = 0 takes it back within one step, α = 0 leaves it (errorReduction). Contacts
  /// hold the dimensionless ERP in α.
  [[nodiscard]] virtual double alpha() const { return alpha_; }
  [[nodiscard]] virtual double beta() const { return beta_; }
  /// γ >= 0: how far the constraint gives way in a step of dt, Ċ + γ λ = 0 for an impulse λ, in place of
  /// Ċ = 0 [1/kg]. A spring and damper, taken implicitly, are γ = 1/(dt (dt k + c)). 0: not at all.
  [[nodiscard]] virtual double compliance(double dt) const;

  /// Index of the bodies in the arrays given to the solver.
  [[nodiscard]] std::size_t bodyAIndex() const { return body_a_index_; }
  [[nodiscard]] std::size_t bodyBIndex() const { return body_b_index_; }

  // Conveniences for one-body constraints.
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& state, double time) const {
    return evaluate(state, state, time);
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& state, double time) const {
    return jacobian(state, state, time);
  }

 protected:
  explicit Constraint(std::size_t bodyAIndex = 0, std::size_t bodyBIndex = 0, double alpha = 10.0,
                      double beta = 10.0);
  Constraint(const Constraint&) = default;
  Constraint& operator=(const Constraint&) = default;
  Constraint(Constraint&&) noexcept = default;
  Constraint& operator=(Constraint&&) noexcept = default;

 private:
  std::size_t body_a_index_;
  std::size_t body_b_index_;
  double alpha_;
  double beta_;
};

/// Share of a violation that a step of dt takes back, ERP = α dt/(α dt + β) [-]: what an implicit step
/// leaves of C after Ċ = −(α/β) C. 0 for α = 0, 1 for β = 0.
[[nodiscard]] double errorReduction(const Constraint& constraint, double dt);

/// Rows of a constraint over the velocities v_A, ω_A, v_B, ω_B, whatever its body count: a one-body
/// Jacobian is taken from q̇ to ω by q̇ = ½ (0, ω) ⊗ q, and body B's columns are zero.
[[nodiscard]] Eigen::MatrixXd velocityJacobian(const Constraint& constraint,
                                               const InertialState& stateA,
                                               const InertialState& stateB, double time);

}  // namespace msd_sim
