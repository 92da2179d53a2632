// What the contacts of each island did in a step, for the balance of its energy
// (docs/theory/energy.md).
#include <algorithm>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Physics/Solver/SettledSpeed.hpp"

namespace msd_sim {

namespace {

/// What a contact did.
template <class Rows>
ContactTotals totalsOf(const Rows& rows, const ContactSums& sums, const SettledSpeed& settled,
                       int l) {
  double points = 0.0;
  for (const ContactPointRows& point : rows.points) points += point.normalMass[l] > 0.0 ? 1.0 : 0.0;
  ContactTotals totals{sums.normalWork[l], sums.frictionWork[l], sums.drivenWork[l],
                       sums.residual[l], points};
  totals.last.add(sums.localResidual[l], settled.of(rows.size[l]));
  return totals;
}

/// What counts as settled in the substeps of a pack; before it was solved, anything.
SettledSpeed settledSpeed(const Simulation& sim, std::size_t pack) {
  const double h = sim.packScratch[pack]->h;
  return {h > 0.0 ? h : 1.0, sim.settings.gravity.norm()};
}

std::uint32_t islandOf(const Simulation& sim, LaneBodies bodyPair) {
  return sim.islands.islandOf[sim.pushable[bodyPair.body0] != 0 ? bodyPair.body0 : bodyPair.body1];
}

/// The last of some runs, if it is of an island, or a new one.
ContactTotals& runOf(std::vector<IslandRun>& runs, std::uint32_t island) {
  if (runs.empty() || runs.back().island != island) runs.push_back({island, {}});
  return runs.back().totals;
}

/// Bundles of a shared pack that one thread adds up; sums of blocks are added in their order. What
/// one colour has is one block at least.
constexpr std::uint32_t kSumBundles = 16;

/// The contacts of a pack that is shared, by island. Others have islands together that another
/// number of threads parts: there each island's contacts are added one by one.
void sumShared(Simulation& sim, std::size_t pack) {
  std::vector<std::vector<IslandRun>>& runs = sim.packScratch[pack]->runs;
  const SettledSpeed settled = settledSpeed(sim, pack);
  const std::span<const ContactTable::Colour> colours = sim.table.coloursOf(pack);
  const auto blocksOf = [](const ContactTable::Colour& colour) {
    return 1 + colour.bundles() / kSumBundles;
  };
  std::size_t blocks = 0;
  for (const ContactTable::Colour& colour : colours) blocks += blocksOf(colour);
  while (runs.size() < blocks) runs.emplace_back().reserve(kSumBundles * kBundleLanes);
  for (std::size_t block = 0; block < blocks; ++block) runs[block].clear();
  sim.team->forBlocks(blocks, [&](std::size_t block) {
    std::size_t c = 0, part = block;
    for (; part >= blocksOf(colours[c]); ++c) part -= blocksOf(colours[c]);
    visitColour(
        sim, sliceOf(colours[c], part, blocksOf(colours[c])),
        [&](const auto&, auto& lanes, std::size_t first, std::size_t count) {
          ContactTable::forLanes(
              lanes, first, first + count,
              [&](std::uint32_t, LaneBodies bodyPair, auto& rows, ContactSums& sums, int l) {
                runOf(runs[block], islandOf(sim, bodyPair)).add(totalsOf(rows, sums, settled, l));
              });
        });
  });
  for (std::size_t block = 0; block < blocks; ++block) {
    for (const IslandRun& run : runs[block]) sim.contactTotals[run.island].add(run.totals);
  }
}

}  // namespace

// Contacts are added up by island and islands in their order, so that the sum does not depend on
// who solved what.
void sumContacts(Simulation& sim) {
  sim.contactTotals.assign(sim.islands.count(), ContactTotals{});
  forPacks(sim, [&](std::size_t pack) {
    if (sim.packs.packs[pack].shared) return sumShared(sim, pack);
    const SettledSpeed settled = settledSpeed(sim, pack);
    sim.table.forContacts(
        pack, [&](std::uint32_t, LaneBodies bodyPair, auto& rows, ContactSums& sums, int l) {
          sim.contactTotals[islandOf(sim, bodyPair)].add(totalsOf(rows, sums, settled, l));
        });
  });
}

}  // namespace msd_sim
