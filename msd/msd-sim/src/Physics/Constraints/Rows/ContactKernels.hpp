#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "msd-sim/src/Physics/Constraints/Rows/ContactFollow.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Passes over a run of bundles of one colour. All targets give the same bits.
template <int kPoints>
struct ContactKernels {
  using Bundle = ContactBundle<kPoints>;
  using Rows = ContactRows<kPoints>;
  using Bounce = ContactBounce<kPoints>;
  using Follow = ContactFollow<kPoints>;

  /// Brings anchors and normals of round contacts to where the bodies are now (K-11).
  void (*follow)(const SolverBodies&, Bundle*, const Follow*, std::size_t count);
  /// Rows from anchors and poses (docs/theory/rows.md).
  void (*prepare)(const SolverBodies&, const Bundle*, Rows*, std::size_t count);
  /// The compliances of bodies that have turned far since (C-7); called when one has.
  void (*renew)(const SolverBodies&, const Bundle*, Rows*, std::size_t count);
  /// Multiplies the guessed impulses by `scale`, since a phase may be longer than the last one was, and
  /// adds them to BodyGuess.
  void (*warm)(SolverBodies&, const Bundle*, Rows*, std::size_t count, double scale);
  /// Rebound speeds from the velocities at the start of a substep (theory/restitution.md, R-5).
  void (*approach)(const SolverBodies&, const Bundle*, Rows*, Bounce*, std::size_t count,
                   const ContactPass&);
  /// Phase 1 (T-6): one sweep with live gaps. `bounce` may be null. All but the
  /// first sweep of a phase leave out what has settled: bundles none of whose bodies is stirred.
  /// The first sweep also measures the work that the bundles did in the phase before, unless this one
  /// opens the step; `busy` says of every bundle what the sweeps of a phase have seen (BundleNote).
  SweepOutcome (*solve)(SolverBodies&, const Bundle*, const BundleBodies*, Rows*, const Bounce*,
                        ContactSums*, std::uint8_t* busy, std::size_t count, const ContactPass&);
  /// Phase 2 (T-8): one sweep on velocities. Returns the same.
  SweepOutcome (*relax)(SolverBodies&, const Bundle*, const BundleBodies*, Rows*, ContactSums*,
                        std::uint8_t* busy, std::size_t count, const ContactPass&);
  /// After the last sweep of a phase, for the bundles that were surprised: the guess of the next one.
  void (*conclude)(SolverBodies&, const Bundle*, Rows*, ContactSums*, const std::uint8_t* busy,
                   std::size_t count, const ContactPass&);
  /// After all substeps: adds up the last phase, keeps the impulses, measures gaps and residual.
  StoreOutcome (*store)(const SolverBodies&, Bundle*, Rows*, ContactSums*,
                        const std::uint8_t* busy, std::size_t count, const ContactPass&);
  /// One sweep of position correction on BodyShift (theory/position-correction.md); the first
  /// computes the gaps. Unrest is the largest change against a contact's size. Overwrites the rows'
  /// impulses, which the store pass has kept.
  SweepOutcome (*correct)(SolverBodies&, const Bundle*, const BundleBodies*, Rows*,
                          std::size_t count, const ContactPass&);
  /// Both at once, the first sweep of the correction.
  SweepOutcome (*storeAndCorrect)(SolverBodies&, Bundle*, const BundleBodies*, Rows*, ContactSums*,
                                  const std::uint8_t* busy, std::size_t count, const ContactPass&,
                                  StoreOutcome&);
};

}  // namespace msd_sim
