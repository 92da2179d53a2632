#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

double norm(const double (&a)[3]) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/// Fastest that any point of the body moved, by its velocity or by position correction [m/s].
double liveliness(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  const double size = sim.solver.pose[i].size;
  return std::max(norm(m.v) + size * norm(m.w), norm(sim.solver.shift[i].d) / dt);
}

/// Brings a body to rest where it is. Its last bit of motion goes into the ledger.
void putToSleep(Simulation& sim, std::uint32_t i) {
  AssetInertial& body = *sim.slots[i].inertial;
  sim.pendingWork.damping -= body.kineticEnergy();
  body.getInertialState().velocity.setZero();
  body.getInertialState().angularVelocity.setZero();
  sim.solver.stop(i);
  sim.solver.load[i] = BodyLoad{};
  sim.solver.turn[i] = BodyTurn{};
  sim.solver.warmStart[i] = BodyWarmStart{};
  sim.solver.mass[i].dynamic = 0.0;
  sim.pushable[i] = 0;
  sim.moving[i] = 0;
  sim.sleepers.asleep[i] = 1;
  ++sim.sleepers.count;
}

/// Bodies that fall asleep together wake together: a ring through them finds all from any.
void linkRing(Sleepers& sleepers, std::span<const std::uint32_t> bodies) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    sleepers.next[bodies[k]] = bodies[(k + 1) % bodies.size()];
  }
}

void wakeBody(Simulation& sim, std::uint32_t i) {
  sim.sleepers.asleep[i] = 0;
  sim.sleepers.toWake[i] = 0;
  sim.sleepers.slowTime[i] = 0.0;
  --sim.sleepers.count;
  sim.pushable[i] = 1;
  sim.moving[i] = 1;
  sim.solver.mass[i].dynamic = 1.0;
  sim.solver.motion[i].inverseMass = sim.slots[i].inertial->getInverseMass();
}

bool isMovingKinematic(const Simulation& sim, std::uint32_t i) {
  if (!sim.slots[i].kinematic) return false;
  const BodyMotion& m = sim.solver.motion[i];
  return norm(m.v) > 0.0 || norm(m.w) > 0.0;
}

}  // namespace

// An island sleeps when its liveliest body has been slower than Settings::sleepSpeed for
// Settings::sleepTime: a single body that is at rest at the turning point of a swing must not stop
// the others. Bodies in no island decide for themselves.
void fallAsleep(Simulation& sim, double dt) {
  if (!sim.settings.sleeping) return;
  Sleepers& sleepers = sim.sleepers;
  const Islands& islands = sim.islands;
  sleepers.islandSlowTime.assign(islands.count(), std::numeric_limits<double>::infinity());
  const std::uint32_t before = sleepers.count;
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.pushable[i] == 0) continue;
    const bool slow = sim.slots[i].maySleep && liveliness(sim, i, dt) < sim.settings.sleepSpeed;
    sleepers.slowTime[i] = slow ? sleepers.slowTime[i] + dt : 0.0;
    const std::uint32_t island = islands.islandOf[i];
    if (island != Islands::kNone) {
      sleepers.islandSlowTime[island] =
          std::min(sleepers.islandSlowTime[island], sleepers.slowTime[i]);
    } else if (sleepers.slowTime[i] >= sim.settings.sleepTime && slow) {
      putToSleep(sim, i);
      sleepers.next[i] = i;
    }
  }
  for (std::size_t k = 0; k < islands.count(); ++k) {
    if (!(sleepers.islandSlowTime[k] >= sim.settings.sleepTime &&
          sleepers.islandSlowTime[k] > 0.0)) {
      continue;
    }
    const std::span<const std::uint32_t> bodies{islands.bodies.data() + islands.start[k],
                                                islands.start[k + 1] - islands.start[k]};
    if (bodies.empty() || sleepers.asleep[bodies.front()] != 0) continue;
    for (const std::uint32_t i : bodies) putToSleep(sim, i);
    linkRing(sleepers, bodies);
  }
  if (sleepers.count != before) sim.islands.version = ~std::uint64_t{0};
}

// Waking waits until no loop runs over the arrays that it changes.
void callAwake(Simulation& sim, std::uint32_t slot) {
  Sleepers& sleepers = sim.sleepers;
  if (slot >= sleepers.asleep.size() || sleepers.toWake[slot] != 0) return;
  if (sleepers.asleep[slot] == 0) {
    sleepers.slowTime[slot] = 0.0;
    return;
  }
  // The whole island counts as awake from now on.
  std::uint32_t i = slot;
  do {
    sleepers.toWake[i] = 1;
    i = sleepers.next[i];
  } while (i != slot);
  sleepers.calls.push_back(slot);
}

bool wakeRequested(Simulation& sim) {
  Sleepers& sleepers = sim.sleepers;
  if (sleepers.calls.empty()) return false;
  for (const std::uint32_t slot : sleepers.calls) {
    std::uint32_t i = slot;
    do {
      const std::uint32_t next = sleepers.next[i];
      wakeBody(sim, i);
      i = next;
    } while (i != slot);
  }
  sleepers.calls.clear();
  if (!sim.joints.isEmpty()) sim.joints.refresh();
  sim.islands.version = ~std::uint64_t{0};
  return true;
}

void callTouched(Simulation& sim) {
  if (sim.sleepers.count == 0) return;
  const CollisionPipeline& collision = sim.collision;
  const std::span<const CollisionPipeline::Pair> pairs = collision.pairs();
  // A pair with a sleeper is tested only when something about it has changed.
  for (const std::uint32_t index : collision.testedPairs()) {
    const CollisionPipeline::Pair& pair = pairs[index];
    if (pair.firstContact == ContactCache::kNone) continue;
    for (const std::uint32_t collider : {pair.colliderA, pair.colliderB}) {
      const std::uint32_t body = collision.colliders()[collider].body;
      if (sim.sleepers.asleep[body] != 0) callAwake(sim, body);
    }
  }
  // What is carried by a kinematic body has to go with it, though no pair of theirs has changed.
  if (sim.kinematicCount == 0) return;
  ContactCache& contacts = sim.collision.contacts();
  contacts.forEach([&](std::uint32_t, const ContactCache::Contact& contact) {
    const auto [a, b] = contact.bodies;
    if (sim.sleepers.asleep[b] != 0 && isMovingKinematic(sim, a)) callAwake(sim, b);
    if (sim.sleepers.asleep[a] != 0 && isMovingKinematic(sim, b)) callAwake(sim, a);
  });
}

}  // namespace msd_sim
