#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/ContactRowData.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/SparseBlockLu.hpp"

namespace msd_sim {

/// The linear algebra of an assembled problem, as Gauss–Seidel and Newton's method need it. The
/// unknown of Newton's method is an impulse vector x with velocity u = W x + q.
/// FactoredSpace has the same functions; the methods are templates over the two.
class AssembledSpace {
 public:
  /// Takes over a problem's matrix. Keeps the analysis of the factorisation while the pattern of
  /// blocks stays the same.
  void setup(const FrictionProblem& problem);
  /// Threads that share the factorisations from now on, or none.
  void setTeam(WorkTeam* team) { team_ = team; }

  [[nodiscard]] int contactCount() const { return contacts_; }
  [[nodiscard]] int bilateralCount() const { return 0; }

  /// W_cc without compliance.
  [[nodiscard]] const ContactBlock& diagonal(int contact) const {
    return values_[diagonal_[contact]];
  }
  [[nodiscard]] double bilateralDiagonal(int) const { return 0.0; }

  // Gauss–Seidel: impulses change one contact at a time.
  void setImpulses(std::span<const double> r);
  [[nodiscard]] Eigen::Vector3d velocity(int contact) const;
  void addImpulse(int contact, const Eigen::Vector3d& change);
  [[nodiscard]] double bilateralVelocity(int) const { return 0.0; }
  void addMultiplier(int, double) {}

  /// u = W r + q for every contact.
  void computeVelocities(std::span<const double> r, std::span<double> u);

  // Newton's method: the current point, and a step from it.
  void beginNewton(std::span<const double> r);
  [[nodiscard]] std::span<const double> baseVelocity() const { return base_velocity_; }
  [[nodiscard]] std::span<const double> stepVelocity() const { return step_velocity_; }

  /// ‖x + t·dx - r‖ in the norm of W (the kinetic energy of the difference).
  [[nodiscard]] double mismatch(double t, std::span<const double> r);

  /// dx = (I + C W)⁻¹ (r - x), with C = ∂r/∂ζ per contact and `stiffness` the scale of its rows.
  /// With `reuse` the factorisation of the previous call serves again.
  bool computeStep(std::span<const ContactBlock> response, const RowStiffness& stiffness,
                   std::span<const double> r, bool reuse);
  void acceptStep(double t);

  [[nodiscard]] const SparseBlockLu& factors() const { return lu_; }

 private:
  void multiply(std::span<const double> x, std::span<double> product) const;

  int contacts_{0};
  std::vector<int> row_start_;
  std::vector<int> column_;
  std::vector<ContactBlock> values_;
  std::vector<int> diagonal_;
  std::vector<double> q_;
  std::vector<double> impulse_;
  std::vector<double> point_;
  std::vector<double> step_;
  std::vector<double> base_velocity_;
  std::vector<double> step_velocity_;
  std::vector<double> product_;
  std::vector<double> blocks_;
  SparseBlockLu lu_;
  WorkTeam* team_{nullptr};
};

}  // namespace msd_sim
