#include <algorithm>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

// Contacts come and go in any order; every so many steps they are put in order.
constexpr std::uint64_t kSortEvery = 16;

}  // namespace

void prepareRows(Simulation& sim, double dt) {
  beginSurfaces(sim);
  (void)dt;
  ContactCache& contacts = sim.collision.contacts();
  if (sim.step % kSortEvery == 0) {
    contacts.lowerColours();
    sim.report.colours = static_cast<std::uint32_t>(contacts.countColours());
    contacts.sortLanes(sim.islands.islandOf);
  }
  sim.solver.turnedFar = 0;
  sim.stirred.group = -1;
  forBodies(sim, [&](auto blocks) { sim.kernels->body.begin(sim.solver, blocks); });
  forAllBundles(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.prepare(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count);
    std::fill_n(arrays.sums.data() + first, count, ContactSums{});
    for (std::size_t i = first; i < first + count; ++i) {
      std::copy_n(arrays.bundles[i].body0, kBundleLanes, arrays.who[i].body);
      std::copy_n(arrays.bundles[i].body1, kBundleLanes, arrays.who[i].body + kBundleLanes);
    }
  });
}

void renewRows(Simulation& sim, SolveGroup group) {
  if (sim.solver.turnedFar == 0) return;
  forAllBundles(sim, group, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.renew(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count);
  });
}

}  // namespace msd_sim
