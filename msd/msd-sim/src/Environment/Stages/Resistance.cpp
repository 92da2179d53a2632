#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Physics/Solver/SettledSpeed.hpp"

namespace msd_sim {

namespace {

/// Calls work(row) in the order of the contacts' colours.
template <class Work>
void forResistance(Simulation& sim, std::size_t pack, const Work& work) {
  for (ResistanceRow& row : sim.packScratch[pack]->resistance.rows) work(row);
}

}  // namespace

// Contacts keep the moments of their resistance as N·m, and the warm start of a substep is h times that (W-1).
void prepareResistance(Simulation& sim, std::size_t pack, double h) {
  prepareSurfaces(sim, pack);
  ContactCache& contacts = sim.collision.contacts();
  if (contacts.resistingCount() == 0) return;
  ResistanceRows& list = sim.packScratch[pack]->resistance;
  sim.table.forContacts(pack, [&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums& sums, int lane) {
    const ContactResistance resistance = contacts.resistance(id);
    if (!(resistance.rolling > 0.0 || resistance.torsional > 0.0)) return;
    list.rows.push_back(ResistanceRow{
        .contact = id,
        .body0 = bodyPair.body0,
        .body1 = bodyPair.body1,
        .rolling = resistance.rolling,
        .torsional = resistance.torsional,
        .size = rows.size[lane],
        .normal = &rows.normal[0][0],
        .tangent = &rows.tangent[0][0],
        .points = rows.points,
        .pointCount = static_cast<int>(std::size(rows.points)),
        .lane = lane,
        .frictionWork = sums.frictionWork + lane,
        .drivenWork = sums.drivenWork + lane,
        .localResidual = sums.localResidual + lane,
        .impulse = h * Vector3D{resistance.moment[0], resistance.moment[1], resistance.moment[2]}});
  });
  for (const ResistanceRow& row : list.rows) warmResistance(sim.solver, row);
}

// Visited after the contacts of a sweep, whose normal impulses bound the moments: both settle together, row by row of the
// block Gauss–Seidel iteration (G-4).
std::uint32_t sweepResistance(Simulation& sim, std::size_t pack, const ContactPass& pass, double speed) {
  SolverBodies& solver = sim.solver;
  std::uint32_t unsettled = 0;
  forResistance(sim, pack, [&](ResistanceRow& row) {
    if (!pass.first && std::max(solver.dirty[row.body0], solver.dirty[row.body1]) + 1 < pass.stamp) return;
    row.change = visitResistance(solver, row);
    const double localResidual = row.change / speed;
    const bool moves0 = solver.motion[row.body0].inverseMass > 0.0;
    const bool moves1 = solver.motion[row.body1].inverseMass > 0.0;
    const SweepBudget& budget = solver.budget[moves0 ? row.body0 : row.body1];
    if (!(localResidual > static_cast<double>(budget.limit(pass.number)))) return;
    if (moves0) solver.dirty[row.body0] = pass.stamp;
    if (moves1) solver.dirty[row.body1] = pass.stamp;
    ++unsettled;
  });
  return unsettled + sweepSurfaces(sim, pack, pass, speed);
}

// What a rolling row still changed counts as its contact's own last change in the report.
void concludeResistance(Simulation& sim, std::size_t pack, double h, const PhaseEnd& end) {
  concludeSurfaces(sim, pack, end);
  const SettledSpeed settled{h, sim.settings.gravity.norm()};
  forResistance(sim, pack, [&](ResistanceRow& row) {
    *row.localResidual = std::max(*row.localResidual, row.change / settled.of(row.size));
    addResistanceWork(sim.solver, row);
    sim.collision.contacts().keepResistance(row.contact, row.impulse / h);
  });
}

}  // namespace msd_sim
