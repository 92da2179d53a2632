#include "msd-sim/src/Environment/Stages/ApplyLoads.hpp"

#include <cmath>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

// Beyond this exponent the factor is zero in double precision.
constexpr double kLargestExponent = 745.0;
// Argument up to which the series below is exact to rounding.
constexpr double kSeriesReach = 0.03125;

/// exp(-x) for x >= 0, the same bits on every machine: by series at x/2^k, then squared k times.
double decay(double x) {
  if (x > kLargestExponent) return 0.0;
  int squarings = 0;
  while (x > kSeriesReach) {
    x *= 0.5;
    ++squarings;
  }
  double f = 1.0;
  for (int n = 9; n >= 1; --n) f = 1.0 - x / n * f;
  for (int i = 0; i < squarings; ++i) f *= f;
  return f;
}

InertialState stateOf(const BodyPose& pose, const BodyMotion& motion) {
  return {{pose.x[0], pose.x[1], pose.x[2]},
          Quaternion{pose.q[0], pose.q[1], pose.q[2], pose.q[3]},
          {motion.v[0], motion.v[1], motion.v[2]},
          {motion.w[0], motion.w[1], motion.w[2]}};
}

/// The state half of h later, if nothing else acted.
InertialState advanced(const InertialState& state, double half) {
  InertialState later = state;
  later.position += half * state.velocity;
  const Vector3D turn = 0.5 * half * state.angularVelocity;
  later.orientation = Quaternion{1.0, turn.x(), turn.y(), turn.z()} * state.orientation;
  later.orientation.normalize();
  return later;
}

void addFields(Simulation& sim, std::uint32_t i, double h) {
  const AssetInertial& body = *sim.slots[i].inertial;
  const InertialState state = advanced(stateOf(sim.solver.pose[i], sim.solver.motion[i]), 0.5 * h);
  const SpatialVector field = fieldLoad(sim, i, state);
  const Force& force = field.linear;
  const Torque& torque = field.angular;
  writeLoad(sim, i);
  BodyLoad& load = sim.solver.load[i];
  const Acceleration a = body.getInverseMass() * force;
  for (int c = 0; c < 3; ++c) {
    load.a[c] += a[c];
    load.torque[c] += torque[c];
  }
}

template <class Work>
void forPushable(Simulation& sim, const Work& work) {
  sim.team->forRange(sim.slots.size(), kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (sim.pushable[i] != 0) work(static_cast<std::uint32_t>(i));
    }
  });
}

}  // namespace

void writeLoad(Simulation& sim, std::uint32_t i) {
  BodyLoad& load = sim.solver.load[i];
  Acceleration a = sim.settings.gravity;
  Torque torque = Torque::Zero();
  if (sim.slots[i].forced) {
    const AssetInertial& body = *sim.slots[i].inertial;
    a += body.getInverseMass() * body.accumulatedForce();
    torque += body.accumulatedTorque();
  }
  for (int c = 0; c < 3; ++c) {
    load.a[c] = a[c];
    load.torque[c] = torque[c];
  }
}

double fieldEnergy(const Simulation& sim, std::uint32_t slot, const InertialState& state) {
  double energy = 0.0;
  for (const PlacedPotential& field : sim.potentials) {
    if (!field.actsOn(sim.idOf(slot))) continue;
    energy += field.potential->computeEnergy(state, sim.slots[slot].inertial->getMass());
  }
  return energy;
}

SpatialVector fieldLoad(const Simulation& sim, std::uint32_t slot, const InertialState& state) {
  const AssetInertial& body = *sim.slots[slot].inertial;
  SpatialVector load;
  for (const PlacedPotential& field : sim.potentials) {
    if (!field.actsOn(sim.idOf(slot))) continue;
    load.linear += field.potential->computeForce(state, body.getMass());
    load.angular += field.potential->computeTorque(state, body.getInertiaTensor());
  }
  return load;
}

void beginFields(Simulation& sim, double dt) {
  sim.fields.clear();
  if (sim.potentials.empty()) return;
  sim.fields.resize(sim.slots.size());
  forPushable(sim, [&](std::uint32_t i) {
    // The loads of the whole step at once bound how far a body may come in it.
    addFields(sim, i, dt);
    sim.fields[i] = {fieldEnergy(sim, i, stateOf(sim.solver.pose[i], sim.solver.motion[i]))};
  });
}

void applyFields(Simulation& sim, double h) {
  if (sim.potentials.empty()) return;
  forPushable(sim, [&](std::uint32_t i) { addFields(sim, i, h); });
}

void removeFields(Simulation& sim) {
  if (sim.potentials.empty()) return;
  forPushable(sim, [&](std::uint32_t i) { writeLoad(sim, i); });
}

// A body's potential energy changes by U1 - U0 while it moves freely, and by U2 - U1 where position
// correction moves it. What the field's kicks gave is part of BodyTurn::scheme.
FieldBalance balanceFields(const Simulation& sim, std::uint32_t i) {
  const BodyStart& s = sim.solver.start[i];
  const BodyMotion& m = sim.solver.motion[i];
  const FieldShare& share = sim.fields[i];
  InertialState state = stateOf(sim.solver.pose[i], m);
  const double end = fieldEnergy(sim, i, state);
  const double* t = sim.solver.turn[i].q;
  state.position = Coordinate{s.x[0], s.x[1], s.x[2]} + Vector3D{m.dx[0], m.dx[1], m.dx[2]};
  state.orientation =
      Quaternion{t[0], t[1], t[2], t[3]} * Quaternion{s.q[0], s.q[1], s.q[2], s.q[3]};
  const double free = fieldEnergy(sim, i, state);
  return {.energy = end, .change = end - share.energyBefore, .position = end - free};
}

// v ← exp(-c dt/2) v, ω ← exp(-c dt/2) ω before and after the substeps: Strang's splitting, second
// order together with everything else and exact by itself.
void dampBodies(Simulation& sim, double dt) {
  for (DampedBody& d : sim.damped) {
    if (sim.pushable[d.slot] == 0) continue;
    AssetInertial& body = *sim.slots[d.slot].inertial;
    if (d.dt != dt) {
      d.dt = dt;
      d.linear = decay(0.5 * dt * body.linearDamping());
      d.angular = decay(0.5 * dt * body.angularDamping());
    }
    BodyMotion& motion = sim.solver.motion[d.slot];
    const InertialState now = stateOf(sim.solver.pose[d.slot], motion);
    const AngularRate w_B = now.orientation.conjugate() * now.angularVelocity;
    const double linear = 0.5 * body.getMass() * now.velocity.squaredNorm();
    const double angular = 0.5 * w_B.dot(body.getInertiaTensor() * w_B);
    for (int c = 0; c < 3; ++c) {
      motion.v[c] *= d.linear;
      motion.w[c] *= d.angular;
    }
    sim.pendingWork.damping +=
        (d.linear * d.linear - 1.0) * linear + (d.angular * d.angular - 1.0) * angular;
  }
}

}  // namespace msd_sim
