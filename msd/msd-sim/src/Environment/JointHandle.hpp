#pragma once

#include <utility>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

/// One joint of a world, to read and to drive:
///
///   JointHandle elbow = world.handle("elbow");
///   elbow.setTarget(0.5);
///   while (elbow.position() < 0.49) world.update(dt);
///
/// Values of the motor are on its side of the gear, those of the joint on the joint's. A handle is
/// two words; it does not keep the joint alive, and every call throws std::out_of_range once the
/// joint is gone. The world must outlive it and not move.
class JointHandle {
 public:
  JointHandle(WorldModel& world, JointId id) : world_{&world}, id_{id} {}

  [[nodiscard]] JointId id() const { return id_; }
  [[nodiscard]] const JointDescription& description() const { return world_->joint(id_); }
  [[nodiscard]] double position() const { return world_->jointCoordinate(id_); }  ///< [rad] or [m]
  [[nodiscard]] double velocity() const { return world_->jointVelocity(id_); }
  [[nodiscard]] JointReaction reaction() const { return world_->jointReaction(id_); }
  [[nodiscard]] double motorForce() const { return world_->motorForce(id_); }  ///< [N·m] or [N]
  [[nodiscard]] bool isBroken() const { return world_->isBroken(id_); }

  void setTarget(double target, double targetVelocity = 0.0) {
    world_->setMotorTarget(id_, target, targetVelocity);
  }
  /// Another motor, or none.
  void setMotor(const std::optional<JointMotor>& motor) {
    change([&](JointDescription& d) { d.motor = motor; });
  }
  /// kp and kd of a motor in position mode [N·m/rad], [N·m·s/rad] or [N/m], [N·s/m].
  void setGains(double stiffness, double damping) {
    changeMotor([&](JointMotor& m) {
      m.stiffness = stiffness;
      m.damping = damping;
    });
  }
  /// Gains from the frequency [Hz] and damping ratio of the coordinate.
  void setFrequency(double frequency, double dampingRatio = 1.0) {
    changeMotor([&](JointMotor& m) {
      m.stiffness = m.damping = JointMotor::kUnset;
      m.frequency = frequency;
      m.dampingRatio = dampingRatio;
    });
  }
  void setFeedForward(double force) {
    changeMotor([&](JointMotor& m) { m.feedForward = force; });
  }
  void setMaxForce(double force) {
    changeMotor([&](JointMotor& m) { m.maxForce = force; });
  }
  void setLimit(const std::optional<JointLimit>& limit) {
    change([&](JointDescription& d) { d.limit = limit; });
  }
  /// Spring of the free coordinate, or of a spring joint.
  void setSpring(double stiffness, double rest) {
    change([&](JointDescription& d) {
      d.stiffness = stiffness;
      (d.kind == JointKind::kSpring ? d.length : d.rest) = rest;
    });
  }
  void setDamping(double damping) {
    change([&](JointDescription& d) { d.damping = damping; });
  }
  void setFriction(double force) {
    change([&](JointDescription& d) { d.friction = force; });
  }
  void setArmature(double inertia) {
    change([&](JointDescription& d) { d.armature = inertia; });
  }
  /// Of a distance, rope or spring joint [m].
  void setLength(double length) {
    change([&](JointDescription& d) { d.length = length; });
  }
  void setBreaking(double force, double torque) {
    change([&](JointDescription& d) {
      d.breakingForce = force;
      d.breakingTorque = torque;
    });
  }

 private:
  template <class Edit>
  void change(const Edit& edit) {
    JointDescription d = description();
    edit(d);
    world_->change(id_, d);
  }
  template <class Edit>
  void changeMotor(const Edit& edit) {
    change([&](JointDescription& d) {
      if (!d.motor) d.motor.emplace(JointMotor{.mode = MotorMode::kPosition});
      edit(*d.motor);
    });
  }

  WorldModel* world_;
  JointId id_;
};

}  // namespace msd_sim
