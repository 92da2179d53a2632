#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/Stages/ApplyLoads.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Bounds of what the body does in the coming step (K-2).
void foresee(Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  BodyTravel& travel = sim.travel[i];
  for (int c = 0; c < 3; ++c) travel.path[c] = dt * m.v[c];
  travel.size = sim.pushable[i] != 0 ? sim.solver.pose[i].size : 0.0;
  travel.turn = dt * vectorOf(m.w).norm() * sim.solver.pose[i].size;
  travel.fall = sim.pushable[i] != 0 ? dt * dt * vectorOf(sim.solver.load[i].a).norm() : 0.0;
}

}  // namespace

/// A kinematic body on its way to a target, or one that has arrived.
void steerBody(Simulation& sim, std::uint32_t i, double dt) {
  BodySlot& slot = sim.slots[i];
  if (slot.target) {
    if (dt > 0.0) aimAtTarget(sim, i, dt);
  } else if (slot.stopsAfterward && dt > 0.0) {
    slot.stopsAfterward = false;
    BodyMotion& m = sim.solver.motion[i];
    for (int c = 0; c < 3; ++c) m.v[c] = m.w[c] = 0.0;
  }
}

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
    steerBody(sim, i, dt);
  }
  foresee(sim, i, dt);
}

void gatherBodies(Simulation& sim, double dt) {
  beginFields(sim, dt);
  const std::size_t count = sim.slots.size();
  sim.team->forRange(count, kWorkGrain.gather, [&](std::size_t first, std::size_t last) {
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
      if (sim.moving[i] == 0) {
        sim.travel[i] = BodyTravel{.sum = sim.travel[i].sum, .turned = sim.travel[i].turned};
      } else {
        gatherBody(sim, i, dt);
      }
    }
  });
}

}  // namespace msd_sim
