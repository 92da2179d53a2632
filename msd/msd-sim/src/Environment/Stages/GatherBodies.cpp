#include <algorithm>
#include <atomic>
#include <cmath>

#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Environment/Stages/ApplyLoads.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

/// Upper bound of what any point of the body can move in the coming step.
double comingTravel(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  const BodyLoad& load = sim.solver.load[i];
  const double v = std::sqrt(m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2]);
  const double w = std::sqrt(m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2]);
  const double a = std::sqrt(load.a[0] * load.a[0] + load.a[1] * load.a[1] + load.a[2] * load.a[2]);
  return dt * (v + dt * a + w * sim.solver.pose[i].size);
}

// Travel in a step, against the body's size, from which a body is fast: it can hand on a speed that
// matters.
constexpr double kFastTravel = 0.05;
// Bodies one thread takes at a time.
constexpr std::size_t kGatherGrain = 256;

/// A body that is hit in the step moves on with up to the speed of what hits it: whatever touches a
/// fast body may move as far as it.
void spreadTravel(Simulation& sim) {
  forAllBundles(sim, [&](const auto&, auto& arrays, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
        const auto a = static_cast<std::size_t>(arrays.bundles[i].body0[lane]);
        const auto b = static_cast<std::size_t>(arrays.bundles[i].body1[lane]);
        const bool slower = sim.comingTravel[a] < sim.comingTravel[b];
        const std::size_t hit = slower ? a : b;
        const double coming = sim.comingTravel[slower ? b : a];
        if (sim.pushable[hit] == 0) continue;
        std::atomic_ref<double> reach{sim.travel[hit].reach};
        raise(reach, sim.travel[hit].sum + coming);
      }
    }
  });
}

/// Blocks of bodies in which one moves.
void listActiveBlocks(Simulation& sim) {
  sim.activeBlocks.clear();
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    const std::uint32_t block = i / SolverBodies::kBlock;
    if (sim.moving[i] == 0) continue;
    if (sim.activeBlocks.empty() || sim.activeBlocks.back() != block) {
      sim.activeBlocks.push_back(block);
    }
  }
}

/// A kinematic body on its way to a target, or one that has arrived.
void steer(Simulation& sim, std::uint32_t i, double dt) {
  BodySlot& slot = sim.slots[i];
  if (slot.target) {
    if (dt > 0.0) aimAtTarget(sim, i, dt);
  } else if (slot.stopsAfterward && dt > 0.0) {
    slot.stopsAfterward = false;
    BodyMotion& m = sim.solver.motion[i];
    for (int c = 0; c < 3; ++c) m.v[c] = m.w[c] = 0.0;
  }
}

}  // namespace

// v = (x_target - x)/dt, ω = log(q_target q⁻¹)/dt.
void aimAtTarget(Simulation& sim, std::uint32_t i, double dt) {
  const BodySlot& slot = sim.slots[i];
  const InertialState& state = slot.inertial->getInertialState();
  const Coordinate centre = slot.target->toWorld(slot.inertial->localCentreOfMass());
  const CoordinateRate v = (centre - state.position) / dt;
  const AngularRate w =
      rotationVector(slot.target->orientation * state.orientation.conjugate()) / dt;
  BodyMotion& m = sim.solver.motion[i];
  for (int c = 0; c < 3; ++c) {
    m.v[c] = v[c];
    m.w[c] = w[c];
  }
}

void gatherBody(Simulation& sim, std::uint32_t i, double dt) {
  if (sim.pushable[i] != 0) {
    if (sim.potentials.empty()) writeLoad(sim, i);
  } else if (sim.kinematicCount > 0) {
    steer(sim, i, dt);
  }
  sim.comingTravel[i] = comingTravel(sim, i, dt);
  sim.travel[i].reach = sim.travel[i].sum + sim.comingTravel[i];
}

void gatherBodies(Simulation& sim, double dt) {
  beginFields(sim, dt);
  const std::size_t count = sim.slots.size();
  sim.comingTravel.resize(sim.travel.size());
  std::atomic<std::uint32_t> fast{0};
  sim.team->forRange(count, kGatherGrain, [&](std::size_t first, std::size_t last) {
    std::uint32_t found = 0;
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
      if (sim.moving[i] == 0) {
        sim.travel[i].reach = sim.travel[i].sum;
        sim.comingTravel[i] = 0.0;
        continue;
      }
      gatherBody(sim, i, dt);
      if (sim.comingTravel[i] > kFastTravel * sim.solver.pose[i].size) ++found;
    }
    fast.fetch_add(found, std::memory_order_relaxed);
  });
  sim.fastBodies = fast.load(std::memory_order_relaxed);
  listActiveBlocks(sim);
  if (sim.fastBodies > 0) spreadTravel(sim);
}

}  // namespace msd_sim
