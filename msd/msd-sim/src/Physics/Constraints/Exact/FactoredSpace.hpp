#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/ContactRowData.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/SparseBlockLu.hpp"

namespace msd_sim {

/// The linear algebra of a factored problem. With M⁻¹ = L Lᵀ per body and H̃ = H L the problem reads
///
///   u = H̃ y + q,   y = H̃ᵀ r,
///
/// where y are body velocity changes scaled by the square root of the mass: |y|²/2 is a kinetic
/// energy, and mass ratios leave the identity below untouched. Newton's method solves in y:
///
///   (I + H̃ᵀ C H̃) dy = H̃ᵀ r - y,
///
/// a sparse system of 6 × 6 blocks with one block row a body, however many contacts there are.
class FactoredSpace {
 public:
  void setup(const FrictionProblem& problem);
  /// Threads that share the factorisations from now on, or none.
  void setTeam(WorkTeam* team) { team_ = team; }

  [[nodiscard]] int contactCount() const { return static_cast<int>(contacts_.size()); }
  [[nodiscard]] int bilateralCount() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] const ContactBlock& diagonal(int contact) const { return diagonal_[contact]; }
  [[nodiscard]] double bilateralDiagonal(int row) const { return row_diagonal_[row]; }

  // Gauss–Seidel.
  void setImpulses(std::span<const double> r);
  [[nodiscard]] Eigen::Vector3d velocity(int contact) const {
    const Contact& c = contacts_[contact];
    return c.a * bodyPart(y_, c.bodyA) + c.b * bodyPart(y_, c.bodyB) + c.q;
  }
  void addImpulse(int contact, const Eigen::Vector3d& change) {
    const Contact& c = contacts_[contact];
    bodyPart(y_, c.bodyA).noalias() += c.a.transpose() * change;
    bodyPart(y_, c.bodyB).noalias() += c.b.transpose() * change;
  }
  [[nodiscard]] double bilateralVelocity(int row) const {
    const Row& r = rows_[row];
    return r.a.dot(bodyPart(y_, r.bodyA)) + r.b.dot(bodyPart(y_, r.bodyB)) + r.q;
  }
  void addMultiplier(int row, double change) {
    const Row& r = rows_[row];
    bodyPart(y_, r.bodyA) += change * r.a.transpose();
    bodyPart(y_, r.bodyB) += change * r.b.transpose();
  }

  /// u = H̃H̃ᵀ r + q, contacts then bilateral rows.
  void computeVelocities(std::span<const double> r, std::span<double> u);

  // Newton's method.
  void beginNewton(std::span<const double> r);
  [[nodiscard]] std::span<const double> baseVelocity() const { return base_velocity_; }
  [[nodiscard]] std::span<const double> stepVelocity() const { return step_velocity_; }

  /// |y + t·dy - H̃ᵀ r|.
  [[nodiscard]] double mismatch(double t, std::span<const double> r);

  /// `stiffness` holds two numbers a contact (normal, tangent), then one a bilateral row.
  bool computeStep(std::span<const ContactBlock> response, const RowStiffness& stiffness,
                   std::span<const double> r, bool reuse);
  void acceptStep(double t);

  [[nodiscard]] const SparseBlockLu& factors() const { return lu_; }

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

  /// Static bodies share one extra slot behind the real ones; their Jacobians are zero.
  struct Contact {
    int bodyA{0};
    int bodyB{0};
    ContactJacobian a;  ///< H_A L_A
    ContactJacobian b;
    Eigen::Vector3d q;
  };
  struct Row {
    int bodyA{0};
    int bodyB{0};
    RowJacobian a;
    RowJacobian b;
    double q{0.0};
  };
  /// The four blocks of the body matrix a contact or row adds to.
  struct Places {
    int aa{0};
    int ab{0};
    int ba{0};
    int bb{0};
  };

  /// L of M⁻¹ = L Lᵀ.
  struct BodyRoot {
    double linear{0.0};
    Eigen::Matrix3d angular{Eigen::Matrix3d::Zero()};
  };

  [[nodiscard]] static Eigen::Map<Vector6> bodyPart(std::vector<double>& y, int body) {
    return Eigen::Map<Vector6>(y.data() + 6 * static_cast<std::ptrdiff_t>(body));
  }
  [[nodiscard]] static Eigen::Map<const Vector6> bodyPart(const std::vector<double>& y, int body) {
    return Eigen::Map<const Vector6>(y.data() + 6 * static_cast<std::ptrdiff_t>(body));
  }

  void buildPattern();
  void gather(std::span<const double> r, std::vector<double>& y) const;
  void spread(const std::vector<double>& y, std::span<double> u, bool addFree) const;
  void assembleMatrix(std::span<const ContactBlock> response, std::span<const double> rowInverse);

  int bodies_{0};
  std::vector<BodyRoot> roots_;
  std::vector<Contact> contacts_;
  std::vector<Row> rows_;
  std::vector<ContactBlock> diagonal_;
  std::vector<double> row_diagonal_;

  std::vector<int> row_start_;
  std::vector<int> column_;
  std::vector<Places> contact_places_;
  std::vector<Places> row_places_;
  std::vector<std::pair<int, int>> edges_;

  std::vector<double> y_;
  std::vector<double> point_;
  std::vector<double> step_;
  std::vector<double> target_;
  std::vector<double> base_velocity_;
  std::vector<double> step_velocity_;
  std::vector<double> blocks_;
  SparseBlockLu lu_;
  WorkTeam* team_{nullptr};
};

}  // namespace msd_sim
