#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// What lies between two phases.
struct DriftStep {
  double h;           ///< length of the drift [s]
  double kick;        ///< of the loads after it: h/2, or h where the next phase is the next substep's [s]
  double guessScale;  ///< what the next phase is expected to give, against the last one [-]
  bool weighed;       ///< the last phase has been weighed
};

/// Loops over blocks of eight bodies (docs/theory/time-stepping.md). `blocks` lists the blocks with
/// a body to move, and which of their bodies are meant. All targets give the same bits.
struct BodyKernels {
  /// Start of a step: remembers the start, clears displacement, turn and guesses' excess, and
  /// brings the world inverse inertia up to date.
  void (*begin)(SolverBodies&, std::span<const BodyBlock> blocks);

  /// First kick of a substep (T-1) and warm start (T-11), with halfStep = h/2 [s].
  void (*kick)(SolverBodies&, std::span<const BodyBlock> blocks, double halfStep);

  /// After a phase that another follows in the same step (T-14): what it gave becomes the guess of the
  /// next. Writes SolverBodies::surplus and ::kinetic.
  void (*weigh)(SolverBodies&, std::span<const BodyBlock> blocks, double opening);

  /// Drift (T-3, T-9, T-10), the next kick (T-4) and warm start. Where the phase has not been weighed,
  /// what it gave becomes the guess of the next.
  void (*drift)(SolverBodies&, std::span<const BodyBlock> blocks, const DriftStep&);

  /// After the phase that ends a substep: the guess of the next; writes SolverBodies::surplus and
  /// ::kinetic.
  void (*finish)(SolverBodies&, std::span<const BodyBlock> blocks);

  /// Applies SolverBodies::shift to the poses.
  void (*displace)(SolverBodies&, std::span<const BodyBlock> blocks);
};

}  // namespace msd_sim
