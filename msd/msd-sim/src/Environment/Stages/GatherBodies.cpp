#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

void writeLoad(Simulation& sim, std::uint32_t i) {
  const AssetInertial& body = *sim.slots[i].inertial;
  BodyLoad& load = sim.solver.load[i];
  Acceleration a = sim.settings.gravity;
  Torque torque = Torque::Zero();
  if (sim.slots[i].forced) {
    a += body.getInverseMass() * body.accumulatedForce();
    torque += body.accumulatedTorque();
  }
  for (int c = 0; c < 3; ++c) {
    load.a[c] = a[c];
    load.torque[c] = torque[c];
  }
}

/// Upper bound of what any point of the body can move in the coming step.
double comingTravel(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  const BodyLoad& load = sim.solver.load[i];
  const double v = std::sqrt(m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2]);
  const double w = std::sqrt(m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2]);
  const double a =
      std::sqrt(load.a[0] * load.a[0] + load.a[1] * load.a[1] + load.a[2] * load.a[2]);
  return dt * (v + dt * a + w * sim.solver.pose[i].size);
}

// Travel in a step, against the body's size, from which a body can hand on a speed that matters.
constexpr double kFastTravel = 0.05;

/// A body that is hit in the step moves on with up to the speed of what hits it: whatever touches a
/// fast body may move as far as it.
void spreadTravel(Simulation& sim) {
  sim.collision.contacts().forEach([&](std::uint32_t, const ContactCache::Contact&, auto& bundle,
                                       auto&, ContactSums&, int lane) {
    const auto a = static_cast<std::size_t>(bundle.body0[lane]);
    const auto b = static_cast<std::size_t>(bundle.body1[lane]);
    const double coming = std::max(sim.comingTravel[a], sim.comingTravel[b]);
    BodyTravel& ta = sim.travel[a];
    BodyTravel& tb = sim.travel[b];
    if (sim.pushable[a] != 0) ta.reach = std::max(ta.reach, ta.sum + coming);
    if (sim.pushable[b] != 0) tb.reach = std::max(tb.reach, tb.sum + coming);
  });
}

}  // namespace

void gatherBodies(Simulation& sim, double dt) {
  sim.activeBlocks.clear();
  const auto count = static_cast<std::uint32_t>(sim.slots.size());
  bool fast = false;
  sim.comingTravel.assign(count, 0.0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (sim.moving[i] == 0) {
      sim.travel[i].reach = sim.travel[i].sum;
      continue;
    }
    if (sim.pushable[i] != 0) writeLoad(sim, i);
    const double coming = comingTravel(sim, i, dt);
    sim.travel[i].reach = sim.travel[i].sum + coming;
    sim.comingTravel[i] = coming;
    fast = fast || coming > kFastTravel * sim.solver.pose[i].size;
    const std::uint32_t block = i / SolverBodies::kBlock;
    if (sim.activeBlocks.empty() || sim.activeBlocks.back() != block) {
      sim.activeBlocks.push_back(block);
    }
  }
  if (fast) spreadTravel(sim);
}

}  // namespace msd_sim
