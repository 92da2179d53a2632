#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Joints/BlockFactor.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointMotion.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointRecord.hpp"

namespace msd_sim {

/// What motors at some coordinates of a mechanism feel (docs/theory/joints.md, section 8): with J_h
/// the rows that hold the mechanism together and J_c the gradients of the coordinates,
///
///   S = J_c (M⁻¹ - M⁻¹J_hᵀ (J_h M⁻¹J_hᵀ)⁻¹ J_h M⁻¹) J_cᵀ,   H = S⁻¹                       (J-32)
///
/// is the inverse mass that they see and the mass matrix: a force f on the coordinates makes them
/// accelerate by S f while all that is not listed follows freely. Rotors belong to it. Sums are
/// taken in a fixed order; nothing is allocated after build.
class MechanismInertia {
 public:
  /// `joints` hang together, `coordinates` are some of them that have a free coordinate.
  void build(std::span<const std::uint32_t> joints, std::span<const std::uint32_t> coordinates,
             std::span<const JointRecord> records,
             const std::function<bool(std::uint32_t)>& canBePushed);
  /// Matrices where the bodies stand, whether they sleep or not.
  void place(const SolverBodies& bodies, std::span<const JointRecord> records, double time);

  enum class Motion : std::uint8_t { kIgnored, kCounted };
  /// Accelerations of the coordinates without motors (J-28): by the loads (per body slot), the
  /// springs of joints and, where the motion counts, dampers and what turns.
  void findFreeAccelerations(const SolverBodies& bodies, std::span<const BodyLoad> loads,
                             std::span<const JointRecord> records, Motion motion);

  [[nodiscard]] std::size_t count() const { return coordinates_.size(); }
  [[nodiscard]] double massMatrix(std::size_t row, std::size_t column) const {
    return mass_[row * count() + column];
  }
  /// Inertia along one coordinate while the other listed ones are held: H_ii.
  [[nodiscard]] double inertia(std::size_t i) const { return massMatrix(i, i); }
  [[nodiscard]] double freeAcceleration(std::size_t i) const { return free_[i]; }
  /// Force that keeps all listed coordinates from accelerating: -H a.
  [[nodiscard]] double holdingForce(std::size_t i) const;
  /// Velocity of a body's centre and its angular velocity for unit speed of coordinate i, all other
  /// listed ones being held; zero for bodies outside the mechanism.
  [[nodiscard]] std::array<double, 6> bodyMotion(std::uint32_t slot, std::size_t i) const;
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slots_; }

 private:
  using Side = std::array<double, 6>;  ///< linear, angular
  struct Row {
    Side a, b;               ///< Jacobian
    Side answerA, answerB;   ///< M⁻¹Jᵀ
    double softness{0.0};
    double curvature{0.0};   ///< J̇v
  };
  struct Link {
    std::uint32_t joint;
    std::uint32_t bodyA, bodyB;  ///< numbers in slots_; kNone where it cannot be pushed
    std::uint32_t row, rowCount;
  };
  struct Body {
    double inverseMass;
    double inverseInertia[6];  ///< world axes
    Side acceleration;         ///< by the loads
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  [[nodiscard]] std::uint32_t numberOf(std::uint32_t slot) const;
  void placeRow(const Link& link, const JointRow& jacobian, Row& row) const;
  void placeBodies(const SolverBodies& bodies);
  void assemble();
  void coupleCoordinates();
  void invert();
  void applyJointForces(const SolverBodies& bodies, std::span<const JointRecord> records,
                        Motion motion);

  std::vector<std::uint32_t> slots_;  ///< bodies that can be pushed, ascending
  std::vector<Body> bodies_;
  std::vector<Link> links_;        ///< in the order of elimination
  std::vector<Link> coordinates_;  ///< one row each
  std::vector<std::uint32_t> soft_;  ///< joints with springs or dampers
  std::vector<Row> rows_;
  std::vector<Row> along_;  ///< per coordinate
  std::vector<BlockFactor::Edge> edges_;
  std::vector<std::uint32_t> touching_, touch_start_;  ///< links of each body
  BlockFactor factor_;
  std::vector<double> columns_;  ///< L⁻¹ J_h M⁻¹J_cᵀ, one after the other
  std::vector<double> right_;    ///< work space
  std::vector<double> inverse_;  ///< S
  std::vector<double> mass_;     ///< H
  std::vector<double> factor_work_;
  std::vector<double> free_;
};

}  // namespace msd_sim
