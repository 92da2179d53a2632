// Rows of a user's own constraint (WorldModel::addConstraint) as joint rows.
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

namespace {

/// What a user's constraint is asked about.
struct States {
  InertialState a, b;
  explicit States(const JointPlace& p) : a{p.xA, p.qA, p.vA, p.wA}, b{p.xB, p.qB, p.vB, p.wB} {}
};

}  // namespace

double userValue(const JointDefinition& joint, const JointPlace& place) {
  const States s{place};
  return joint.constraint->evaluate(s.a, s.b, place.time)(joint.constraintRow);
}

JointRow userRow(const JointDefinition& joint, const JointPlace& place) {
  const States s{place};
  if (!joint.constraint->isActive(s.a, s.b, place.time)) {
    return {Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero()};
  }
  const Eigen::RowVectorXd j =
      velocityJacobian(*joint.constraint, s.a, s.b, place.time).row(joint.constraintRow);
  return {j.segment<3>(0).transpose(), j.segment<3>(3).transpose(), j.segment<3>(6).transpose(),
          j.segment<3>(9).transpose()};
}

double userRate(const JointDefinition& joint, const JointPlace& place) {
  const States s{place};
  return joint.constraint->partialTimeDerivative(s.a, s.b, place.time)(joint.constraintRow);
}

double userCorrection(const JointDefinition& joint, double h) {
  return joint.constraint == nullptr ? 1.0 : errorReduction(*joint.constraint, h);
}

}  // namespace msd_sim
