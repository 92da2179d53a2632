#include <cmath>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

// Penetration that is left alone, relative to the smaller body's size.
constexpr double kSlop = 1e-6;
constexpr int kSweeps = 2;

}  // namespace

void correctPositions(Simulation& sim, double dt) {
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.store(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                  arrays.sums.data() + first, count);
  });
  double deepest = 0.0;
  sim.collision.contacts().forEach(
      [&](std::uint32_t, const ContactCache::Contact&, auto&, auto&, ContactSums& sums, int lane) {
        deepest = std::max(deepest, sums.deepest[lane]);
      });
  sim.report.deepestPenetration = deepest;
  for (const std::uint32_t block : sim.activeBlocks) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      sim.solver.shift[block * SolverBodies::kBlock + i] = BodyShift{};
    }
  }
  if (deepest <= 0.0 || sim.settings.positionCorrection <= 0.0) return;
  const ContactPass pass{.correction = sim.settings.positionCorrection,
                         .slop = kSlop,
                         .largestShift = sim.settings.correctionSpeed * dt};
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
      kernels.correct(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count,
                      pass, sweep == 0);
    });
  }
  sim.kernels->body.displace(sim.solver, sim.activeBlocks);
}

}  // namespace msd_sim
