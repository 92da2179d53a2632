#pragma once

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

/// Nesterov's momentum on the impulses of a phase that needs many sweeps (docs/theory/guess.md, G-8).
///
/// Velocities are linear in the impulses, so that extrapolating both by the same factor keeps them
/// consistent; impulses that leave their bounds are put right by the next sweep.
class SweepMomentum {
 public:
  /// What the impulses move.
  enum class Unknowns { kVelocities, kShifts };
  SweepMomentum(Simulation& sim, Unknowns unknowns) : sim_{sim}, unknowns_{unknowns} {}
  /// Remembers where the phase stands.
  void begin();
  /// After a sweep with this unrest: goes on in the direction of the last change.
  void advance(double unrest);

 private:
  void extrapolate(double beta);

  Simulation& sim_;
  Unknowns unknowns_;
  double t_{1.0};
  double last_{0.0};
};

}  // namespace msd_sim
