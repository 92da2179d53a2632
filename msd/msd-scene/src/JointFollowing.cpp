#include "msd-scene/src/JointFollowing.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numbers>

#include "msd-sim/src/Environment/Mechanism.hpp"

namespace msd_scene {

namespace {

using msd_sim::BodyId;
using msd_sim::JointId;
using msd_sim::Mechanism;
using msd_sim::Vector3D;
using msd_sim::WorldModel;

/// Share of an error that a step closes.
constexpr double kClosing = 0.5;
/// Share of the last step's contact forces that is answered at once. Not all of it: two fingers
/// that something rigid keeps apart would push harder in every step.
constexpr double kContactShare = 0.9;
/// An error is closed no faster than this, so that a start far away is no blow.
constexpr double kFastestTurn = 30.0;  ///< [rad/s]
constexpr double kFastestSlide = 3.0;  ///< [m/s]

/// Force of a motor with gains on coordinate i, as it stands [N·m] or [N]. One that reaches its
/// speed whatever it takes has none that is known beforehand.
double pushOf(const msd_sim::JointMotor& motor, const Mechanism& mechanism, Eigen::Index i) {
  using msd_sim::MotorMode;
  const double position = motor.gear * mechanism.position()[i];
  const double velocity = motor.gear * mechanism.velocity()[i];
  double push = motor.feedForward;
  if (motor.mode == MotorMode::kForce) {
    push = motor.target;
  } else if (motor.mode == MotorMode::kVelocity) {
    push = motor.isSoft() ? push + motor.damping * (motor.target - velocity) : 0.0;
  } else if (motor.isTuned()) {
    const double omega = 2.0 * std::numbers::pi * motor.frequency;
    const double felt = mechanism.massMatrix()(i, i) / (motor.gear * motor.gear);
    push += felt * omega *
            (omega * (motor.target - position) +
             2.0 * motor.dampingRatio * (motor.targetVelocity - velocity));
    if (motor.carriesLoad.value_or(true)) push += mechanism.bias()[i] / motor.gear;
  } else {
    push += motor.stiffness * (motor.target - position) +
            (motor.damping >= 0.0 ? motor.damping : 0.0) * (motor.targetVelocity - velocity);
    if (motor.carriesLoad.value_or(false)) push += mechanism.bias()[i] / motor.gear;
  }
  return motor.gear * std::clamp(push, -motor.maxForce, motor.maxForce);
}

msd_sim::Pose poseOf(const WorldModel& world, BodyId body) {
  return world.contains(body) ? world.asset(body).pose() : msd_sim::Pose{};
}

}  // namespace

std::size_t JointFollowing::placeOf(const WorldModel& world, JointId id) {
  const auto known = std::ranges::find(ids_, id);
  if (known != ids_.end()) return static_cast<std::size_t>(known - ids_.begin());
  const msd_sim::JointDescription& joint = world.joint(id);
  ids_.push_back(id);
  joints_.push_back({.id = id,
                     .bodyA = joint.bodyA,
                     .bodyB = joint.bodyB,
                     .isHinge = joint.kind == msd_sim::JointKind::kHinge,
                     .axis = poseOf(world, joint.bodyA).orientation.conjugate() * joint.axis,
                     .anchor = poseOf(world, joint.bodyB).toLocal(joint.anchor)});
  return joints_.size() - 1;
}

void JointFollowing::add(const WorldModel& world, JointId follower, std::optional<JointId> leader,
                         double ratio, double offset) {
  Pair pair{.follower = placeOf(world, follower), .ratio = ratio, .offset = offset};
  if (leader) pair.leader = placeOf(world, *leader);
  pairs_.push_back(pair);
}

/// What motors are about to do to the coordinates, and what contacts did in the last step.
Eigen::VectorXd JointFollowing::loads(const WorldModel& world, const Mechanism& mechanism) const {
  Eigen::VectorXd force{static_cast<Eigen::Index>(joints_.size())};
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto& motor = world.joint(joints_[k].id).motor;
    const auto i = static_cast<Eigen::Index>(k);
    force[i] = motor ? pushOf(*motor, mechanism, i) : 0.0;
  }
  for (const msd_sim::ContactRecord& contact : world.contacts()) {
    const Vector3D onB = kContactShare * contact.forceOnB;
    force += mechanism.jacobian(contact.bodyB, contact.point).topRows<3>().transpose() * onB;
    force -= mechanism.jacobian(contact.bodyA, contact.point).topRows<3>().transpose() * onB;
  }
  return force;
}

void JointFollowing::give(WorldModel& world, const Joint& joint, double force) const {
  const Vector3D along = poseOf(world, joint.bodyA).orientation * joint.axis * force;
  const msd_sim::Coordinate point = poseOf(world, joint.bodyB).toWorld(joint.anchor);
  for (const BodyId body : {joint.bodyB, joint.bodyA}) {
    if (!world.contains(body) || world.isEnvironment(body)) continue;
    if (std::ranges::find(kinematic_, body) != kinematic_.end()) continue;
    const Vector3D own = body == joint.bodyB ? along : Vector3D{-along};
    if (joint.isHinge) {
      world.applyTorque(body, own);
    } else {
      world.applyForceAt(body, own, point);
    }
  }
}

void JointFollowing::push(WorldModel& world, double dt) const {
  if (std::ranges::any_of(ids_, [&](JointId id) { return world.isBroken(id); })) return;
  const Mechanism mechanism = world.mechanism(ids_);
  const auto size = static_cast<Eigen::Index>(joints_.size());
  const auto count = static_cast<Eigen::Index>(pairs_.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(count, size);
  Eigen::VectorXd wanted{count};
  for (Eigen::Index k = 0; k < count; ++k) {
    const Pair& pair = pairs_[static_cast<std::size_t>(k)];
    rows(k, static_cast<Eigen::Index>(pair.follower)) = 1.0;
    if (pair.leader) rows(k, static_cast<Eigen::Index>(*pair.leader)) -= pair.ratio;
    const double error = rows.row(k).dot(mechanism.position()) - pair.offset;
    const double most = joints_[pair.follower].isHinge ? kFastestTurn : kFastestSlide;
    const double speed = std::clamp(-kClosing * error / dt, -most, most);
    wanted[k] = (speed - rows.row(k).dot(mechanism.velocity())) / dt;
  }
  const Eigen::LDLT<Eigen::MatrixXd> mass{mechanism.massMatrix()};
  const Eigen::MatrixXd answer = rows * mass.solve(rows.transpose());
  const Eigen::VectorXd free = rows * mass.solve(loads(world, mechanism) - mechanism.bias());
  const Eigen::VectorXd force = rows.transpose() * answer.ldlt().solve(wanted - free);
  for (Eigen::Index k = 0; k < size; ++k)
    give(world, joints_[static_cast<std::size_t>(k)], force[k]);
}

}  // namespace msd_scene
