#include <algorithm>

#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

namespace msd_sim {

namespace {

// Penetration that is left alone, relative to the size of the contact's smaller body.
constexpr double kSlop = 5e-4;
// A body right under a contact counts this much when what rests on it is lifted off
// (theory/position-correction.md, P-4).
constexpr double kSupport = 0.1;
// Share of a body's kinetic energy that may be spent at once on lifting it (P-8). What it carries is
// lifted with it, and may lie still.
constexpr double kPaidShare = 0.25;
// Sweeps, and sweeps where something is jammed: penetrates by more than kDeep, or kVeryDeep, of its
// size.
constexpr int kSweeps = 2;
constexpr int kJammedSweeps = 8;
constexpr int kBadlyJammedSweeps = 30;
constexpr double kDeep = 2e-2;
constexpr double kVeryDeep = 5e-2;
// A sweep that moves no contact by more than this share of its size, or of what the first one did,
// was the last.
constexpr double kSettledShift = 1e-6;
constexpr double kSettledPart = 0.03;

void clearShifts(Simulation& sim) {
  for (const std::uint32_t block : sim.activeBlocks) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      sim.solver.shift[block * SolverBodies::kBlock + i] = BodyShift{};
    }
  }
}

/// The same as storeContacts of depths that others have written.
double measureDepths(Simulation& sim) {
  double deepest = 0.0, share = 0.0;
  sim.collision.contacts().forEach([&](std::uint32_t, const ContactCache::Contact&, auto& bundle,
                                       auto&, ContactSums& sums, int lane) {
    deepest = std::max(deepest, sums.deepest[lane]);
    share = std::max(share, sums.deepest[lane] / bundle.size[lane]);
  });
  sim.report.deepestPenetration = deepest;
  return share;
}

}  // namespace

void correctPositions(Simulation& sim, double dt) {
  const bool exact = sim.settings.method == Method::kExact;
  double share = storeContacts(sim, !exact);
  if (exact) {
    writeExactSums(sim);
    share = measureDepths(sim);
    renewRows(sim);
  }
  clearShifts(sim);
  sim.returnedLift = 0.0;
  if (share <= kSlop || sim.settings.positionCorrection <= 0.0) return;
  ContactPass pass{.ahead = hasManyRows(sim),
                   .correction = sim.settings.positionCorrection,
                   .slop = kSlop,
                   .largestShift = sim.settings.correctionSpeed * dt,
                   .support = kSupport};
  const double gravity = sim.settings.gravity.norm();
  for (int c = 0; c < 3 && gravity > 0.0; ++c) pass.up[c] = -sim.settings.gravity[c] / gravity;
  if (gravity > 0.0 && onlyContactsWork(sim)) pass.paidHeight = kPaidShare / gravity;
  const bool jammed = share > kDeep;
  const int sweeps = share > kVeryDeep ? kBadlyJammedSweeps : jammed ? kJammedSweeps : kSweeps;
  SweepMomentum momentum{sim, SweepMomentum::Unknowns::kShifts};
  double change = 0.0, settled = kSettledShift;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (sweep == 1 && jammed) momentum.begin();
    if (sweep > 1 && jammed) momentum.advance(change);
    pass.first = sweep == 0;
    pass.stamp = ++sim.sweepStamp;
    pass.settled = kSettledShift;
    pass.whole = jammed;  // momentum moves every contact
    change = sweepContacts(sim, [&](const auto& kernels, auto& arrays, std::size_t first,
                                    std::size_t count) {
               return kernels.correct(sim.solver, arrays.bundles.data() + first,
                                      arrays.who.data() + first, arrays.rows.data() + first, count,
                                      pass);
             }).unrest;
    if (sweep == 0) settled = std::max(kSettledShift, kSettledPart * change);
    if (change < settled) break;
  }
  sim.kernels->body.displace(sim.solver, sim.activeBlocks);
  returnLift(sim);
}

}  // namespace msd_sim
