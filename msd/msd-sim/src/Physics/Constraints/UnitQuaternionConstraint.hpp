#pragma once

#include "msd-sim/src/Physics/Constraints/CopyableConstraint.hpp"

namespace msd_sim {

/// A body's quaternion has unit length: C = qᵀq − 1, J = [0 0 0, 2qᵀ].
class UnitQuaternionConstraint final : public CopyableConstraint {
 public:
  explicit UnitQuaternionConstraint(std::size_t bodyAIndex = 0, double alpha = 10.0,
                                    double beta = 10.0);

  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  [[nodiscard]] std::string typeName() const override { return "UnitQuaternionConstraint"; }
  [[nodiscard]] std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<UnitQuaternionConstraint>(*this);
  }
};

}  // namespace msd_sim
