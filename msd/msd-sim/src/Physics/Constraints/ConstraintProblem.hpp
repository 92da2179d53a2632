#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// Rows of a list of constraints, and where they come from: what the ways of ConstraintSolver work on.
struct ConstraintProblem {
  using States = std::vector<std::reference_wrapper<const InertialState>>;
  static constexpr Eigen::Index kNoRow = -1;

  const std::vector<Constraint*>& constraints;
  const States& states;
  const std::vector<double>& inverseMasses;
  const std::vector<Eigen::Matrix3d>& inverseInertias;
  double dt;    ///< [s]
  double time;  ///< [s]

  std::vector<Eigen::Index> firstRow;   ///< per constraint
  std::vector<Eigen::Index> normalRow;  ///< per constraint: of the contact that bounds its friction
  std::vector<double> friction;         ///< per constraint
  std::vector<std::uint8_t> active;     ///< per constraint
  Eigen::MatrixXd jacobian;             ///< rows x 12
  Eigen::MatrixXd response;             ///< M⁻¹Jᵀ, rows x 12
  Eigen::VectorXd velocity;             ///< J v⁻
  Eigen::VectorXd bias;                 ///< J v_bias
  Eigen::VectorXd compliance;           ///< γ
  Eigen::VectorXd right;                ///< b

  [[nodiscard]] const InertialState& stateA(const Constraint& c) const {
    return states[c.bodyAIndex()];
  }
  [[nodiscard]] const InertialState& stateB(const Constraint& c) const {
    return c.bodyCount() == 2 ? states[c.bodyBIndex()] : states[c.bodyAIndex()];
  }
  [[nodiscard]] Eigen::Index rows() const { return jacobian.rows(); }
  /// Body on one side of a constraint, 0 or 1.
  [[nodiscard]] static std::size_t bodyOf(const Constraint& c, int side) {
    return side == 0 ? c.bodyAIndex() : c.bodyBIndex();
  }

  void countRows();
  void fillRows(const std::vector<SpatialVector>& velocityBias);
  /// A = J M⁻¹ Jᵀ + γ, dense.
  [[nodiscard]] Eigen::MatrixXd matrix() const;
};

}  // namespace msd_sim
