#include <cmath>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kBlockGrain = 32;
constexpr int kDefaultSubsteps = 4;

// What gravity can ask of a contact in a phase, in units of its own kick: a body that carries a few
// others is no surprise (T-12).
constexpr double kExpectedLoads = 4.0;

// Gap at which a loaded contact lets go, relative to the size of its smaller body (G-6).
constexpr double kBand = 2e-4;

// The guard lets this share of the energy that the loads feed in during a substep pass, and this
// share of the kinetic energy: both are rounding.
constexpr double kGuardLoadShare = 1e-9;
constexpr double kGuardKineticShare = 1e-13;

template <class Kernel>
void forBodies(Simulation& sim, const Kernel& kernel) {
  const std::span<const std::uint32_t> blocks{sim.activeBlocks};
  sim.team->forRange(blocks.size(), kBlockGrain, [&](std::size_t first, std::size_t last) {
    kernel(blocks.subspan(first, last - first));
  });
}

void clearGuesses(Simulation& sim) {
  for (const std::uint32_t block : sim.activeBlocks) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      sim.solver.guess[block * SolverBodies::kBlock + i] = BodyGuess{};
    }
  }
}

/// (T-13): no island leaves a substep with more energy than it had and the loads gave it. What a
/// solve that has not converged adds is taken out of the motion again.
void guardEnergy(Simulation& sim, double h) {
  const Islands& islands = sim.islands;
  for (std::size_t k = 0; k < islands.count(); ++k) {
    double surplus = 0.0, allowance = 0.0, kinetic = 0.0;
    for (std::uint32_t e = islands.start[k]; e < islands.start[k + 1]; ++e) {
      const std::uint32_t i = islands.bodies[e];
      const BodyLoad& load = sim.solver.load[i];
      const BodyKick& kick = sim.solver.kick[i];
      const double a2 = load.a[0] * load.a[0] + load.a[1] * load.a[1] + load.a[2] * load.a[2];
      surplus += sim.solver.surplus[i];
      kinetic += sim.solver.surplus[i] + kick.kinetic + kick.work;
      allowance += kGuardLoadShare * sim.solver.mass[i].mass * a2 * h * h +
                   kGuardKineticShare * kick.kinetic;
    }
    if (surplus <= allowance || !(kinetic > 0.0)) continue;
    const double c = std::sqrt(std::max(0.0, 1.0 - surplus / kinetic));
    for (std::uint32_t e = islands.start[k]; e < islands.start[k + 1]; ++e) {
      BodyMotion& m = sim.solver.motion[islands.bodies[e]];
      for (int q = 0; q < 3; ++q) {
        m.v[q] *= c;
        m.w[q] *= c;
      }
    }
    ++sim.guardedSubsteps;
  }
}

}  // namespace

void solveSubsteps(Simulation& sim, double dt) {
  const int substeps = sim.settings.substeps > 0 ? sim.settings.substeps : kDefaultSubsteps;
  static const int cold = getenv("COLD") ? atoi(getenv("COLD")) : 0;
  const int iterations = sim.step == 0 && cold > 0 ? cold : sim.settings.iterations;
  const double h = dt / substeps;
  ContactPass pass{.h = h,
                   .inverseH = 1.0 / h,
                   .guessSpeed = kExpectedLoads * 0.5 * h * sim.settings.gravity.norm(),
                   .threshold = sim.settings.restitutionThreshold,
                   .band = kBand};
  sim.guardedSubsteps = 0;
  clearGuesses(sim);
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.warm(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count);
  });
  const bool bounces = true;
  for (int k = 0; k < substeps; ++k) {
    if (bounces) {
      forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
        kernels.approach(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                         arrays.bounce.data() + first, count, pass);
      });
    }
    forBodies(sim, [&](auto blocks) { sim.kernels->body.kick(sim.solver, blocks, 0.5 * h); });
    for (int it = 0; it < iterations; ++it) {
      pass.first = it == 0;
      pass.last = it + 1 == iterations;
      forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
        kernels.solve(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                      bounces ? arrays.bounce.data() + first : nullptr, count, pass);
      });
    }
    forBodies(sim, [&](auto blocks) { sim.kernels->body.drift(sim.solver, blocks, h); });
    for (int it = 0; it < iterations; ++it) {
      pass.first = it == 0;
      pass.last = it + 1 == iterations;
      forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
        kernels.relax(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count,
                      pass);
      });
    }
    forBodies(sim, [&](auto blocks) { sim.kernels->body.finish(sim.solver, blocks); });
    guardEnergy(sim, h);
  }
  sim.report.substeps = static_cast<std::uint32_t>(substeps);
  sim.report.iterations = static_cast<std::uint32_t>(2 * substeps * iterations);
  sim.lastSubstep = h;
}

}  // namespace msd_sim
