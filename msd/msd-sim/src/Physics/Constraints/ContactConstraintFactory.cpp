#include "msd-sim/src/Physics/Constraints/ContactConstraintFactory.hpp"

#include <cmath>

#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim::ContactConstraintFactory {

std::vector<std::unique_ptr<ContactConstraint>> createFromCollision(
    std::size_t bodyAIndex, std::size_t bodyBIndex, const CollisionResult& result,
    const InertialState& stateA, const InertialState& stateB, const Coordinate& comA,
    const Coordinate& comB, double restitution, double restVelocityThreshold) {
  std::vector<std::unique_ptr<ContactConstraint>> constraints;
  constraints.reserve(result.contactCount);
  for (std::size_t i = 0; i < result.contactCount; ++i) {
    const ContactPoint& point = result.contacts[i];
    const double velocity = computeRelativeNormalVelocity(stateA, stateB, point.pointA - comA,
                                                          point.pointB - comB, result.normal);
    const double effective = std::fabs(velocity) < restVelocityThreshold ? 0.0 : restitution;
    constraints.push_back(std::make_unique<ContactConstraint>(
        bodyAIndex, bodyBIndex, result.normal, point.pointA, point.pointB, point.depth, comA, comB,
        effective, velocity));
  }
  return constraints;
}

double combineRestitution(double eA, double eB) {
  return pairRestitution(requireRange(eA, "restitution of A", "-", 0.0, 1.0),
                         requireRange(eB, "restitution of B", "-", 0.0, 1.0));
}

double computeRelativeNormalVelocity(const InertialState& stateA, const InertialState& stateB,
                                     const Coordinate& leverArmA, const Coordinate& leverArmB,
                                     const Coordinate& normal) {
  const CoordinateRate a = stateA.velocity + stateA.angularVelocity.cross(leverArmA);
  const CoordinateRate b = stateB.velocity + stateB.angularVelocity.cross(leverArmB);
  return normal.dot(b - a);
}

}  // namespace msd_sim::ContactConstraintFactory
