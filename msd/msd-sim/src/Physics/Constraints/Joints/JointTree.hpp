#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointPhase.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/Kernels.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/PhaseMean.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// What trees need while they are solved, one after the other.
struct TreeScratch {
  struct Kept {
    double velocity[6];
    Vector3D impulse;
  };
  std::vector<std::int32_t> slots;  ///< bodies of a tree, in whole blocks
  AlignedVector<BodyPose> drifted;  ///< where these would be after the drift
  std::vector<Kept> start, best;    ///< of a phase: what it began with, and its best so far
};

/// A component of ball joints that form a tree: chains and ragdolls (docs/theory/joints.md, section
/// 11). Impulses of its joints are those on the body farther from the root.
class JointTree {
 public:
  /// The joint that holds a body to its parent; of the first body, to something that cannot be
  /// pushed.
  struct Joint {
    std::uint32_t link{0};                    ///< in the component
    double sign{1.0};                         ///< 1 where the body is the link's body B, else -1
    Vector3D anchor, parentAnchor;            ///< body axes [m]
    double size{1.0};                         ///< of the smaller body [m]
    Vector3D impulse{Vector3D::Zero()};       ///< [N·s]
    Vector3D torque{Vector3D::Zero()};        ///< that the body's velocity holds of it [N·m·s]
    Vector3D parentTorque{Vector3D::Zero()};  ///< likewise of the parent's
    Vector3D keep{Vector3D::Zero()};          ///< error that phase 1 leaves for later [m]
    Vector3D closing{Vector3D::Zero()};       ///< velocity that removes the rest of it (J-42) [m/s]
    Vector3D wanted{Vector3D::Zero()};  ///< velocity of the joint in the running phase (J-41) [m/s]
    Vector3D sum{Vector3D::Zero()};     ///< impulse over the step
    Vector3D torqueSum{Vector3D::Zero()}, parentTorqueSum{Vector3D::Zero()};
  };
  struct Body {
    std::uint32_t slot{0};
    std::int32_t parent{-1};      ///< place in the list, before its own
    std::uint32_t parentSlot{0};  ///< also of what cannot be pushed
    bool jointed{false};          ///< false: the first body, where nothing holds it
    Joint joint{};
  };

  /// Joints of a component, each between two of its bodies. Leaves the tree empty where they form
  /// none.
  struct Edge {
    std::uint32_t slotA, slotB;
    bool pushableA, pushableB;
  };
  void build(std::span<const Edge> edges);
  void clear() { bodies_.clear(); }
  [[nodiscard]] bool isEmpty() const { return bodies_.empty(); }
  /// True when the end of a step could not close it: others have to.
  [[nodiscard]] bool isOpen() const { return open_; }
  void setOpen(bool open) { open_ = open; }
  [[nodiscard]] std::size_t size() const { return bodies_.size(); }
  [[nodiscard]] std::span<Body> bodies() { return bodies_; }
  [[nodiscard]] std::span<const Body> bodies() const { return bodies_; }

  /// Start of a step: what the joints' impulses do where the bodies stand.
  void start(const SolverBodies& bodies);

  /// Nodes of the tree where its bodies stand; `first` is the number of the first among all nodes.
  void load(SolverBodies& bodies, std::span<TreeNode> nodes, std::int32_t first) const;
  /// As nodes of displacements (BodyShift) in place of velocities.
  void loadShifts(SolverBodies& bodies, std::span<TreeNode> nodes) const;
  /// After a drift (J-16): the impulses are `carried` times those of the last phase, with the arms
  /// of now.
  void turn(SolverBodies& bodies, std::span<const TreeNode> nodes, double carried);

  /// What a solve needs besides.
  struct Solve {
    SolverBodies& bodies;
    const Kernels& kernels;
    TreeScratch& scratch;
    double h;                ///< [s]
    double correctionSpeed;  ///< [1/s]
    bool touched;            ///< contacts push the bodies about
    JointFaults& faults;
  };
  /// Phases, on nodes that have been placed. Return the largest residual that they removed [m/s].
  double solve(const Solve& s, std::span<TreeNode> nodes);
  double relax(const Solve& s, std::span<TreeNode> nodes);
  /// Later in the same phase, after something has pushed bodies besides the points of a walk.
  double solveAgain(const Solve& s, std::span<TreeNode> nodes);
  /// After a walk: what the joints carried of its points, whose forces on the bodies are given.
  void takeWalk(const SolverBodies& bodies, std::span<const TreeNode> nodes,
                std::span<Vector3D> forces);

  /// End of a phase: works of its impulses.
  void conclude(const SolverBodies& bodies, const PhaseEnd& end, JointWorks& works);

  /// Of a joint: its anchor on the body against that on the parent [m].
  [[nodiscard]] static Vector3D errorOf(const SolverBodies& bodies, const Body& body);
  /// Errors of the nodes: what the joints stand open by, ...
  void findErrors(const SolverBodies& bodies, std::span<TreeNode> nodes) const;
  /// ... and what they would stand open by after the displacements of the bodies (J-26).
  void findOpenings(const SolverBodies& bodies, std::span<TreeNode> nodes) const;

 private:
  void findVelocityErrors(const SolverBodies& bodies, std::span<TreeNode> nodes,
                          const Vector3D Joint::*wanted) const;
  double evaluate(const Solve& s, std::span<TreeNode> nodes) const;
  double solveOnce(const Solve& s, std::span<TreeNode> nodes);
  double giveUp(const Solve& s, std::span<TreeNode> nodes);
  void keepWanted(const SolverBodies& bodies, std::span<const TreeNode> nodes);
  void save(const SolverBodies& bodies, std::vector<TreeScratch::Kept>& to) const;
  void restore(SolverBodies& bodies, const std::vector<TreeScratch::Kept>& from);
  [[nodiscard]] Vector3D velocityOf(const SolverBodies& bodies, std::size_t i,
                                    const TreeNode& node) const;

  std::vector<Body> bodies_;
  bool open_{false};
};

}  // namespace msd_sim
