#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"

#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

/// Two unit vectors across the normal: the first along the axis that leans least towards it.
std::array<Coordinate, 2> tangentsOf(const Coordinate& direction) {
  const Coordinate n = requireDirection(direction, "normal");
  int least = 0;
  for (int c = 1; c < 3; ++c) {
    if (std::fabs(n[c]) < std::fabs(n[least])) least = c;
  }
  const Coordinate t1 = n.cross(Coordinate::Unit(least)).normalized();
  return {t1, n.cross(t1)};
}

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

FrictionConstraint::FrictionConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                                       const Coordinate& normal, const Coordinate& contactPointA,
                                       const Coordinate& contactPointB, const Coordinate& comA,
                                       const Coordinate& comB, double frictionCoefficient)
    : Constraint{bodyAIndex, bodyBIndex, 0.0, 0.0},
      tangents_{tangentsOf(normal)},
      lever_arm_a_{requireFinite(contactPointA - comA, "contactPointA", "m")},
      lever_arm_b_{requireFinite(contactPointB - comB, "contactPointB", "m")},
      friction_coefficient_{
          requireRange(frictionCoefficient, "frictionCoefficient", "-", 0.0, kMost)} {}

Eigen::VectorXd FrictionConstraint::evaluate(const InertialState&, const InertialState&,
                                             double) const {
  return Eigen::VectorXd::Zero(2);
}

Eigen::MatrixXd FrictionConstraint::jacobian(const InertialState&, const InertialState&,
                                             double) const {
  Eigen::MatrixXd rows(2, kTwoBodyColumns);
  for (int k = 0; k < 2; ++k) {
    const Coordinate& t = tangents_[static_cast<std::size_t>(k)];
    rows.row(k) << -t.transpose(), -lever_arm_a_.cross(t).transpose(), t.transpose(),
        lever_arm_b_.cross(t).transpose();
  }
  return rows;
}

LambdaBounds FrictionConstraint::lambdaBounds() const {
  const double most = friction_coefficient_ * normal_lambda_;
  return LambdaBounds::boxConstrained(-most, most);
}

bool FrictionConstraint::isActive(const InertialState&, const InertialState&, double) const {
  return normal_lambda_ > 0.0;
}

void FrictionConstraint::setNormalLambda(double normalLambda) {
  normal_lambda_ = requireRange(normalLambda, "normalLambda", "N", 0.0, kMost);
}

}  // namespace msd_sim
