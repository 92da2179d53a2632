#include <atomic>
#include <cmath>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Adds a bound of how far any point of the body has moved in the step (K-1).
void addTravel(Simulation& sim, std::uint32_t i) {
  const BodyPose& now = sim.solver.pose[i];
  const BodyStart& start = sim.solver.start[i];
  const double dx = now.x[0] - start.x[0], dy = now.x[1] - start.x[1], dz = now.x[2] - start.x[2];
  // |q - q0| is twice the sine of a quarter of the angle; the chord of a point at radius r is
  // 2 r sin(angle/2) <= 4 r sin(angle/4) = 2 r |q - q0|.
  double dq2 = 0.0;
  for (int c = 0; c < 4; ++c) dq2 += (now.q[c] - start.q[c]) * (now.q[c] - start.q[c]);
  const double turned = 2.0 * now.size * std::sqrt(dq2);
  sim.travel[i].sum += std::sqrt(dx * dx + dy * dy + dz * dz) + turned;
  sim.travel[i].turned += turned;
}

bool isFinite(const BodyPose& p, const BodyMotion& m) {
  double sum = 0.0;
  for (int c = 0; c < 3; ++c) sum += p.x[c] + m.v[c] + m.w[c];
  for (int c = 0; c < 4; ++c) sum += p.q[c];
  return std::isfinite(sum);
}

/// Kinematic bodies end exactly where they were told to.
void arriveAtTarget(Simulation& sim, std::uint32_t i) {
  BodySlot& slot = sim.slots[i];
  const Coordinate centre = slot.target->toWorld(slot.inertial->localCentreOfMass());
  BodyPose& pose = sim.solver.pose[i];
  for (int c = 0; c < 3; ++c) pose.x[c] = centre[c];
  const Quaternion& q = slot.target->orientation;
  pose.q[0] = q.w(), pose.q[1] = q.x(), pose.q[2] = q.y(), pose.q[3] = q.z();
  slot.target.reset();
  slot.stopsAfterward = true;
}

}  // namespace

void scatterBody(Simulation& sim, std::uint32_t i) {
  if (sim.slots[i].target) arriveAtTarget(sim, i);
  const BodyPose& p = sim.solver.pose[i];
  const BodyMotion& m = sim.solver.motion[i];
  InertialState& state = sim.slots[i].inertial->getInertialState();
  state.position = {p.x[0], p.x[1], p.x[2]};
  state.orientation = Quaternion{p.q[0], p.q[1], p.q[2], p.q[3]};
  state.velocity = {m.v[0], m.v[1], m.v[2]};
  state.angularVelocity = {m.w[0], m.w[1], m.w[2]};
  sim.slots[i].inertial->synchronizeFrame();
  addTravel(sim, i);
  if (sim.slots[i].forced) {
    sim.slots[i].inertial->clearForces();
    sim.slots[i].forced = false;
  }
}

bool scatterBodies(Simulation& sim) {
  const std::size_t count = sim.slots.size();
  std::atomic<bool> finite{true};
  sim.team->forRange(count, kWorkGrain.scatter, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (sim.moving[i] == 0 || isFinite(sim.solver.pose[i], sim.solver.motion[i])) continue;
      finite.store(false, std::memory_order_relaxed);
    }
  });
  if (!finite.load(std::memory_order_relaxed)) {
    std::uint32_t i = 0;
    while (sim.moving[i] == 0 || isFinite(sim.solver.pose[i], sim.solver.motion[i])) ++i;
    sim.report.blame(StepFault::kNonFinite);
    sim.report.failedBody = sim.idOf(i);
    sim.report.failedStage = Stage::kSolve;
    return false;
  }
  sim.team->forRange(count, kWorkGrain.scatter, [&](std::size_t first, std::size_t last) {
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
      if (sim.moving[i] != 0) scatterBody(sim, i);
    }
  });
  return true;
}

}  // namespace msd_sim
