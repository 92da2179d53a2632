#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// A mechanism whose joints form a tree, as the kernels take it (docs/theory/joints.md, section
/// 11). Velocities are lines of eight numbers: linear, angular, and two that nothing changes.

/// A body, and the ball joint that holds it to its parent in the tree. Written for one phase;
/// parents come first.
struct alignas(64) TreeNode {
  double inverse[6][8];  ///< columns: (J-45) of the body with all below it, then (J-47) of the
                         ///< whole mechanism
  double down[6][8];     ///< columns: what the parent's velocity makes of the body's (J-48)
  double up[6][8];       ///< columns: what the body's makes of the parent's
  double push[3][8];     ///< columns: answer of what hangs below to an impulse of the joint
  double pull[3][8];     ///< columns: the same of what the parent holds without it
  double felt[2][8];     ///< velocities of parent and body that the joint has passed on
  double change[8];      ///< of the velocity, by a solve; in a walk the velocity before it
  double own[6];         ///< compliance of what hangs below, at the joint: xx yy zz xy xz yz [1/kg]
  double ownInverse[6];  ///< its inverse [kg]
  double bothInverse[6];  ///< the same with what holds it
  double error[3];        ///< velocity that a solve takes away [m/s]
  double impulse[3];      ///< of the solve, on the body [N·s]
  double arm[3];          ///< from the body's centre to the joint, world axes [m]
  double parentArm[3];    ///< from the parent's centre [m]
  double* velocity;       ///< of the body: its line of BodyMotion
  std::uint32_t slot;
  std::int32_t parent;  ///< place in the list; below 0: the world, or none
  bool held;            ///< a node without a parent hangs on something that cannot be pushed
};

/// A point of a contact that touches a tree. Side 1 feels its impulses, side 0 their opposites.
struct alignas(64) TreePoint {
  double rows[2][6][4];    ///< velocity along normal and tangents, by components of a side's
                           ///< velocity; signs included
  double answer[2][3][8];  ///< velocity of a side by a unit impulse along each
  double* velocity[2];     ///< of the bodies; null where nothing moves
  std::uint32_t slot[2];   ///< of the bodies
  std::int32_t node[2];    ///< of their trees, below 0: of none
  alignas(32) double compliance[3][4];  ///< normal and tangents, by columns [1/kg]
  double mass;                          ///< inverse of that of the normal [kg]
  double stick[3];                      ///< inverse of the tangents' compliance, 11 12 22 [kg]
  double slide;                         ///< larger of the tangents' compliances [1/kg]
  double slipMass;                      ///< inverse of their largest eigenvalue [kg]
  double weight[2];             ///< of the sides' mobility: 1 but in position correction (P-4)
  double friction;              ///< of the pair [-]
  double target;                ///< least velocity along the normal, of an open point, ... [m/s]
  double loadedTarget;          ///< ... and of a loaded one
  double perSettled;            ///< inverse of the change of velocity that counts as settled [s/m]
  double impulse[3];            ///< of the phase [N·s]
  double start[3];              ///< the same before the walk
  alignas(32) double heard[4];  ///< velocity at side 0 while the walk goes to side 1 of the same
                                ///< tree [m/s]
  double given[3];              ///< what side 0 of the same tree is still to feel
  double localResidual;         ///< of the last visit
};

/// What a walk does next (J-49).
struct WalkOp {
  enum class Kind : std::uint8_t {
    kDown,    ///< to a node from its parent
    kUp,      ///< from a node to its parent
    kVisit,   ///< a point's impulses
    kHear,    ///< a point that touches one tree twice: its velocity at side 0, ...
    kMeet,    ///< ... its impulses at side 1, ...
    kAnswer,  ///< ... and what side 0 feels of them
  };
  Kind kind;
  std::uint32_t index;  ///< of a node or a point
};

/// What a walk leaves.
struct WalkOutcome {
  double localResidual{0.0};   ///< largest change against what counts as settled
  std::uint32_t unsettled{0};  ///< points that changed by more than the limit
};

/// Passes over trees. All targets give the same bits.
struct TreeKernels {
  /// (J-45), (J-46) where the bodies stand: arms are given.
  void (*place)(const SolverBodies&, std::span<TreeNode>);
  /// Finds impulses that take the errors away, and by how much they change the velocities.
  void (*solve)(std::span<TreeNode>);
  /// (J-47), (J-48), after place.
  void (*respond)(std::span<TreeNode>);
  /// Answers and compliances of points.
  void (*answer)(const SolverBodies&, std::span<const TreeNode>, std::span<TreePoint>,
                 std::span<const WalkOp>);
  /// Before the first pass of a walk: all joints have passed on the velocities of now.
  void (*begin)(std::span<TreeNode>);
  /// One pass of a walk: `slip` is the weight of friction among what has not settled.
  WalkOutcome (*walk)(std::span<TreeNode>, std::span<TreePoint>, std::span<const WalkOp>,
                      double limit, double slip);
  /// After the last one, wherever it ended: all bodies feel what there was.
  void (*end)(std::span<TreeNode>);
};

}  // namespace msd_sim
