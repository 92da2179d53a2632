#include "msd-sim/src/Physics/Constraints/PositionCorrector.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

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

/// How fast the points part now [m/s].
double openingSpeed(const Push& push,
                    const std::vector<std::reference_wrapper<InertialState>>& states) {
  const InertialState &a = states[push.a], &b = states[push.b];
  return push.jacobian.segment<3>(0).dot(a.velocity) +
         push.jacobian.segment<3>(3).dot(a.angularVelocity) +
         push.jacobian.segment<3>(6).dot(b.velocity) +
         push.jacobian.segment<3>(9).dot(b.angularVelocity);
}

void displace(const Eigen::Matrix<double, 6, 1>& d, InertialState& s) {
  s.position += d.head<3>();
  s.orientation = (cayleyRotation(d.tail<3>()) * s.orientation).normalized();
}

// Newton steps over the joints, and the share of the first miss that is as good as none.
constexpr int kNewtonSteps = 6;
constexpr double kClosed = 1e-12;
// Added to the diagonal of J M⁻¹ Jᵀ, relative to it: redundant rows get a pivot.
constexpr double kRedundant = 1e-9;

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
    const std::vector<Eigen::Matrix3d>& inverseInertias, double dt) const {
  std::vector<Push> pushes;
  for (const Constraint* c : constraints) {
    if (!c->lambdaBounds().isUnilateral()) continue;
    const auto* contact = dynamic_cast<const ContactConstraint*>(c);
    if (contact == nullptr) continue;
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
    const double depth =
        contact->getPenetrationDepth() - dt * std::max(openingSpeed(push, states), 0.0);
    if (depth <= config_.slop) continue;
    const double diagonal = push.jacobian.dot(push.response);
    if (!(diagonal > constraint_tolerances::kNoMotion)) continue;
    push.inverse = 1.0 / diagonal;
    push.target = std::min(config_.share * (depth - config_.slop), config_.largest);
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
    displace(d, states[i].get());
  }
  return largest;
}

double PositionCorrector::closeJoints(
    const std::vector<Target>& targets,
    const std::vector<std::reference_wrapper<InertialState>>& states,
    const std::vector<double>& inverseMasses,
    const std::vector<Eigen::Matrix3d>& inverseInertias, double time) const {
  const auto stateB = [&](const Constraint& c) -> const InertialState& {
    return states[c.bodyCount() == 2 ? c.bodyBIndex() : c.bodyAIndex()];
  };
  double first = 0.0, miss = 0.0;
  for (int step = 0; step <= kNewtonSteps; ++step) {
    // Rows that miss their targets: J, M⁻¹Jᵀ over all bodies, and by how much.
    std::vector<Eigen::VectorXd> rows, answers;
    std::vector<double> errors;
    const auto columns = static_cast<Eigen::Index>(6 * states.size());
    for (const Target& target : targets) {
      const Constraint& c = *target.constraint;
      const InertialState& a = states[c.bodyAIndex()];
      const InertialState& b = stateB(c);
      if (!c.isActive(a, b, time)) continue;
      const Eigen::VectorXd error = target.value - c.evaluate(a, b, time);
      const Eigen::MatrixXd j = velocityJacobian(c, a, b, time);
      for (int i = 0; i < c.dimension(); ++i) {
        if (c.lambdaBounds().isUnilateral() && error(i) <= 0.0) continue;
        Eigen::VectorXd row = Eigen::VectorXd::Zero(columns), answer = row;
        for (int side = 0; side < c.bodyCount(); ++side) {
          const std::size_t body = side == 0 ? c.bodyAIndex() : c.bodyBIndex();
          const auto at = static_cast<Eigen::Index>(6 * body);
          row.segment<6>(at) += j.block<1, 6>(i, 6 * side).transpose();
          answer.segment<3>(at) = inverseMasses[body] * row.segment<3>(at);
          answer.segment<3>(at + 3) = inverseInertias[body] * row.segment<3>(at + 3);
        }
        if (!(row.dot(answer) > constraint_tolerances::kNoMotion)) continue;
        rows.push_back(row);
        answers.push_back(answer);
        errors.push_back(error(i));
      }
    }
    const auto count = static_cast<Eigen::Index>(rows.size());
    miss = 0.0;
    for (const double e : errors) miss = std::max(miss, std::fabs(e));
    if (step == 0) first = miss;
    if (step == kNewtonSteps || miss <= kClosed * std::max(first, kClosed)) break;
    Eigen::MatrixXd matrix(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      for (Eigen::Index k = 0; k <= i; ++k) {
        matrix(i, k) = rows[static_cast<std::size_t>(i)].dot(answers[static_cast<std::size_t>(k)]);
      }
      matrix(i, i) *= 1.0 + kRedundant;
    }
    const Eigen::LLT<Eigen::MatrixXd> factor{matrix};
    if (factor.info() != Eigen::Success) break;
    const Eigen::VectorXd lambda =
        factor.solve(Eigen::Map<const Eigen::VectorXd>(errors.data(), count));
    Eigen::VectorXd shift = Eigen::VectorXd::Zero(columns);
    for (Eigen::Index i = 0; i < count; ++i) {
      shift += lambda(i) * answers[static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Eigen::Matrix<double, 6, 1> d = shift.segment<6>(static_cast<Eigen::Index>(6 * i));
      if (!d.isZero(0.0)) displace(d, states[i].get());
    }
  }
  return miss;
}

}  // namespace msd_sim
