#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kRowGrain = 64;

/// Calls work(row) colour by colour: rows of one colour share no body that can be pushed.
template <class Work>
void forResistance(Simulation& sim, const Work& work) {
  ResistanceRows& list = sim.resistance;
  if (list.rows.empty()) return;
  for (std::size_t c = 0; c + 1 < list.start.size(); ++c) {
    const std::size_t first = list.start[c], count = list.start[c + 1] - first;
    if (count == 0) continue;
    if (ContactCache::isOverflow(static_cast<int>(c))) {
      for (std::size_t i = 0; i < count; ++i) work(list.rows[first + i]);
      continue;
    }
    sim.team->forRange(count, kRowGrain, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) work(list.rows[first + i]);
    });
  }
}

}  // namespace

void prepareResistance(Simulation& sim, SolveGroup group) {
  prepareSurfaces(sim, group);
  ResistanceRows& list = sim.resistance;
  ContactCache& contacts = sim.collision.contacts();
  list.rows.clear();
  list.start.clear();
  if (contacts.resistingCount() == 0) return;
  list.start.reserve(ContactCache::kParked + 1);
  contacts.forEach([&](std::uint32_t id, ContactCache::Contact& contact, auto& bundle, auto& rows,
                       ContactSums& sums, int lane) {
    const ContactResistance resistance = contacts.resistance(id);
    if (!(resistance.rolling > 0.0 || resistance.torsional > 0.0) || ContactCache::groupOfColour(contact.colour) != static_cast<int>(group)) return;
    while (list.start.size() <= contact.colour) {
      list.start.push_back(static_cast<std::uint32_t>(list.rows.size()));
    }
    list.rows.push_back(ResistanceRow{
        .contact = id,
        .body0 = static_cast<std::uint32_t>(bundle.body0[lane]),
        .body1 = static_cast<std::uint32_t>(bundle.body1[lane]),
        .rolling = resistance.rolling,
        .torsional = resistance.torsional,
        .size = bundle.size[lane],
        .normal = &rows.normal[0][0],
        .tangent = &rows.tangent[0][0],
        .points = rows.points,
        .pointCount = static_cast<int>(std::size(rows.points)),
        .lane = lane,
        .frictionWork = sums.frictionWork + lane,
        .impulse = {resistance.impulse[0], resistance.impulse[1], resistance.impulse[2]}});
  });
  list.start.push_back(static_cast<std::uint32_t>(list.rows.size()));
  for (const ResistanceRow& row : list.rows) warmResistance(sim.solver, row);
}

std::uint32_t sweepResistance(Simulation& sim, const ContactPass& pass, double speed) {
  SolverBodies& solver = sim.solver;
  std::atomic<std::uint32_t> unsettled{0};
  forResistance(sim, [&](ResistanceRow& row) {
    if (!pass.first && std::max(solver.stirred[row.body0], solver.stirred[row.body1]) + 1 < pass.stamp) return;
    const double unrest = visitResistance(solver, row) / speed;
    const bool moves0 = solver.motion[row.body0].inverseMass > 0.0;
    const bool moves1 = solver.motion[row.body1].inverseMass > 0.0;
    const SweepBudget& budget = solver.budget[moves0 ? row.body0 : row.body1];
    if (!(unrest > static_cast<double>(budget.limit(pass.number)))) return;
    if (moves0) solver.stirred[row.body0] = pass.stamp;
    if (moves1) solver.stirred[row.body1] = pass.stamp;
    unsettled.fetch_add(1, std::memory_order_relaxed);
  });
  return unsettled.load(std::memory_order_relaxed) + sweepSurfaces(sim, pass, speed);
}

void concludeResistance(Simulation& sim) {
  concludeSurfaces(sim);
  forResistance(sim, [&](ResistanceRow& row) {
    addResistanceWork(sim.solver, row);
    sim.collision.contacts().keepResistance(row.contact, row.impulse);
  });
}

}  // namespace msd_sim
