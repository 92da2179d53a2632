#include "msd-scene/src/TargetTracking.hpp"

#include <algorithm>
#include <utility>

#include "msd-scene/src/OverTime.hpp"
#include "msd-sim/src/Environment/JointHandle.hpp"
#include "msd-sim/src/Environment/Mechanism.hpp"

namespace msd_scene {

void TargetTracking::add(msd_sim::JointId joint, const SceneJoint& description) {
  const SceneMotor& motor = *description.motor;
  std::vector<TimedNumber> targets = motor.targets;
  if (targets.empty()) targets.push_back({0.0, motor.target});
  joints_.push_back(joint);
  motors_.push_back({std::move(targets), motor.gear, description.damping, motor.feedForward});
}

void TargetTracking::feedForward(msd_sim::WorldModel& world, double dt) const {
  if (std::ranges::any_of(joints_, [&](msd_sim::JointId id) { return world.isBroken(id); })) return;
  const double middle = world.time() + 0.5 * dt;
  const auto size = static_cast<Eigen::Index>(motors_.size());
  Eigen::VectorXd acceleration{size};
  Eigen::VectorXd rate{size};
  for (Eigen::Index k = 0; k < size; ++k) {
    const Motor& motor = motors_[static_cast<std::size_t>(k)];
    const double before = valueAt(motor.targets, middle - dt).value;
    const double now = valueAt(motor.targets, middle).value;
    const double after = valueAt(motor.targets, middle + dt).value;
    acceleration[k] = (after - 2.0 * now + before) / (dt * dt * motor.gear);
    rate[k] = (after - before) / (2.0 * dt * motor.gear);
  }
  const msd_sim::Mechanism mechanism = world.mechanism(joints_);
  const Eigen::VectorXd force = mechanism.inverseDynamics(acceleration);
  for (Eigen::Index k = 0; k < size; ++k) {
    const Motor& motor = motors_[static_cast<std::size_t>(k)];
    const double lag = motor.damping * (rate[k] - mechanism.velocity()[k]);
    world.handle(joints_[static_cast<std::size_t>(k)])
        .setFeedForward(motor.usual + (force[k] + lag) / motor.gear);
  }
}

}  // namespace msd_scene
