#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace msd_sim {

/// A 3 × 3 block between two contacts; rows and columns: normal, tangent 1, tangent 2.
using ContactBlock = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// A contact's share of a body's velocity: rows as above, columns linear then angular velocity.
using ContactJacobian = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
using RowJacobian = Eigen::Matrix<double, 1, 6>;

/// Index of a body that does not move.
inline constexpr int kStaticBody = -1;

/// Largest size of a number in a problem.
inline constexpr double kLargestNumber = 1e50;

/// Square matrix of 3 × 3 blocks in compressed rows; columns ascend within a row.
struct BlockMatrix {
  std::vector<int> rowStart;  ///< one more than there are block rows
  std::vector<int> column;
  std::vector<ContactBlock> block;

  [[nodiscard]] int rows() const {
    return rowStart.empty() ? 0 : static_cast<int>(rowStart.size()) - 1;
  }
};

/// How a body answers an impulse: Δv = inverseMass·p, Δω = inverseInertia·L (world axes).
struct BodyInverseMass {
  double inverseMass{0.0};                                  ///< [1/kg], >= 0
  Eigen::Matrix3d inverseInertia{Eigen::Matrix3d::Zero()};  ///< [1/(kg·m²)], symmetric, >= 0
};

/// One contact point between body A and body B (either may be kStaticBody):
/// u = jacobianA·[v_A; ω_A] + jacobianB·[v_B; ω_B] is the velocity of B relative to A at the point.
struct FrictionContact {
  int bodyA{kStaticBody};
  int bodyB{kStaticBody};
  ContactJacobian jacobianA{ContactJacobian::Zero()};
  ContactJacobian jacobianB{ContactJacobian::Zero()};
};

/// One scalar row of a joint or a motor. Without bounds its velocity is zero, whatever multiplier
/// that takes; with bounds λ = clamp(λ - u, lower, upper): zero velocity, or as hard as it can.
struct BilateralRow {
  int bodyA{kStaticBody};
  int bodyB{kStaticBody};
  RowJacobian jacobianA{RowJacobian::Zero()};
  RowJacobian jacobianB{RowJacobian::Zero()};
  double lower{-std::numeric_limits<double>::infinity()};  ///< least multiplier [N·s]
  double upper{std::numeric_limits<double>::infinity()};   ///< largest [N·s], >= lower

  [[nodiscard]] bool isBounded() const {
    return lower > -std::numeric_limits<double>::infinity() ||
           upper < std::numeric_limits<double>::infinity();
  }
};

/// The discrete frictional contact problem of one step (E-1, E-2, E-3):
///
///   u = W r + q + D r,     K_µ ∋ r_c  ⊥  u_c + µ_c |u_T,c| e_N ∈ K_µ*      for every contact c
///   u_b = W_b r + q_b + D_b λ,  λ_b = clamp(λ_b - u_b, l_b, h_b)          for every bilateral row
///
/// r are impulses [N·s], u relative velocities [m/s] at the end of the step, q what u would be
/// without impulses (free velocity, restitution and gap targets included), K_µ the cone
/// |r_T| <= µ r_N. D >= 0 is an optional diagonal compliance.
///
/// W comes in one of two forms. *Assembled*: 3 × 3 blocks, as in files. *Factored*: W = H M⁻¹ Hᵀ
/// with bodies and Jacobians, as the engine has it; W is never formed then.
/// Docs: theory/exact-contact.md, section 1.
class FrictionProblem {
 public:
  enum class Form : std::uint8_t { kFactored, kAssembled };

  /// An empty problem in factored form.
  FrictionProblem() = default;

  /// A problem in assembled form; q has three entries a contact, µ one. Throws
  /// std::invalid_argument on sizes that do not match, a number beyond ±kLargestNumber or a
  /// negative µ.
  [[nodiscard]] static FrictionProblem assembled(BlockMatrix w, std::vector<double> q,
                                                 std::vector<double> mu);

  /// Back to an empty factored problem. Keeps the memory.
  void clear();

  /// Add to a factored problem; each returns the index of what was added and throws
  /// std::invalid_argument on a value out of range or a body that was not added before.
  int addBody(const BodyInverseMass& body);
  int addContact(const FrictionContact& rows, const Eigen::Vector3d& q, double mu,
                 double compliance = 0.0);
  int addBilateralRow(const BilateralRow& row, double q, double compliance = 0.0);

  [[nodiscard]] Form form() const { return form_; }
  [[nodiscard]] int contactCount() const { return static_cast<int>(mu_.size()); }
  [[nodiscard]] int bilateralCount() const { return static_cast<int>(bilateral_q_.size()); }
  [[nodiscard]] int bodyCount() const { return static_cast<int>(bodies_.size()); }

  [[nodiscard]] std::span<const double> q() const { return q_; }
  [[nodiscard]] std::span<const double> mu() const { return mu_; }
  [[nodiscard]] std::span<const double> compliance() const { return compliance_; }
  [[nodiscard]] std::span<const double> bilateralQ() const { return bilateral_q_; }
  [[nodiscard]] std::span<const double> bilateralCompliance() const {
    return bilateral_compliance_;
  }
  [[nodiscard]] const BlockMatrix& matrix() const { return matrix_; }
  [[nodiscard]] std::span<const BodyInverseMass> bodies() const { return bodies_; }
  [[nodiscard]] std::span<const FrictionContact> contacts() const { return contacts_; }
  [[nodiscard]] std::span<const BilateralRow> bilateralRows() const { return bilateral_; }

  /// u for impulses r (3 per contact) and multipliers λ (may be empty when there are no bilateral
  /// rows), straight from the definition. `velocity` has 3 entries a contact, `bilateralVelocity`
  /// one a bilateral row, `bodyChange` (as computeBodyVelocityChange leaves it) 6 a body.
  void computeVelocity(std::span<const double> impulse, std::span<const double> multiplier,
                       std::span<double> bodyChange, std::span<double> velocity,
                       std::span<double> bilateralVelocity) const;

  /// Velocity change M⁻¹Hᵀ r of every body (6 entries each: linear, angular). Factored form only.
  void computeBodyVelocityChange(std::span<const double> impulse,
                                 std::span<const double> multiplier,
                                 std::span<double> change) const;

  /// The same contact law in assembled form, for files and audits. Bilateral rows are eliminated
  /// (their multipliers become functions of r), so the result has contacts only. Throws
  /// std::logic_error where a row has bounds, which contacts cannot stand for: `settleBounds` first.
  [[nodiscard]] FrictionProblem toAssembled() const;

  /// The same problem with every bounded row as it stands in the solution λ: without bounds where λ
  /// is inside them, and as a constant push, part of q, where it is at one.
  [[nodiscard]] FrictionProblem settleBounds(std::span<const double> multiplier) const;

 private:
  Form form_{Form::kFactored};
  std::vector<double> q_;
  std::vector<double> mu_;
  std::vector<double> compliance_;
  std::vector<double> bilateral_q_;
  std::vector<double> bilateral_compliance_;
  BlockMatrix matrix_;
  std::vector<BodyInverseMass> bodies_;
  std::vector<FrictionContact> contacts_;
  std::vector<BilateralRow> bilateral_;
};

}  // namespace msd_sim
