#include "msd-sim/src/Physics/Constraints/PositionCorrector.hpp"

#include <algorithm>

#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/Tolerances.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

using Row = Eigen::Matrix<double, 1, Constraint::kTwoBodyColumns>;

struct Push {
  std::size_t a, b;
  Row jacobian, response;
  double inverse;  ///< 1/(J M⁻¹ Jᵀ) [kg]
  double target;   ///< displacement along the normal [m]
  double lambda{0.0};
};

}  // namespace

PositionCorrector::PositionCorrector() : PositionCorrector{Config{}} {}

PositionCorrector::PositionCorrector(const Config& config) : config_{config} {
  requireRange(config.share, "share", "-", 0.0, 1.0);
  requireRange(config.slop, "slop", "m", 0.0, 1e6);
  requireRange(config.iterations, "iterations", "-", 1, 1e6);
}

double PositionCorrector::correctPositions(
    const std::vector<Constraint*>& constraints,
    const std::vector<std::reference_wrapper<InertialState>>& states,
    const std::vector<double>& inverseMasses,
    const std::vector<Eigen::Matrix3d>& inverseInertias) const {
  std::vector<Push> pushes;
  for (const Constraint* c : constraints) {
    if (!c->lambdaBounds().isUnilateral()) continue;
    const auto* contact = dynamic_cast<const ContactConstraint*>(c);
    if (contact == nullptr || contact->getPenetrationDepth() <= config_.slop) continue;
    Push push{};
    push.a = c->bodyAIndex();
    push.b = c->bodyBIndex();
    push.jacobian = c->jacobian(states[push.a].get(), states[push.b].get(), 0.0);
    for (int side = 0; side < 2; ++side) {
      const std::size_t body = side == 0 ? push.a : push.b;
      push.response.segment<3>(6 * side) = inverseMasses[body] * push.jacobian.segment<3>(6 * side);
      push.response.segment<3>(6 * side + 3) =
          push.jacobian.segment<3>(6 * side + 3) * inverseInertias[body].transpose();
    }
    const double diagonal = push.jacobian.dot(push.response);
    if (!(diagonal > constraint_tolerances::kNoMotion)) continue;
    push.inverse = 1.0 / diagonal;
    push.target = config_.share * (contact->getPenetrationDepth() - config_.slop);
    pushes.push_back(push);
  }
  // Displacements of all bodies as pseudo-velocities over one second.
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(6, static_cast<Eigen::Index>(states.size()));
  for (int sweep = 0; sweep < config_.iterations; ++sweep) {
    for (Push& p : pushes) {
      auto a = shift.col(static_cast<Eigen::Index>(p.a));
      auto b = shift.col(static_cast<Eigen::Index>(p.b));
      const double moved = p.jacobian.head<6>().dot(a) + p.jacobian.tail<6>().dot(b);
      const double next = std::max(0.0, p.lambda + (p.target - moved) * p.inverse);
      const double change = next - p.lambda;
      p.lambda = next;
      a += change * p.response.head<6>().transpose();
      b += change * p.response.tail<6>().transpose();
    }
  }
  double largest = 0.0;
  for (const Push& p : pushes) {
    largest =
        std::max(largest, p.jacobian.head<6>().dot(shift.col(static_cast<Eigen::Index>(p.a))) +
                              p.jacobian.tail<6>().dot(shift.col(static_cast<Eigen::Index>(p.b))));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto d = shift.col(static_cast<Eigen::Index>(i));
    if (d.isZero(0.0)) continue;
    InertialState& s = states[i].get();
    s.position += d.head<3>();
    s.orientation = (cayleyRotation(d.tail<3>()) * s.orientation).normalized();
  }
  return largest;
}

}  // namespace msd_sim
