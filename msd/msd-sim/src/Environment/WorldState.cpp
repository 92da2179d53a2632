#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "msd-sim/src/Environment/ContactExclusion.hpp"
#include "msd-sim/src/Environment/Reference/StepReference.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

/// A body that has a state of motion of its own.
BodySlot& movable(Simulation& sim, BodyId body) {
  BodySlot& slot = sim.slot(body);
  if (!slot.inertial) {
    throw std::invalid_argument(
        fmt::format("body \"{}\" is part of the environment; expected one that moves", slot.name));
  }
  return slot;
}

/// A body that forces move.
BodySlot& forceable(Simulation& sim, BodyId body) {
  BodySlot& slot = movable(sim, body);
  if (slot.kinematic) {
    throw std::invalid_argument(fmt::format(
        "body \"{}\" is kinematic: no force moves it; expected setVelocity or moveTo", slot.name));
  }
  return slot;
}

/// Kinetic and potential energy of a body that the ledger counts [J].
double energyOf(const Simulation& sim, std::uint32_t slot) {
  if (sim.slots[slot].kinematic) return 0.0;
  const AssetInertial& body = *sim.slots[slot].inertial;
  const InertialState& state = body.getInertialState();
  return body.kineticEnergy() - body.getMass() * sim.settings.gravity.dot(state.position) +
         fieldEnergy(sim, slot, state);
}

void forgetAnswers(Simulation& sim) {
  sim.recordsValid = false;
  sim.looseValid = false;
}

}  // namespace

namespace {

void callAll(Simulation& sim) {
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) callAwake(sim, i);
}

}  // namespace

void writeStateToSolver(Simulation& sim, std::uint32_t slot) {
  const InertialState& state = sim.slots[slot].inertial->getInertialState();
  BodyPose& pose = sim.solver.pose[slot];
  BodyMotion& motion = sim.solver.motion[slot];
  for (int c = 0; c < 3; ++c) {
    pose.x[c] = state.position[c];
    motion.v[c] = state.velocity[c];
    motion.w[c] = state.angularVelocity[c];
  }
  pose.q[0] = state.orientation.w();
  pose.q[1] = state.orientation.x();
  pose.q[2] = state.orientation.y();
  pose.q[3] = state.orientation.z();
}

void writeVelocityToAsset(Simulation& sim, std::uint32_t slot) {
  const BodyMotion& motion = sim.solver.motion[slot];
  InertialState& state = sim.slots[slot].inertial->getInertialState();
  state.velocity = {motion.v[0], motion.v[1], motion.v[2]};
  state.angularVelocity = {motion.w[0], motion.w[1], motion.w[2]};
}

// --- the world ---

double WorldModel::time() const {
  return simulation_->time;
}
std::uint64_t WorldModel::stepCount() const {
  return simulation_->step;
}
const Settings& WorldModel::settings() const {
  return simulation_->settings;
}
int WorldModel::threads() const {
  return simulation_->team->threads();
}
const StepReport& WorldModel::lastReport() const {
  return simulation_->report;
}

void WorldModel::setSettings(const Settings& settings) {
  settings.validate();
  Simulation& sim = simulation_.edit();
  if (settings.method != Method::kFast) {
    for (const BodySlot& slot : sim.slots) {
      if (!slot.isUsed()) continue;
      refuseSurface(slot.inertial ? slot.inertial->material() : slot.environment->material(),
                    slot.surfaceVelocity, slot.name);
    }
  }
  if (settings.threads != sim.settings.threads) {
    sim.team = std::make_unique<WorkTeam>(
        settings.threads > 0 ? settings.threads
                             : static_cast<int>(std::thread::hardware_concurrency()));
  }
  // What rests now need not rest under another gravity.
  const bool anew = settings.method != sim.settings.method;
  if (anew || !settings.sleeping || settings.gravity != sim.settings.gravity) callAll(sim);
  if (anew) sim.exact.start.clear();  // no problem to tell of
  sim.settings = settings;
  useCombination(sim);
}

std::size_t WorldModel::addPotential(std::unique_ptr<PotentialEnergy> potential,
                                     std::span<const BodyId> bodies) {
  if (!potential) throw std::invalid_argument("potential is null; expected a field of force");
  Simulation& sim = simulation_.edit();
  for (const BodyId body : bodies) (void)forceable(sim, body);
  sim.potentials.push_back({std::move(potential), {bodies.begin(), bodies.end()}});
  callAll(sim);
  return sim.potentials.size() - 1;
}

std::vector<SpatialVector> WorldModel::computeVelocityBias(double dt) const {
  requireRange(dt, "dt", "s", 0.0, kLongestStep);
  return velocityBias(*simulation_, dt);
}

std::vector<SpatialVector> velocityBias(const Simulation& sim, double dt) {
  std::vector<SpatialVector> bias;
  for (const BodyId id : sim.order) {
    const BodySlot& slot = sim.slots[id.index];
    if (!slot.inertial) continue;
    if (slot.kinematic) {
      bias.emplace_back();
      continue;
    }
    const AssetInertial& body = *slot.inertial;
    const InertialState& state = body.getInertialState();
    Force force = body.accumulatedForce() + body.getMass() * sim.settings.gravity;
    Torque torque = body.accumulatedTorque();
    const SpatialVector field = fieldLoad(sim, id.index, state);
    force += field.linear;
    torque += field.angular;
    bias.emplace_back(dt * body.getInverseMass() * force,
                      dt * (body.getInverseInertiaTensor() * torque));
  }
  return bias;
}

// --- bodies ---

bool WorldModel::contains(BodyId body) const {
  const Simulation& sim = *simulation_;
  return body.index < sim.slots.size() && sim.slots[body.index].isUsed() &&
         sim.slots[body.index].generation == body.generation;
}

std::span<const BodyId> WorldModel::bodies() const {
  return simulation_->order;
}

std::optional<BodyId> WorldModel::findBody(std::string_view name) const {
  const auto found = simulation_->byName.find(std::string{name});
  if (found == simulation_->byName.end()) return std::nullopt;
  return found->second.front();
}

bool WorldModel::isEnvironment(BodyId body) const {
  return simulation_->slot(body).environment != nullptr;
}

const std::string& WorldModel::name(BodyId body) const {
  return simulation_->slot(body).name;
}

bool WorldModel::isAwake(BodyId body) const {
  const Simulation& sim = *simulation_;
  const BodySlot& slot = sim.slot(body);
  if (!slot.inertial) return false;
  return sim.sleepers.asleep[body.index] == 0 || sim.sleepers.toWake[body.index] != 0;
}

std::uint32_t WorldModel::island(BodyId body) const {
  const Simulation& sim = *simulation_;
  (void)sim.slot(body);
  if (sim.pushable[body.index] == 0 || body.index >= sim.islands.islandOf.size()) return kNoIsland;
  const std::uint32_t island = sim.islands.islandOf[body.index];
  return island == Islands::kNone ? kNoIsland : island;
}

void WorldModel::wake(BodyId body) {
  Simulation& sim = simulation_.edit();
  (void)sim.slot(body);
  callAwake(sim, body.index);
}

void WorldModel::setState(BodyId body, const InertialState& state) {
  Simulation& sim = simulation_.edit();
  BodySlot& slot = movable(sim, body);
  const double before = energyOf(sim, body.index);
  slot.inertial->setInertialState(state);  // refuses bad numbers before anything has changed
  writeStateToSolver(sim, body.index);
  slot.target.reset();
  slot.stopsAfterward = false;
  sim.pendingWork.external += energyOf(sim, body.index) - before;
  sim.collision.forEachPairOf(slot.firstCollider, [&](std::uint32_t other) { callAwake(sim, other); });
  sim.collision.refreshBody(slot.firstCollider);
  callAwake(sim, body.index);
  forgetAnswers(sim);
}

void WorldModel::setVelocity(BodyId body, const CoordinateRate& linear,
                             const AngularRate& angular) {
  Simulation& sim = simulation_.edit();
  BodySlot& slot = movable(sim, body);
  InertialState state = slot.inertial->getInertialState();
  state.velocity = requireFinite(linear, "linear", "m/s");
  state.angularVelocity = requireFinite(angular, "angular", "rad/s");
  const double before = energyOf(sim, body.index);
  slot.inertial->getInertialState() = state;
  writeStateToSolver(sim, body.index);
  slot.target.reset();
  slot.stopsAfterward = false;
  sim.pendingWork.external += energyOf(sim, body.index) - before;
  callAwake(sim, body.index);
  forgetAnswers(sim);
}

void WorldModel::moveTo(BodyId body, const Pose& pose, double dt) {
  requireIdle(*simulation_);
  Simulation& sim = simulation_.inner();
  BodySlot& slot = movable(sim, body);
  if (!slot.kinematic) {
    throw std::invalid_argument(fmt::format(
        "body \"{}\" is moved by forces; expected a kinematic one for moveTo", slot.name));
  }
  requirePositive(dt, "dt", "s");
  const Vector3D x = requireFinite(pose.position, "position", "m");
  const Quaternion q = requireUnit(pose.orientation, "orientation");
  takeInput(sim, {.kind = WorldInput::Kind::kMove,
                  .index = body.index,
                  .values = {x[0], x[1], x[2], q.w(), q.x(), q.y(), q.z(), dt}});
}

namespace {

using Kind = WorldInput::Kind;

/// A force that has been found to be one, on a body that feels it.
void push(Simulation& sim, BodyId body, Kind kind, const Vector3D& force, const Vector3D& point) {
  requireIdle(sim);
  (void)forceable(sim, body);
  takeInput(sim, {.kind = kind,
                  .index = body.index,
                  .values = {force[0], force[1], force[2], point[0], point[1], point[2]}});
}

}  // namespace

void WorldModel::applyForce(BodyId body, const Force& force) {
  push(simulation_.inner(), body, Kind::kForce, force, Vector3D::Zero());
}

void WorldModel::applyForceAt(BodyId body, const Force& force, const Coordinate& point) {
  push(simulation_.inner(), body, Kind::kForceAt, force, point);
}

void WorldModel::applyTorque(BodyId body, const Torque& torque) {
  push(simulation_.inner(), body, Kind::kTorque, torque, Vector3D::Zero());
}

void WorldModel::applyImpulseAt(BodyId body, const Vector3D& impulse, const Coordinate& point) {
  Simulation& sim = simulation_.edit();
  BodySlot& slot = forceable(sim, body);
  const double before = slot.inertial->kineticEnergy();
  slot.inertial->applyImpulseAtPoint(impulse, point);
  writeStateToSolver(sim, body.index);
  sim.pendingWork.external += slot.inertial->kineticEnergy() - before;
  callAwake(sim, body.index);
  forgetAnswers(sim);
}

Aabb WorldModel::bounds(BodyId body) const {
  const Simulation& sim = *simulation_;
  const BodySlot& slot = sim.slot(body);
  Aabb box;
  for (std::uint32_t c = slot.firstCollider; c != Collider::kNone;) {
    const Collider& collider = sim.collision.colliders()[c];
    box = box.merged(
        sim.collision.isBoxCurrent(c, sim.travel)
            ? sim.collision.box(c)
            : worldBounds(collider.shape, sim.collision.colliderPose(collider, sim.solver)));
    c = collider.nextOfBody;
  }
  return box;
}

// --- removal ---

void WorldModel::remove(BodyId body) {
  Simulation& sim = simulation_.edit();
  BodySlot& slot = sim.slot(body);
  const std::uint32_t index = body.index;
  if (slot.joints > 0) {
    std::vector<JointId> attached;
    for (const JointId id : sim.jointOrder) {
      const JointDescription& joint = sim.jointSlots[id.index].description;
      if (joint.bodyA == body || joint.bodyB == body) attached.push_back(id);
    }
    for (const JointId id : attached) remove(id);
  }
  if (!sim.constraints.empty()) removeConstraintsOf(sim, index);
  // The island sleeps or wakes as a whole, and every body of it may have leant on this one.
  callAwake(sim, index);
  wakeRequested(sim);
  sim.collision.removePairsOf(slot.firstCollider, [&](std::uint32_t other) { callAwake(sim, other); });
  reportRemoval(sim, index);
  forgetReference(sim, index);
  for (std::uint32_t c = slot.firstCollider; c != Collider::kNone;) {
    const std::uint32_t next = sim.collision.colliders()[c].nextOfBody;
    sim.collision.removeCollider(c);
    c = next;
  }
  std::erase(sim.order, body);
  if (const auto named = sim.byName.find(slot.name); named != sim.byName.end()) {
    std::erase(named->second, body);
    if (named->second.empty()) sim.byName.erase(named);
  }
  std::erase_if(sim.joinedPairs, [&](const auto& pair) {
    return (pair.first & kExcludedByUser) != 0 &&
           ((pair.first & ~kExcludedByUser) == index || pair.second == index);
  });
  std::erase_if(sim.damped, [&](const DampedBody& d) { return d.slot == index; });
  std::erase(sim.continuous, index);
  if (slot.kinematic) --sim.kinematicCount;
  if (slot.special) --sim.specialBodies;
  const std::uint32_t generation = slot.generation + 1;
  slot = BodySlot{};
  slot.generation = generation;
  sim.solver.stop(index);
  sim.solver.pose[index] = BodyPose{};
  sim.solver.mass[index] = BodyMass{};
  sim.solver.load[index] = BodyLoad{};
  sim.solver.turn[index] = BodyTurn{};
  sim.solver.warmStart[index] = BodyWarmStart{};
  sim.travel[index] = BodyTravel{};
  sim.pushable[index] = 0;
  sim.moving[index] = 0;
  sim.islands.version = ~std::uint64_t{0};
  sim.freeSlots.push_back(index);
  forgetAnswers(sim);
}

}  // namespace msd_sim
