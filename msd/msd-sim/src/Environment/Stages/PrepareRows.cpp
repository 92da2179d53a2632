#include <algorithm>
#include <numeric>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Waits a contact for a push (K-20)? Not where its rows are others' as well: of rebounds, of mechanisms, of laws of its own.
bool isIdle(const Simulation& sim, const ContactCache::Contact& contact, std::uint32_t body) {
  return sim.collision.contacts().isIdle(contact) && !contact.bounces &&
         contact.resistance == ContactCache::kNone && sim.islands.joints[sim.islands.islandOf[body]] == 0 &&
         sim.settings.method == Method::kFast;
}

/// Calls visit(entry) for contacts of bodies that can be pushed, on any thread, with where the first of these stands in
/// its pack.
template <class Visit>
void forEntries(Simulation& sim, const Visit& visit) {
  const Packs& packs = sim.packs;
  ContactCache& contacts = sim.collision.contacts();
  const auto look = [&](std::uint32_t id, ContactCache::Contact& contact) {
    const auto [a, b] = contact.bodies;
    const bool moves0 = sim.pushable[a] != 0, moves1 = sim.pushable[b] != 0;
    contact.lane = ContactCache::kNone;
    if (!moves0 && !moves1) return;
    const bool first = moves0 && (!moves1 || packs.place[a] < packs.place[b]);
    visit(Packs::Placed{first ? packs.place[a] : packs.place[b],
                        first ? b : a,
                        {id, {moves0 ? a : 0, moves1 ? b : 0}, isIdle(sim, contact, moves0 ? a : b)}});
  };
  sim.team->forRange(contacts.places(), kContactGrain,
                     [&](std::size_t first, std::size_t last) { contacts.forPlaces(first, last, look); });
}

/// The order of two contacts of the same two bodies: that of their shapes, then that of their pair.
bool comesFirst(const Simulation& sim, std::uint32_t x, std::uint32_t y) {
  const ContactCache::Contact& a = sim.collision.contacts().contact(x);
  const ContactCache::Contact& b = sim.collision.contacts().contact(y);
  if (a.pair == b.pair) return a.order < b.order;
  const auto key = [&](const ContactCache::Contact& c) {
    const CollisionPipeline::Pair& pair = sim.collision.pairs()[c.pair];
    return std::pair{pair.colliderA, pair.colliderB};
  };
  return key(a) < key(b);
}

/// By body: first by counting, then, among the few contacts of one body, by the other body. The order is that of the
/// bodies' slots within their island, whatever else is in the world and whichever thread was first.
void sortEntries(Simulation& sim) {
  Packs& packs = sim.packs;
  const bool shared = sim.team->threads() > 1;
  std::vector<std::uint32_t>& start = packs.start;
  start.assign(packs.bodies.size() + 1, 0);
  forEntries(sim, [&](const Packs::Placed& e) { (void)addTo(start[e.place + 1], 1, shared); });
  std::partial_sum(start.begin(), start.end(), start.begin());
  packs.entryStart.clear();
  for (const Pack& pack : packs.packs) packs.entryStart.push_back(start[pack.body]);
  packs.entryStart.push_back(start.back());
  packs.sorted.resize(start.back());
  packs.entries.resize(start.back());
  forEntries(sim, [&](const Packs::Placed& e) { packs.sorted[addTo(start[e.place], 1, shared)] = e; });
  sim.team->forRange(packs.bodies.size(), kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
    for (std::size_t place = first; place < last; ++place) {
      // `start` has moved on to the end of each body's entries.
      const std::uint32_t from = place == 0 ? 0 : start[place - 1], to = start[place];
      std::sort(packs.sorted.begin() + from, packs.sorted.begin() + to,
                [&](const Packs::Placed& x, const Packs::Placed& y) {
                  return x.other != y.other ? x.other < y.other : comesFirst(sim, x.entry.contact, y.entry.contact);
                });
      for (std::uint32_t i = from; i < to; ++i) packs.entries[i] = packs.sorted[i].entry;
    }
  });
}

/// The table of the step: lanes, what stands in them, rows.
void fillTable(Simulation& sim) {
  ContactCache& contacts = sim.collision.contacts();
  sim.table.build(contacts, sim.packs.entries, sim.packs.entryStart, sim.solver.size(), *sim.team);
  forAllBundles(sim, [&]<int kPoints>(const ContactKernels<kPoints>& kernels, ContactTable::Lanes<kPoints>& lanes,
                                      std::size_t first, std::size_t count) {
    sim.table.fill<kPoints>(contacts, first, count);
    kernels.prepare(sim.solver, lanes.storedOf(first), lanes.run(first, count));
    std::fill_n(lanes.sums.data() + first, count, ContactSums{});
  });
  sim.report.colours = sim.table.mostColours();
}

}  // namespace

void prepareRows(Simulation& sim, double) {
  sim.solver.turnedFar = 0;
  std::fill(sim.solver.dirty.begin(), sim.solver.dirty.end(), 0u);
  for (std::size_t i = 0; i < sim.packs.packs.size(); ++i) {
    PackScratch& scratch = *sim.packScratch[i];
    scratch.stamp = scratch.guarded = scratch.tests = 0;
    scratch.visits = 0;
    scratch.phaseSweeps.clear();
    scratch.h = scratch.guardedEnergy = scratch.deepest = scratch.deepestShare = 0.0;
    scratch.resistance.rows.clear();
    scratch.surfaces.rows.clear();
  }
  sim.islands.guarded.reserve(sim.slots.size());
  sim.islands.guarded.assign(sim.islands.count(), GuardShare{});
  sim.islands.paidLift.reserve(sim.slots.size());
  sim.islands.paidLift.assign(sim.islands.count(), 0.0);
  sim.islands.rebound.reserve(sim.slots.size());
  sim.islands.rebound.assign(sim.islands.count(), ReboundLimit{});
  forBodies(sim, [&](BodyList bodies) { sim.kernels->body.begin(sim.solver, bodies); });
  sortEntries(sim);
  fillTable(sim);
}

void renewRows(Simulation& sim, std::size_t pack) {
  if (!hasTurnedFar(sim, kTurnedUneven)) return;
  forRows(sim, pack, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
    kernels.renew(sim.solver, lanes.run(first, count));
  });
}

namespace {

/// Notes how far bodies had turned when rows were made anew in this step (K-17).
void noteRowTurns(Simulation& sim) {
  sim.rowTurns.clear();
  if (!hasTurnedFar(sim, kTurnedAtAll)) return;
  sim.table.forEach([&](std::uint32_t id, LaneBodies, const auto& rows, ContactSums&, int lane) {
    if (rows.looks[lane] != static_cast<double>(LookedAgain::kYes)) return;
    RowTurn r{.contact = id};
    for (int c = 0; c < 4; ++c) {
      r.turn0[c] = rows.turn0[c][lane];
      r.turn1[c] = rows.turn1[c][lane];
    }
    sim.rowTurns.push_back(r);
  });
  std::ranges::sort(sim.rowTurns, {}, &RowTurn::contact);
}

}  // namespace

// Impulses of a phase are kept as forces, per second of a substep, so that a contact whose island changes its substeps
// starts the next phase with h times the same; totals per second of the step are what contact records tell [N].
void keepContacts(Simulation& sim, double dt) {
  const double perStep = dt > 0.0 ? 1.0 / dt : 0.0;
  noteRowTurns(sim);
  forPacks(sim, [&](std::size_t pack) {
    const double h = sim.packScratch[pack]->h;
    forRows(sim, pack, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
      kernels.keep(lanes.run(first, count), lanes.storedOf(first), h > 0.0 ? 1.0 / h : 1.0, perStep);
    });
  });
}

}  // namespace msd_sim
