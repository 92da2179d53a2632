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
// From here on, in a large pile, what a sweep moves by more than kFeltShift of its size is swept as often.
constexpr double kPressed = 5e-3;
constexpr double kFeltShift = 1e-4;
constexpr double kVeryDeep = 5e-2;
// Penetration that a large pile leaves to the next step, against the size (P-9); others leave any.
constexpr double kMostLeft = 1e-2;
constexpr double kAnyLeft = 1e300;
// A sweep that moves no contact by more than this share of its size, or of what the first one did,
// was the last.
constexpr double kSettledShift = 1e-6;
constexpr double kSettledPart = 0.03;

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

ContactPass correctionPass(const Simulation& sim, double dt) {
  ContactPass pass{.settled = kSettledShift,
                   .ahead = hasManyRows(sim),
                   .eachWork = !onlyContactsWork(sim),
                   .correction = sim.settings.positionCorrection,
                   .slop = kSlop,
                   .mostLeft = hasManyRows(sim) ? kMostLeft : kAnyLeft,
                   .largestShift = sim.settings.correctionSpeed * dt,
                   .support = kSupport};
  const double gravity = sim.settings.gravity.norm();
  for (int c = 0; c < 3 && gravity > 0.0; ++c) pass.up[c] = -sim.settings.gravity[c] / gravity;
  if (gravity > 0.0 && onlyContactsWork(sim)) pass.paidHeight = kPaidShare / gravity;
  return pass;
}

/// Has the world so many contacts that not all are asked about every body that is stuck, and not so many
/// that there is always one?
bool isPile(const Simulation& sim) {
  constexpr std::uint32_t kPileContacts = 1000;
  return sim.collision.contacts().count() > kPileContacts && !hasManyRows(sim);
}

/// One sweep; returns its unrest.
double sweepCorrection(Simulation& sim, ContactPass& pass) {
  pass.stamp = ++sim.sweepStamp;
  return sweepContacts(sim, [&](const auto& kernels, auto& arrays, std::size_t first,
                                std::size_t count) {
           return kernels.correct(sim.solver, arrays.bundles.data() + first,
                                  arrays.who.data() + first, arrays.rows.data() + first, count,
                                  pass);
         }).unrest;
}

/// storeContacts and the first sweep at once; `share` is what the former returns.
double storeAndSweep(Simulation& sim, ContactPass& pass, double& share) {
  pass.stamp = ++sim.sweepStamp;
  SharedMaximum deepest, relative;
  const SweepOutcome outcome = sweepContacts(
      sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
        StoreOutcome stored;
        const SweepOutcome part = kernels.storeAndCorrect(
            sim.solver, arrays.bundles.data() + first, arrays.who.data() + first,
            arrays.rows.data() + first, arrays.sums.data() + first, arrays.busy.data() + first,
            count, pass, stored);
        deepest.add(stored.deepest);
        relative.add(stored.share);
        return part;
      });
  sim.report.deepestPenetration = deepest.get();
  share = relative.get();
  return outcome.unrest;
}

}  // namespace

void correctPositions(Simulation& sim, double dt) {
  const bool exact = sim.settings.method == Method::kExact;
  const bool wanted = sim.settings.positionCorrection > 0.0;
  clearBodies(sim, sim.solver.shift);
  sim.returnedLift = 0.0;
  ContactPass pass = correctionPass(sim, dt);
  // Where the last step had something to correct, this one will.
  const bool atOnce = sim.corrected && wanted && !exact;
  double share = 0.0, change = 0.0;
  if (atOnce) {
    change = storeAndSweep(sim, pass, share);
  } else {
    share = storeContacts(sim, !exact);
    if (exact) {
      writeExactSums(sim);
      share = measureDepths(sim);
      renewRows(sim);
    }
  }
  sim.corrected = share > kSlop;
  if (!sim.corrected || !wanted) return;
  if (!atOnce) change = sweepCorrection(sim, pass);
  const bool jammed = share > (isPile(sim) ? kVeryDeep : kDeep);
  const bool pressed = share > (hasManyRows(sim) ? kPressed : kDeep);
  const int sweeps = share > kVeryDeep ? kBadlyJammedSweeps : pressed ? kJammedSweeps : kSweeps;
  const double settled = std::max(kSettledShift, kSettledPart * change);
  SweepMomentum momentum{sim, SweepMomentum::Unknowns::kShifts};
  pass.first = false;
  pass.whole = jammed;  // momentum moves every contact
  for (int sweep = 1; sweep < sweeps && change >= settled; ++sweep) {
    if (sweep == 1 && jammed) momentum.begin();
    if (sweep > 1 && jammed) momentum.advance(change);
    if (sweep + 1 >= kSweeps && !jammed) pass.settled = kFeltShift;
    change = sweepCorrection(sim, pass);
  }
  forBodies(sim, [&](auto blocks) { sim.kernels->body.displace(sim.solver, blocks); });
  returnLift(sim);
}

}  // namespace msd_sim
