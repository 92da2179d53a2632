#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Loops over blocks of eight bodies (docs/theory/time-stepping.md). `blocks` lists the blocks with
/// a body to move. All targets give the same bits.
struct BodyKernels {
  /// Start of a step: remembers the start, clears displacement, turn and guesses' excess, and
  /// brings the world inverse inertia up to date.
  void (*begin)(SolverBodies&, std::span<const std::uint32_t> blocks);

  /// First kick of a substep (T-1) and warm start (T-11), with halfStep = h/2 [s].
  void (*kick)(SolverBodies&, std::span<const std::uint32_t> blocks, double halfStep);

  /// What phase 1 gave becomes the guess of phase 2; drift (T-3, T-9, T-10); second kick (T-4) and
  /// warm start.
  void (*drift)(SolverBodies&, std::span<const std::uint32_t> blocks, double h);

  /// What phase 2 gave becomes the guess of the next phase 1; writes SolverBodies::surplus.
  void (*finish)(SolverBodies&, std::span<const std::uint32_t> blocks);

  /// Applies SolverBodies::shift to the poses.
  void (*displace)(SolverBodies&, std::span<const std::uint32_t> blocks);
};

}  // namespace msd_sim
