#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "msd-sim/src/Physics/Collision/StoredContact.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Some bundles of one kind and colour, and what belongs to them.
template <int kPoints>
struct BundleRun {
  std::size_t count{0};
  const BundleBodies* bodyPair{nullptr};
  ContactRows<kPoints>* rows{nullptr};
  ContactBounce<kPoints>* bounce{nullptr};  ///< null where nothing bounces
  ContactSums* sums{nullptr};
  BundleNotes* notes{nullptr};  ///< of the running phase
};

/// Passes over a run of bundles. All targets give the same bits.
template <int kPoints>
struct ContactKernels {
  using Stored = StoredContact<kPoints>;
  using Run = BundleRun<kPoints>;

  /// Rows from contacts that are kept and from poses (docs/theory/rows.md); `stored` has eight a bundle. Brings
  /// anchors and normals of round contacts to where the bodies are now (K-11), there and in what is kept.
  void (*prepare)(const SolverBodies&, Stored* const* stored, const Run&);
  /// The compliances of bodies that have turned far since (C-7); called when one has.
  void (*renew)(const SolverBodies&, const Run&);
  /// Makes impulses of the forces that are kept, for substeps of length h, and adds them to BodyWarmStart.
  void (*warm)(SolverBodies&, const Run&, double h);
  /// Rebound speeds from the velocities at the start of a substep (theory/restitution.md, R-5).
  void (*approach)(const SolverBodies&, const Run&, const ContactPass&);
  /// Phase 1 (T-6): one sweep with live gaps. All but the first sweep of a phase leave out what has settled: lanes
  /// none of whose bodies is dirty. The first sweep also measures the work that the bundles did in the phase
  /// before, unless this one opens the step.
  SweepOutcome (*solve)(SolverBodies&, const Run&, const ContactPass&);
  /// Phase 2 (T-8): one sweep on velocities. Returns the same.
  SweepOutcome (*relax)(SolverBodies&, const Run&, const ContactPass&);
  /// After the last sweep of a phase, for the bundles that saw an impact: the warm start of the next one.
  void (*conclude)(SolverBodies&, const Run&, const ContactPass&);
  /// After all substeps: adds up the last phase, measures gaps and residual.
  StoreOutcome (*store)(const SolverBodies&, const Run&, const ContactPass&);
  /// Impulses and totals into what is kept, as forces: per second of a substep and of the step.
  void (*keep)(const Run&, Stored* const* stored, double perSubstep, double perStep);
  /// One sweep of position correction on BodyShift (theory/position-correction.md); the first computes the gaps.
  /// The local residual is the largest change against a contact's size. Overwrites the points' warm starts and targets.
  SweepOutcome (*correct)(SolverBodies&, const Run&, const ContactPass&);
  /// Both at once, the first sweep of the correction.
  SweepOutcome (*storeAndCorrect)(SolverBodies&, const Run&, const ContactPass&, StoreOutcome&);
  /// Between two substeps: makes rows anew that are wanted so (LookedAgain), where the bodies are now, with the impulses
  /// that they have; the bodies' warm starts, which are in their velocities, go with them (K-17).
  void (*lookAgain)(SolverBodies&, Stored* const* stored, const Run&, const ContactPass&);
};

}  // namespace msd_sim
