#include <cmath>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kBlockGrain = 32;

// What gravity can ask of a contact in a phase, in units of its own kick: a body that carries a few
// others is no surprise (T-12).
constexpr double kExpectedLoads = 4.0;

// The guard lets this share of the energy that the loads feed in during a substep pass, and this
// share of the kinetic energy: both are rounding.
constexpr double kGuardLoadShare = 1e-7;
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

bool anyBounces(const Simulation& sim) {
  for (const auto& [id, mayBounce] : std::initializer_list<std::pair<int, bool>>{{0, true}}) {
    (void)id;
    (void)mayBounce;
  }
  return sim.settings.restitutionThreshold >= 0.0;
}

/// Scale s in [0, 1] of the impulses of phase 2 for which an island's energy does not rise: the
/// larger root of a s + ½ b s² = limit, or the minimum of the left side where there is none.
double guardScale(double a, double b, double limit) {
  if (!(b > 0.0)) return 1.0;
  const double discriminant = a * a + 2.0 * b * limit;
  const double s = discriminant >= 0.0 ? (-a + std::sqrt(discriminant)) / b : -a / b;
  return std::min(1.0, std::max(0.0, s));
}

struct PhaseEnergy {
  double linear{0.0};     ///< p·v before the impulses [J]
  double quadratic{0.0};  ///< p·M⁻¹p [J]
};

PhaseEnergy phaseEnergy(const Simulation& sim, std::uint32_t i) {
  const BodyMotion& m = sim.solver.motion[i];
  const BodyKick& k = sim.solver.kick[i];
  const BodyMass& mass = sim.solver.mass[i];
  const BodyPose& pose = sim.solver.pose[i];
  const Vector3D dv{m.v[0] - k.v[0], m.v[1] - k.v[1], m.v[2] - k.v[2]};
  const Vector3D dw{m.w[0] - k.w[0], m.w[1] - k.w[1], m.w[2] - k.w[2]};
  const Quaternion q{pose.q[0], pose.q[1], pose.q[2], pose.q[3]};
  Matrix3D inertia;
  const double* s = mass.inertia;
  inertia << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  const Vector3D momentum = q * (inertia * (q.conjugate() * dw));
  return {mass.mass * dv.dot(Vector3D{k.v[0], k.v[1], k.v[2]}) +
              momentum.dot(Vector3D{k.w[0], k.w[1], k.w[2]}),
          mass.mass * dv.squaredNorm() + momentum.dot(dw)};
}

void scaleBody(Simulation& sim, std::uint32_t i, double s) {
  BodyMotion& m = sim.solver.motion[i];
  const BodyKick& k = sim.solver.kick[i];
  BodyGuess& g = sim.solver.guess[i];
  for (int c = 0; c < 3; ++c) {
    m.v[c] = k.v[c] + s * (m.v[c] - k.v[c]);
    m.w[c] = k.w[c] + s * (m.w[c] - k.w[c]);
    g.linear[c] *= s;
    g.angular[c] *= s;
  }
  sim.factorOfBody[i] = s;
}

/// (T-13): no island leaves a substep with more energy than it had and the loads gave it.
void guardEnergy(Simulation& sim, double h) {
  const Islands& islands = sim.islands;
  bool scaled = false;
  for (std::size_t k = 0; k < islands.count(); ++k) {
    double surplus = 0.0, allowance = 0.0;
    for (std::uint32_t e = islands.start[k]; e < islands.start[k + 1]; ++e) {
      const std::uint32_t i = islands.bodies[e];
      const BodyLoad& load = sim.solver.load[i];
      const double a2 = load.a[0] * load.a[0] + load.a[1] * load.a[1] + load.a[2] * load.a[2];
      surplus += sim.solver.surplus[i];
      allowance += kGuardLoadShare * sim.solver.mass[i].mass * a2 * h * h +
                   kGuardKineticShare * sim.solver.kick[i].kinetic;
    }
    if (surplus <= allowance) continue;
    PhaseEnergy sum;
    for (std::uint32_t e = islands.start[k]; e < islands.start[k + 1]; ++e) {
      const PhaseEnergy one = phaseEnergy(sim, islands.bodies[e]);
      sum.linear += one.linear;
      sum.quadratic += one.quadratic;
    }
    const double rise = sum.linear + 0.5 * sum.quadratic;
    const double s = guardScale(sum.linear, sum.quadratic, rise - surplus);
    if (!(s < 1.0)) continue;
    for (std::uint32_t e = islands.start[k]; e < islands.start[k + 1]; ++e) {
      scaleBody(sim, islands.bodies[e], s);
    }
    scaled = true;
    ++sim.guardedSubsteps;
  }
  if (!scaled) return;
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.scale(arrays.bundles.data() + first, arrays.rows.data() + first, count,
                  sim.factorOfBody.data());
  });
  for (const std::uint32_t i : islands.bodies) sim.factorOfBody[i] = 1.0;
}

}  // namespace

void solveSubsteps(Simulation& sim, double dt) {
  const int substeps = sim.settings.substeps > 0 ? sim.settings.substeps : 4;
  const int iterations = sim.settings.iterations;
  const double h = dt / substeps;
  const double gravity = sim.settings.gravity.norm();
  ContactPass pass{.h = h,
                   .inverseH = 1.0 / h,
                   .guessSpeed = kExpectedLoads * 0.5 * h * gravity,
                   .threshold = sim.settings.restitutionThreshold};
  sim.guardedSubsteps = 0;

  clearGuesses(sim);
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    kernels.warm(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first, count);
  });
  const bool bounces = anyBounces(sim);
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
