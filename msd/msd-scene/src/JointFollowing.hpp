#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_scene {

/// Joints that follow others: the coordinate q_f of one is offset + ratio · q_l of another. A pair
/// of forces, 1 on the follower and -ratio on the leader, closes the error e of each over the next
/// steps, by the dynamics of all of them together:
///
///   e = q_f - offset - ratio · q_l = J q - offset
///   λ = (J H⁻¹ Jᵀ)⁻¹ ((ė_d - ė)/dt - J H⁻¹ (τ - h)),   ė_d = -e/(2 dt)
///
/// with the mass matrix H and the forces h of (J-30), and in τ what motors are about to do and what
/// contacts did in the last step. A follower that something holds up gives way like a spring of
/// half the mass it shows over dt². Computed torque with constraints: Featherstone 2008, section 3.
class JointFollowing {
 public:
  /// Hinges and sliders. Without a leader the coordinate is held at the offset.
  void add(const msd_sim::WorldModel& world, msd_sim::JointId follower,
           std::optional<msd_sim::JointId> leader, double ratio, double offset);
  /// A kinematic body: no force moves it.
  void addKinematic(msd_sim::BodyId body) { kinematic_.push_back(body); }
  [[nodiscard]] bool empty() const { return pairs_.empty(); }

  /// Gives the bodies the forces of the step of length dt that starts now. Once a joint of them is
  /// broken, nothing is followed.
  void push(msd_sim::WorldModel& world, double dt) const;

 private:
  struct Joint {
    msd_sim::JointId id;
    msd_sim::BodyId bodyA, bodyB;  ///< A may be the world
    bool isHinge;
    msd_sim::Vector3D axis;      ///< in A's frame
    msd_sim::Coordinate anchor;  ///< in B's frame [m]
  };
  struct Pair {
    std::size_t follower;  ///< place in joints_
    std::optional<std::size_t> leader;
    double ratio;
    double offset;
  };
  std::size_t placeOf(const msd_sim::WorldModel& world, msd_sim::JointId id);
  [[nodiscard]] Eigen::VectorXd loads(const msd_sim::WorldModel& world,
                                      const msd_sim::Mechanism& mechanism) const;
  void give(msd_sim::WorldModel& world, const Joint& joint, double force) const;

  std::vector<msd_sim::JointId> ids_;
  std::vector<Joint> joints_;
  std::vector<Pair> pairs_;
  std::vector<msd_sim::BodyId> kinematic_;
};

}  // namespace msd_scene
