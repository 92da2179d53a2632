#pragma once

#include <cstddef>
#include <cstdint>

#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Ball joints in bundles of eight, one joint per vector lane, for components that are too large to
/// be solved at once (docs/theory/joints.md, section 7). The joints of a bundle share no body that
/// can be pushed. Unused lanes point to slot 0.
struct alignas(64) BallBundle {
  std::int32_t body0[kBundleLanes];
  std::int32_t body1[kBundleLanes];
  double anchor0[3][kBundleLanes];  ///< from body 0's centre, body axes [m]
  double anchor1[3][kBundleLanes];
  double size[kBundleLanes];     ///< of the smaller body [m]; 0 in unused lanes
  double arm0[3][kBundleLanes];  ///< anchors from the centres, world axes, when last placed [m]
  double arm1[3][kBundleLanes];
  double impulse[3][kBundleLanes];  ///< of the running phase, on body 1 [N·s]
  // What follows is touched by a search alone: joints that rest stay in the lines above.
  double mass[6][kBundleLanes];       ///< inverse of J M⁻¹ Jᵀ, symmetric: xx yy zz xy xz yz [kg]
  double target[3][kBundleLanes];     ///< velocity of anchor 1 against anchor 0 to reach [m/s]
  double error[3][kBundleLanes];      ///< target less velocity [m/s]
  double direction[3][kBundleLanes];  ///< of the search, an impulse [N·s]
  double reply[3][kBundleLanes];      ///< velocity that the direction gives [m/s]
  double total[3][kBundleLanes];      ///< over the step [N·s]
};

/// Scalars of a pass.
struct BallPass {
  double h{0.0};         ///< length of the substep [s]
  double inverseH{0.0};  ///< [1/s]
  double reach{0.0};     ///< position error removed in one substep, relative to the size [-]
};

/// Impulse on a body and the velocity it gives, one after the other in the same place.
using BallReply = BodyShift;

/// Passes over a run of bundles. Those that write to bodies take bundles of one colour. All targets
/// give the same bits. Sums come per lane, so that adding them up does not depend on the width.
struct BallKernels {
  /// Arms where the bodies stand.
  void (*place)(const SolverBodies&, BallBundle*, std::size_t count);
  /// Effective masses with these arms.
  void (*computeMasses)(const SolverBodies&, BallBundle*, std::size_t count);
  /// Adds the impulses of the warm start to BodyWarmStart.
  void (*warm)(SolverBodies&, const BallBundle*, std::size_t count);
  /// Start of phase 1: anchors are to meet after the drift (J-20). Returns what measure does.
  /// Targets and errors are stored where `keep` is set.
  double (*aim)(const SolverBodies&, BallBundle*, std::size_t count, const BallPass&, bool keep);
  /// Start of phase 2: new arms, warm starts put right.
  void (*turn)(SolverBodies&, BallBundle*, std::size_t count);
  /// Errors of the velocities against the targets (`aimed`) or zero, stored where `keep` is set;
  /// the largest against the joint's size is returned [1/s].
  double (*measure)(const SolverBodies&, BallBundle*, std::size_t count, bool aimed, bool keep);
  /// Next direction: the preconditioned error plus `share` of the last one, or (`warmStart`) the
  /// impulses themselves; and its impulses on the bodies.
  void (*push)(const SolverBodies&, BallReply*, BallBundle*, std::size_t count, double share,
               bool warmStart);
  /// Velocities that the direction gives. Adds direction·reply and direction·error to the sums.
  void (*listen)(const BallReply*, BallBundle*, std::size_t count, double* sums);
  /// Goes `length` along the direction. Adds error·preconditioned error to the sum and returns the
  /// largest error against the size [1/s].
  double (*advance)(BallBundle*, std::size_t count, double length, double* sums);
  /// Adds the works (L-7) of a phase that ends to the sums, and after them those of bodies that cannot be pushed.
  void (*work)(const SolverBodies&, const BallBundle*, std::size_t count, double lead, double* sums);
};

}  // namespace msd_sim
