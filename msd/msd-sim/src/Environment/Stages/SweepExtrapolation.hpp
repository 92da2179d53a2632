#pragma once

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Nesterov's extrapolation on the impulses of islands that start cold (docs/theory/warm-start.md, G-9). Every island has a
/// pace of its own.
///
/// Velocities are linear in the impulses, so that extrapolating both by the same factor keeps them
/// consistent; impulses that leave their bounds are put right by the next sweep.
class SweepExtrapolation {
 public:
  SweepExtrapolation(Simulation& sim, std::size_t pack);
  [[nodiscard]] bool isIdle() const { return scratch_.islands.empty(); }
  /// After a sweep that noted the local residual of its contacts: goes on in the direction of the last change. All
  /// contacts of an island that was moved are to be visited in the next sweep: `stamp` is that of the last one.
  void advance(int sweep, std::uint32_t stamp);

 private:
  void choosePace(int sweep);

  Simulation& sim_;
  std::size_t pack_;
  ExtrapolationScratch& scratch_;
  bool cut_{false};  ///< the team shares what is done here
};

}  // namespace msd_sim
