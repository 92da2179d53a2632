#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// The kick before a phase, and where the phase stands in its substep.
struct PhaseKick {
  double length;  ///< of the kick [s]
  /// Share of the loads' accelerations that the mean velocity of the phase's works lacks (L-7): an impulse before a
  /// drift and half a kick has moved its body by that much more than its kicks count, one after it by that much less [s].
  double lead;

  /// Phase 1 of a substep of h, or the first of joined ones.
  [[nodiscard]] static constexpr PhaseKick opening(double h) { return {0.5 * h, -0.25 * h}; }
  /// A phase between two drifts (T-14).
  [[nodiscard]] static constexpr PhaseKick between(double h) { return {h, 0.0}; }
  /// Phase 2.
  [[nodiscard]] static constexpr PhaseKick closing(double h) { return {0.5 * h, 0.25 * h}; }
};

/// What lies between two phases.
struct DriftStep {
  double h;           ///< length of the drift [s]
  double kick;        ///< of the loads after it: h/2, or h where the next phase is the next substep's [s]
  double warmStartScale;  ///< what the next phase is expected to give, against the last one [-]
  bool measured;      ///< the last phase has been measured
  PhaseKick kicked;   ///< before the last phase
};

/// Slots of the bodies that are meant, filled up with slot 0 to a multiple of SolverBodies::kBlock.
using BodyList = std::span<const std::int32_t>;

/// Loops over bodies, eight at a time (docs/theory/time-stepping.md). All targets give the same bits.
struct BodyKernels {
  /// Start of a step: remembers the start, clears displacement, turn and warm starts' excess, and
  /// brings the world inverse inertia up to date.
  void (*begin)(SolverBodies&, BodyList bodies);

  /// First kick of a substep (T-1) and warm start (T-11), with halfStep = h/2 [s].
  void (*kick)(SolverBodies&, BodyList bodies, double halfStep);

  /// After a phase that another follows in the same step (T-14): what it gave becomes the warm start of the
  /// next. Writes BodyTurn::surplus and ::kinetic.
  void (*measureWork)(SolverBodies&, BodyList bodies, double opening, const PhaseKick& kicked);

  /// Drift (T-3, T-9, T-10), the next kick (T-4) and warm start. Where the phase has not been measured,
  /// what it gave becomes the warm start of the next.
  void (*drift)(SolverBodies&, BodyList bodies, const DriftStep&);

  /// Where the bodies of a list would be after a drift of h with the velocities of now: entry i is that of the i-th,
  /// entries of slot 0 stay. Changes nothing else.
  void (*predict)(const SolverBodies&, BodyList bodies, double h, std::span<BodyPose> poses);

  /// After the phase that ends a substep: the warm start of the next; writes BodyTurn::surplus and ::kinetic.
  void (*finish)(SolverBodies&, BodyList bodies, const PhaseKick& kicked);

  /// Applies SolverBodies::shift to the poses.
  void (*displace)(SolverBodies&, BodyList bodies);
};

}  // namespace msd_sim
