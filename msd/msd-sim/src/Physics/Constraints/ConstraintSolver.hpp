#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// The readable reference solver: any mix of Constraint objects, as a dense system.
///
///   A λ = b,   A = J M⁻¹ Jᵀ + 1e-8 I,   b_i = −(1 + e) J_i v⁻ − J_i v_bias + (ERP/dt) depth_i
///
/// The velocity bias v_bias = M⁻¹F dt is never multiplied by 1 + e, and velocities are not changed
/// before the solve: a resting contact is held up without a bounce. Constraints without restitution
/// have b_i = −J_i (v⁻ + v_bias) − ∂C/∂t − α dt C_i, with the last term for bilateral ones.
///
/// Bilateral systems are solved directly (LLT); all others by projected Gauss–Seidel, friction by
/// projection on the disc μ λ_N of the contact before it. The step's fast path works on packed
/// rows; the two agree (test/Constraints/RowAgreementTest.cpp).
class ConstraintSolver {
 public:
  /// Force and torque on a body's centre of mass, mean over dt.
  struct BodyForces {
    Force linearForce{Force::Zero()};      ///< [N]
    Torque angularTorque{Torque::Zero()};  ///< [N·m]
  };

  struct SolveResult {
    std::vector<BodyForces> bodyForces;  ///< one per body
    Eigen::VectorXd lambdas;             ///< impulses, constraint by constraint [N·s]
    bool converged{false};
    int iterations{0};  ///< Gauss–Seidel sweeps; 0 for a direct solve
    /// Largest violation of a row's law [m/s]: of A λ = b, or of b's sign at a bound.
    double residual{std::numeric_limits<double>::quiet_NaN()};
  };

  /// Sweeps of Gauss–Seidel, >= 1.
  void setMaxIterations(int iterations);
  [[nodiscard]] int getMaxIterations() const { return max_iterations_; }
  /// Largest change of a multiplier in a sweep that counts as converged [N·s], > 0.
  void setConvergenceTolerance(double tolerance);
  [[nodiscard]] double getConvergenceTolerance() const { return tolerance_; }
  /// Share of a penetration removed per step through the velocities (Baumgarte) [-], 0 to 1. Unset:
  /// each contact's own. 0 leaves positions to PositionCorrector.
  void setErp(std::optional<double> erp);

  /// `constraints` are not owned; bodies are named by their indices. `initialLambda` is the warm
  /// start; one entry per multiplier. `velocityBias` is empty or has one entry per body. Inactive
  /// constraints get λ = 0. Throws std::invalid_argument when the arrays do not fit together.
  [[nodiscard]] SolveResult solve(
      const std::vector<Constraint*>& constraints,
      const std::vector<std::reference_wrapper<const InertialState>>& states,
      const std::vector<double>& inverseMasses, const std::vector<Eigen::Matrix3d>& inverseInertias,
      std::size_t numBodies, double dt,
      const std::optional<Eigen::VectorXd>& initialLambda = std::nullopt,
      const std::vector<SpatialVector>& velocityBias = {}) const;

 private:
  struct Problem;
  void checkInput(const std::vector<Constraint*>& constraints,
                  const std::vector<std::reference_wrapper<const InertialState>>& states,
                  const std::vector<double>& inverseMasses,
                  const std::vector<Eigen::Matrix3d>& inverseInertias, std::size_t numBodies,
                  double dt, const std::vector<SpatialVector>& velocityBias) const;
  [[nodiscard]] double rightHandSide(const Problem& problem, std::size_t constraint, int row) const;
  void solveDirectly(const Problem& problem, SolveResult& result) const;
  void sweep(const Problem& problem, SolveResult& result) const;

  int max_iterations_{10};
  double tolerance_{1e-4};
  std::optional<double> erp_{};
};

}  // namespace msd_sim
