#pragma once

#include <Eigen/Core>
#include <vector>

#include "msd-scene/src/SceneDocument.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_scene {

/// Motors that know where their targets are going. Over every step they push, besides what their
/// gains ask for, with what the targets' motion and all loads take, by inverse dynamics of all of
/// them together:
///
///   τ = H(q) q̈_d + h(q, q̇) + c (q̇_d − q̇)
///
/// with the mass matrix H, the forces h of gravity, motion, springs and dampers (J-30), and the
/// joints' own damping c, which the last term puts at the speed the joint should have.
/// Computed-torque control: Luh, Walker and Paul 1980.
class TargetTracking {
 public:
  /// A motor in position mode, without carriesLoad: its load is in h.
  void add(msd_sim::JointId joint, const SceneJoint& description);
  [[nodiscard]] bool empty() const { return motors_.empty(); }

  /// Sets the feed-forward forces of the step of length dt that starts now. Once a joint of them is
  /// broken, they stay as they were.
  void feedForward(msd_sim::WorldModel& world, double dt) const;

 private:
  struct Motor {
    std::vector<TimedNumber> targets;  ///< on the motor's side of its gear
    double gear;
    double damping;  ///< of the joint
    double usual;    ///< the motor's own feed-forward [N·m], [N]
  };
  std::vector<msd_sim::JointId> joints_;
  std::vector<Motor> motors_;
};

}  // namespace msd_scene
