#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "msd-sim/src/Physics/Constraints/Tolerances.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

Coordinate requireNormal(const Coordinate& normal) {
  requireFinite(normal, "normal", "-");
  if (std::fabs(normal.norm() - 1.0) > constraint_tolerances::kUnitLength) {
    throw std::invalid_argument(
        fmt::format("normal is ({}, {}, {}), of length {}; expected length 1", normal.x(),
                    normal.y(), normal.z(), normal.norm()));
  }
  return normal;
}

}  // namespace

ContactConstraint::ContactConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                                     const Coordinate& normal, const Coordinate& contactPointA,
                                     const Coordinate& contactPointB, double penetrationDepth,
                                     const Coordinate& comA, const Coordinate& comB,
                                     double restitution, double preImpactRelVelNormal, double erp)
    : Constraint{bodyAIndex, bodyBIndex, requireRange(erp, "erp", "-", 0.0, 1.0), 0.0},
      contact_normal_{requireNormal(normal)},
      lever_arm_a_{requireFinite(contactPointA - comA, "contactPointA", "m")},
      lever_arm_b_{requireFinite(contactPointB - comB, "contactPointB", "m")},
      penetration_depth_{requireRange(penetrationDepth, "penetrationDepth", "m", 0.0,
                                      std::numeric_limits<double>::max())},
      restitution_{requireRange(restitution, "restitution", "-", 0.0, 1.0)},
      pre_impact_rel_vel_normal_{
          requireFinite({preImpactRelVelNormal, 0.0, 0.0}, "preImpactRelVelNormal", "m/s").x()} {}

Eigen::VectorXd ContactConstraint::evaluate(const InertialState& stateA,
                                            const InertialState& stateB, double) const {
  const Coordinate between = (stateB.position + lever_arm_b_) - (stateA.position + lever_arm_a_);
  return Eigen::VectorXd::Constant(1, between.dot(contact_normal_));
}

Eigen::MatrixXd ContactConstraint::jacobian(const InertialState&, const InertialState&,
                                            double) const {
  Eigen::MatrixXd row(1, kTwoBodyColumns);
  row << -contact_normal_.transpose(), -lever_arm_a_.cross(contact_normal_).transpose(),
      contact_normal_.transpose(), lever_arm_b_.cross(contact_normal_).transpose();
  return row;
}

bool ContactConstraint::isActive(const InertialState& stateA, const InertialState& stateB,
                                 double time) const {
  const double scale = lever_arm_a_.norm() + lever_arm_b_.norm();
  return evaluate(stateA, stateB, time)(0) <= constraint_tolerances::kTouch * scale;
}

}  // namespace msd_sim
