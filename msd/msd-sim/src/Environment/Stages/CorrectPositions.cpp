#include <algorithm>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

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
// Sweeps for all that has not settled, and for what a sweep moves far.
constexpr int kSweeps = 2;
constexpr int kMostSweeps = 8;
// Penetration that is left to the next step, against the size (P-9).
constexpr double kMostLeft = 1e-2;
// A contact that a sweep moves by less than this share of its size has settled; after the first sweeps, ...
constexpr double kSettledShift = 1e-6;
constexpr double kFeltShift = 1e-3;
// Pairs whose shapes are asked for the report.
constexpr std::size_t kMostAsked = 256;

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
                   .mostLeft = kMostLeft,
                   .largestShift = sim.settings.correctionSpeed * dt,
                   .support = kSupport};
  const double gravity = sim.settings.gravity.norm();
  for (int c = 0; c < 3 && gravity > 0.0; ++c) pass.up[c] = -sim.settings.gravity[c] / gravity;
  if (gravity > 0.0) pass.paidHeight = kPaidShare / gravity;
  return pass;
}

/// Calls sweep(group) for all groups and adds up what is left.
template <class Sweep>
std::uint32_t sweepGroups(const Sweep& sweep) {
  std::uint32_t unsettled = 0;
  for (std::size_t g = 0; g < kSolveGroups; ++g) unsettled += sweep(static_cast<SolveGroup>(g)).unsettled;
  return unsettled;
}

/// One sweep; returns how many contacts have not settled.
std::uint32_t sweepCorrection(Simulation& sim, ContactPass& pass) {
  pass.stamp = ++sim.sweepStamp;
  return sweepGroups([&](SolveGroup group) {
    return sweepContacts(sim, group, [&](const auto& kernels, auto& arrays, std::size_t first,
                                         std::size_t count) {
      return kernels.correct(sim.solver, arrays.bundles.data() + first, arrays.who.data() + first,
                             arrays.rows.data() + first, count, pass);
    });
  });
}

/// storeContacts and the first sweep at once; `share` is what the former returns.
std::uint32_t storeAndSweep(Simulation& sim, ContactPass& pass, double& share) {
  pass.stamp = ++sim.sweepStamp;
  SharedMaximum deepest, relative;
  const std::uint32_t unsettled = sweepGroups([&](SolveGroup group) {
    return sweepContacts(
        sim, group, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
          StoreOutcome stored;
          const SweepOutcome part = kernels.storeAndCorrect(
              sim.solver, arrays.bundles.data() + first, arrays.who.data() + first,
              arrays.rows.data() + first, arrays.sums.data() + first, arrays.busy.data() + first,
              count, pass, stored);
          deepest.add(stored.deepest);
          relative.add(stored.share);
          return part;
        });
  });
  sim.report.deepestPenetration = deepest.get();
  share = relative.get();
  return unsettled;
}

/// No displacements yet. The motion of islands that nothing drives may pay for their lifts (P-8).
void clearShifts(Simulation& sim) {
  forBodies(sim, [&](auto blocks) { clearBodies(blocks, sim.solver.shift); });
  const Islands& islands = sim.islands;
  for (std::size_t k = 0; k < islands.count(); ++k) {
    if (islands.hold[k] == IslandHold::kDriven || islands.joints[k] > 0) continue;
    for (const std::uint32_t i : islands.bodiesOf(k)) sim.solver.shift[i].pays = 1.0;
  }
}

void correctContacts(Simulation& sim, double dt) {
  const bool exact = sim.settings.method == Method::kExact;
  const bool wanted = sim.settings.positionCorrection > 0.0;
  clearShifts(sim);
  sim.returnedLift = 0.0;
  ContactPass pass = correctionPass(sim, dt);
  // Where the last step had something to correct, this one will.
  const bool atOnce = sim.corrected && wanted && !exact;
  double share = 0.0;
  std::uint32_t unsettled = 0;
  if (atOnce) {
    unsettled = storeAndSweep(sim, pass, share);
  } else {
    share = storeContacts(sim, !exact);
    if (exact) {
      writeExactSums(sim);
      share = measureDepths(sim);
      renewRows(sim, SolveGroup::kFull);
    }
  }
  sim.corrected = share > kSlop;
  sim.deepestShare = share;
  if (!sim.corrected || !wanted) return;
  if (!atOnce) unsettled = sweepCorrection(sim, pass);
  pass.first = false;
  for (int sweep = 1; sweep < kMostSweeps && unsettled > 0; ++sweep) {
    if (sweep + 1 >= kSweeps) pass.settled = kFeltShift;
    unsettled = sweepCorrection(sim, pass);
  }
  forBodies(sim, [&](auto blocks) { sim.kernels->body.displace(sim.solver, blocks); });
  if (sim.joints.isEmpty() || exact) returnLift(sim);
}

/// What the rows tell is measured before correction and against planes without end: deeper than the truth where a body
/// has gone past an edge. Where it is much, the shapes themselves are asked, the worst first, until none can be worse.
void measurePenetration(Simulation& sim) {
  std::vector<DeepContact>& deep = sim.deepContacts;
  deep.clear();
  double worst = 0.0;
  sim.collision.contacts().forEach([&](std::uint32_t, const ContactCache::Contact& contact, auto& bundle, auto&,
                                       ContactSums& sums, int lane) {
    const double depth = sums.deepest[lane];
    if (depth <= kMostLeft * bundle.size[lane]) {
      worst = std::max(worst, depth);
    } else {
      deep.push_back({depth, contact.pair});
    }
  });
  const std::size_t asked = std::min(deep.size(), kMostAsked);
  const auto isDeeper = [](const DeepContact& a, const DeepContact& b) {
    return a.depth != b.depth ? a.depth > b.depth : a.pair < b.pair;
  };
  // One more than is asked, for what is left.
  std::partial_sort(deep.begin(), deep.begin() + static_cast<std::ptrdiff_t>(std::min(asked + 1, deep.size())),
                    deep.end(), isDeeper);
  std::size_t i = 0;
  for (; i < asked && deep[i].depth > worst; ++i) {
    worst = std::max(worst, std::min(deep[i].depth, sim.collision.penetration(deep[i].pair, sim.solver)));
  }
  if (i < deep.size()) worst = std::max(worst, deep[i].depth);  // not asked any more
  sim.report.deepestPenetration = worst;
}

}  // namespace

void correctPositions(Simulation& sim, double dt) {
  correctContacts(sim, dt);
  const bool exact = sim.settings.method == Method::kExact;
  if (!sim.joints.isEmpty() && !exact) {
    sim.joints.project(sim.solver, *sim.team);
    returnLift(sim);
    sim.report.jointError = sim.joints.sums().separation;
  }
  if (sim.corrected && !exact && sim.deepestShare > kMostLeft) measurePenetration(sim);
}

}  // namespace msd_sim
