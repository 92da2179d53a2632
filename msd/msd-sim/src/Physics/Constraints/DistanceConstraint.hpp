#pragma once

#include "msd-sim/src/Physics/Constraints/CopyableConstraint.hpp"

namespace msd_sim {

/// A body's centre of mass keeps its distance d from a point p of the world:
/// C = |x − p|² − d², J = [2(x − p)ᵀ, 0 0 0 0].
class DistanceConstraint final : public CopyableConstraint {
 public:
  /// `targetDistance` > 0 [m].
  explicit DistanceConstraint(double targetDistance, std::size_t bodyAIndex = 0,
                              double alpha = 10.0, double beta = 10.0,
                              const Coordinate& point = Coordinate::Zero());

  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                         double time) const override;
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  [[nodiscard]] std::string typeName() const override { return "DistanceConstraint"; }
  [[nodiscard]] std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<DistanceConstraint>(*this);
  }

  [[nodiscard]] double getTargetDistance() const { return target_distance_; }

 private:
  double target_distance_;
  Coordinate point_;
};

}  // namespace msd_sim
