#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

struct ConstraintProblem;

/// The readable reference solver: any mix of Constraint objects, as a dense system.
///
///   A λ = b,   A = J M⁻¹ Jᵀ + 1e-8 I,   b_i = −(1 + e) J_i v⁻ − J_i v_bias + (ERP/dt) depth_i
///
/// The velocity bias v_bias = M⁻¹F dt is never multiplied by 1 + e, and velocities are not changed
/// before the solve: a resting contact is held up without a bounce. Constraints without restitution
/// have b_i = −J_i (v⁻ + v_bias) − ∂C/∂t − (ERP/dt) C_i, with ERP = α dt/(α dt + β) (errorReduction)
/// where C is violated, 1 where a one-sided constraint is still open, 0 for boxed ones.
///
/// The bounds of the multipliers say which way a system is solved: all two-sided ones directly (LLT);
/// one-sided or boxed ones alone by projected Gauss–Seidel; friction, and two-sided ones together with
/// others, by the exact cone solver (SolveCones.cpp). The reference method solves every step with it
/// (docs/reference-method.md); the packed rows of the fast one agree with its rows
/// (test/Environment/PackedRowsTest.cpp).
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
    int iterations{0};  ///< sweeps and Newton steps; 0 for a direct solve
    /// Largest violation of a row's law [m/s]: of A λ = b, or of b's sign at a bound.
    double residual{std::numeric_limits<double>::quiet_NaN()};
  };

  /// Sweeps of projected Gauss–Seidel, >= 1.
  void setMaxIterations(int iterations);
  [[nodiscard]] int getMaxIterations() const { return max_iterations_; }
  /// Largest change of a multiplier in a sweep that counts as converged [N·s], > 0.
  void setConvergenceTolerance(double tolerance);
  [[nodiscard]] double getConvergenceTolerance() const { return tolerance_; }
  /// Relative residual that the cone solver stops at, and its most Newton steps.
  void setConeTolerance(double tolerance, int iterations);
  /// Share of a penetration removed per step through the velocities (Baumgarte) [-], 0 to 1. Unset:
  /// each contact's own. 0 leaves positions, those of joints too, to PositionCorrector.
  void setErp(std::optional<double> erp);
  /// Simulated time that constraints are asked for [s]; some move by themselves.
  void setTime(double time) { time_ = time; }

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
  using Problem = ConstraintProblem;
  enum class Way : std::uint8_t { kDirect, kSweep, kCone };
  [[nodiscard]] static Way wayFor(const Problem& problem);
  void checkInput(const std::vector<Constraint*>& constraints,
                  const std::vector<std::reference_wrapper<const InertialState>>& states,
                  const std::vector<double>& inverseMasses,
                  const std::vector<Eigen::Matrix3d>& inverseInertias, std::size_t numBodies,
                  double dt, const std::vector<SpatialVector>& velocityBias) const;
  [[nodiscard]] double rightHandSide(const Problem& problem, std::size_t constraint, int row) const;
  void solveDirectly(const Problem& problem, SolveResult& result) const;
  void sweep(const Problem& problem, SolveResult& result) const;
  void solveCones(const Problem& problem, SolveResult& result) const;

  int max_iterations_{10};
  double tolerance_{1e-4};
  double cone_tolerance_{1e-8};
  int cone_iterations_{1000};
  std::optional<double> erp_{};
  double time_{0.0};
};

}  // namespace msd_sim
