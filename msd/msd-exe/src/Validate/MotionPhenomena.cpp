// Motion without contact: the parabola, and the free top.
#include <algorithm>

#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"

namespace msd_exe {

namespace {

/// x = x0 + v t + g t²/2 after 10 s.
Measurement freeFlight(bool) {
  WorldModel world{underTest({})};
  const BodyId ball = world.spawn(InertialDescription{.shape = msd_sim::Sphere{0.1},
                                                      .linearVelocity = {3.0, -2.0, 40.0},
                                                      .angularVelocity = {1.0, 2.0, 3.0}});
  run(world, 600);
  const Coordinate expected{30.0, -20.0, 400.0 - 0.5 * kGravity * 100.0};
  const double error = (stateOf(world, ball).position - expected).norm();
  return {.expected = expected.z(),
          .measured = stateOf(world, ball).position.z(),
          .error = error,
          .tolerance = 1e-9};
}

struct TopDrift {
  double energy{0.0};    ///< largest relative change
  double momentum{0.0};  ///< largest relative change
};

/// A box of 0.1 x 0.4 x 0.9 m about its middle axis.
TopDrift spinTop(int steps, double dt) {
  WorldModel world{underTest({.gravity = kWeightless})};
  const BodyId top = world.spawn(InertialDescription{
      .shape = msd_sim::Box{{0.05, 0.2, 0.45}}, .mass = 10.0, .angularVelocity = {0.1, 5.0, 0.1}});
  const double energy = world.inertial(top).kineticEnergy();
  const Vector3D momentum = angularMomentum(world, top);
  TopDrift drift;
  for (int i = 0; i < steps; ++i) {
    world.update(dt);
    drift.energy =
        std::max(drift.energy, std::abs(world.inertial(top).kineticEnergy() - energy) / energy);
    drift.momentum =
        std::max(drift.momentum, (angularMomentum(world, top) - momentum).norm() / momentum.norm());
  }
  return drift;
}

Measurement topEnergy(bool fast) {
  const double drift = spinTop(fast ? 10'000 : 100'000, kStep).energy;
  return {.expected = 0.0, .measured = drift, .error = drift, .tolerance = 1e-9};
}

Measurement topMomentum(bool fast) {
  const double drift = spinTop(fast ? 10'000 : 100'000, kStep).momentum;
  return {.expected = 0.0, .measured = drift, .error = drift, .tolerance = 1e-9};
}

}  // namespace

std::vector<Phenomenon> motionPhenomena() {
  return {
      {"Motion", "free flight for 10 s", "z = z0 + v t − g t²/2; distance from the parabola", "m",
       freeFlight},
      {"Motion", "free asymmetric top, energy",
       "E constant; largest |ΔE|/E over 1e5 steps (fast: 1e4)", "-", topEnergy},
      {"Motion", "free asymmetric top, momentum",
       "L constant; largest |ΔL|/L over 1e5 steps (fast: 1e4)", "-", topMomentum},
  };
}

}  // namespace msd_exe
