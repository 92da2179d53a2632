// Rows of a user's own constraint (WorldModel::addConstraint) as joint rows.
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

namespace {

InertialState stateAt(const Vector3D& x, const Quaternion& q) {
  InertialState s{};
  s.position = x;
  s.orientation = q;
  return s;
}

}  // namespace

double userValue(const JointDefinition& joint, const JointPlace& place) {
  return joint.constraint->evaluate(stateAt(place.xA, place.qA), stateAt(place.xB, place.qB),
                                    place.time)(joint.constraintRow);
}

JointRow userRow(const JointDefinition& joint, const JointPlace& place) {
  const InertialState a = stateAt(place.xA, place.qA), b = stateAt(place.xB, place.qB);
  if (!joint.constraint->isActive(a, b, place.time)) {
    return {Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero()};
  }
  const Eigen::RowVectorXd j =
      velocityJacobian(*joint.constraint, a, b, place.time).row(joint.constraintRow);
  return {j.segment<3>(0).transpose(), j.segment<3>(3).transpose(), j.segment<3>(6).transpose(),
          j.segment<3>(9).transpose()};
}

double userRate(const JointDefinition& joint, const JointPlace& place) {
  return joint.constraint->partialTimeDerivative(
      stateAt(place.xA, place.qA), stateAt(place.xB, place.qB), place.time)(joint.constraintRow);
}

}  // namespace msd_sim
