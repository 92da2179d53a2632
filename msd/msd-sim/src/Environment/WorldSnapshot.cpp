#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

namespace {

constexpr std::array<char, 8> kMagic{'m', 's', 'd', '-', 's', 'n', 'a', 'p'};
constexpr std::uint32_t kVersion = 6;

Hash128 hashBytes(std::span<const std::byte> bytes) {
  Hasher hasher;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    hasher.add(word);
  }
  std::uint64_t tail = 0;
  if (i < bytes.size()) std::memcpy(&tail, bytes.data() + i, bytes.size() - i);
  hasher.add(tail);
  hasher.add(static_cast<std::uint64_t>(bytes.size()));
  return hasher.finish();
}

void addVector(Hasher& hasher, const Vector3D& v) {
  for (int c = 0; c < 3; ++c) hasher.add(v[c]);
}

/// What a world must have in common with another to take its snapshot.
Hash128 fingerprint(const Simulation& sim) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(sim.slots.size()));
  for (std::size_t i = 0; i < sim.slots.size(); ++i) {
    const BodySlot& slot = sim.slots[i];
    hasher.add(static_cast<std::uint64_t>(slot.generation));
    hasher.add(static_cast<std::uint64_t>((slot.inertial ? 1 : 0) + (slot.environment ? 2 : 0) +
                                          (slot.kinematic ? 4 : 0) + (slot.maySleep ? 8 : 0) +
                                          (slot.continuous ? 16 : 0)));
    hasher.add(sim.solver.pose[i].size);
    if (slot.environment) addVector(hasher, slot.environment->pose().position);
    if (!slot.inertial) continue;
    hasher.add(slot.inertial->getMass());
    addVector(hasher, slot.inertial->localCentreOfMass());
    for (int r = 0; r < 3; ++r) addVector(hasher, slot.inertial->getInertiaTensor().col(r));
    hasher.add(slot.inertial->linearDamping());
    hasher.add(slot.inertial->angularDamping());
  }
  for (const Collider& c : sim.collision.colliders()) {
    hasher.add(static_cast<std::uint64_t>(c.shape.kind));
    hasher.add(c.shape.size);
    addVector(hasher, c.local.position);
    hasher.add((static_cast<std::uint64_t>(c.layer) << 32) | c.mask);
  }
  hasher.add(static_cast<std::uint64_t>(sim.potentials.size()));
  for (const JointId id : sim.jointOrder) {
    const JointSlot& slot = sim.jointSlots[id.index];
    const JointDefinition& joint = sim.joints.record(slot.joint).definition;
    hasher.add((static_cast<std::uint64_t>(id.index) << 32) | slot.joint);
    hasher.add((static_cast<std::uint64_t>(joint.bodyA) << 32) | joint.bodyB);
    hasher.add(static_cast<std::uint64_t>(joint.kind));
    addVector(hasher, joint.anchorA);
    addVector(hasher, joint.anchorB);
    for (int c = 0; c < 3; ++c) addVector(hasher, joint.frameA.col(c));
  }
  return hasher.finish();
}

/// Settings that decide what happens; the number of threads does not.
template <class Visit>
void forSettings(Settings& s, const Visit& visit) {
  visit(s.gravity.x());
  visit(s.gravity.y());
  visit(s.gravity.z());
  visit(s.method);
  visit(s.substeps);
  visit(s.iterations);
  visit(s.exactTolerance);
  visit(s.exactIterations);
  visit(s.restitutionThreshold);
  visit(s.positionCorrection);
  visit(s.correctionSpeed);
  visit(s.sleeping);
  visit(s.sleepSpeed);
  visit(s.sleepTime);
  visit(s.hashEveryStep);
  visit(s.sequentialImpacts);
}

/// What a snapshot holds of one body slot beside the solver's arrays.
struct SlotState {
  bool forced{false};
  Force force{Force::Zero()};
  Torque torque{Torque::Zero()};
  std::optional<Pose> target{};
  bool stopsAfterward{false};
  SurfaceMaterial material{};
  Vector3D surfaceVelocity{Vector3D::Zero()};
};

/// Calls visit(number) for all coefficients of a material.
template <class Material, class Visit>
void forMaterial(Material& m, const Visit& visit) {
  for (auto* number : {&m.friction, &m.restitution, &m.rollingResistance, &m.torsionalResistance,
                       &m.stiffness, &m.damping}) {
    visit(*number);
  }
}

void putSlot(ByteWriter& out, const BodySlot& slot) {
  out.put(slot.forced);
  out.put(slot.stopsAfterward);
  out.put(slot.target.has_value());
  const SurfaceMaterial none{};
  const SurfaceMaterial& material = slot.inertial      ? slot.inertial->material()
                                    : slot.environment ? slot.environment->material()
                                                       : none;
  forMaterial(material, [&](const double& number) { out.put(number); });
  out.putVector(slot.surfaceVelocity);
  if (slot.forced) {
    out.putVector(slot.inertial->accumulatedForce());
    out.putVector(slot.inertial->accumulatedTorque());
  }
  if (slot.target) {
    out.putVector(slot.target->position);
    out.put(slot.target->orientation.w());
    out.putVector(slot.target->orientation.vec());
  }
}

SlotState takeSlot(ByteReader& in) {
  SlotState state;
  state.forced = in.take<std::uint8_t>() != 0;
  state.stopsAfterward = in.take<std::uint8_t>() != 0;
  const bool targeted = in.take<std::uint8_t>() != 0;
  forMaterial(state.material, [&](double& number) { in.take(number); });
  state.surfaceVelocity = in.takeVector();
  if (state.forced) {
    state.force = in.takeVector();
    state.torque = in.takeVector();
  }
  if (targeted) {
    Pose pose;
    pose.position = in.takeVector();
    const double w = in.take<double>();
    const Vector3D v = in.takeVector();
    pose.orientation = Quaternion{w, v.x(), v.y(), v.z()};
    state.target = pose;
  }
  return state;
}

/// Everything of a world that a snapshot replaces.
struct WorldState {
  Settings settings;
  double time{0.0};
  std::uint64_t step{0};
  std::array<double, kSolveGroups> lastSubstep{};
  double dt{0.0};
  StepStatus status{StepStatus::kOk};
  double energyScale{0.0};
  PendingWork pendingWork;
  AlignedVector<BodyMotion> motion;
  AlignedVector<BodyPose> pose;
  AlignedVector<BodyStart> start;  ///< contact records refer to it
  std::vector<double> travelled;
  std::vector<std::uint8_t> pushable;
  std::vector<std::uint8_t> moving;
  Sleepers sleepers;
  std::vector<SlotState> slots;
  CollisionPipeline collision;
  JointSolver joints;
};

void write(ByteWriter& out, const Simulation& sim) {
  Settings settings = sim.settings;
  forSettings(settings, [&](const auto& value) { out.put(value); });
  out.put(sim.time);
  out.put(sim.step);
  for (const double h : sim.lastSubstep) out.put(h);
  out.put(sim.report.dt);
  out.put(sim.report.status);
  out.put(sim.report.energy.scale);
  out.put(sim.pendingWork.external);
  out.put(sim.pendingWork.damping);
  out.putRun(sim.solver.motion);
  out.putRun(sim.solver.pose);
  out.putRun(sim.solver.start);
  out.put(static_cast<std::uint64_t>(sim.travel.size()));
  for (const BodyTravel& travel : sim.travel) out.put(travel.sum);
  out.putRun(sim.pushable);
  out.putRun(sim.moving);
  out.putRun(sim.sleepers.asleep);
  out.putRun(sim.sleepers.still);
  out.putRun(sim.sleepers.next);
  out.putRun(sim.sleepers.called);
  out.putRun(sim.sleepers.calls);
  out.put(sim.sleepers.count);
  for (const BodySlot& slot : sim.slots) putSlot(out, slot);
  sim.collision.save(out);
  std::vector<std::byte> joints;
  sim.joints.save(joints);
  out.putRun(joints);
}

template <class Values>
void requireSize(const Values& values, std::size_t size) {
  if (values.size() != size) throw std::invalid_argument("snapshot is of a world of another size");
}

WorldState read(ByteReader& in, const Simulation& sim) {
  WorldState state;
  state.settings = sim.settings;
  forSettings(state.settings, [&](auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, bool>) {
      value = in.take<std::uint8_t>() != 0;
    } else {
      in.take(value);
    }
  });
  state.settings.validate();
  in.take(state.time);
  in.take(state.step);
  for (double& h : state.lastSubstep) in.take(h);
  in.take(state.dt);
  in.take(state.status);
  in.take(state.energyScale);
  in.take(state.pendingWork.external);
  in.take(state.pendingWork.damping);
  in.takeRun(state.motion);
  in.takeRun(state.pose);
  in.takeRun(state.start);
  in.takeRun(state.travelled);
  in.takeRun(state.pushable);
  in.takeRun(state.moving);
  in.takeRun(state.sleepers.asleep);
  in.takeRun(state.sleepers.still);
  in.takeRun(state.sleepers.next);
  in.takeRun(state.sleepers.called);
  in.takeRun(state.sleepers.calls);
  in.take(state.sleepers.count);
  const std::size_t size = sim.solver.size();
  requireSize(state.motion, size);
  requireSize(state.pose, size);
  requireSize(state.start, size);
  requireSize(state.travelled, sim.travel.size());
  requireSize(state.pushable, sim.pushable.size());
  requireSize(state.moving, sim.moving.size());
  requireSize(state.sleepers.asleep, sim.sleepers.asleep.size());
  requireSize(state.sleepers.still, sim.sleepers.still.size());
  requireSize(state.sleepers.next, sim.sleepers.next.size());
  requireSize(state.sleepers.called, sim.sleepers.called.size());
  for (std::size_t i = 0; i < sim.slots.size(); ++i) {
    state.slots.push_back(takeSlot(in));
    const bool inertial = sim.slots[i].inertial != nullptr;
    if (!inertial && (state.slots[i].forced || state.slots[i].target || state.moving[i] != 0)) {
      throw std::invalid_argument("snapshot moves a body that does not move in this world");
    }
  }
  state.collision = sim.collision;
  state.collision.load(in);
  std::vector<std::byte> joints;
  in.takeRun(joints);
  state.joints = sim.joints;
  if (state.joints.load(joints) != joints.size()) {
    throw std::invalid_argument("snapshot holds more than the joints of this world");
  }
  return state;
}

/// Nothing in here can fail.
void commit(Simulation& sim, WorldState&& state) {
  sim.settings = state.settings;
  sim.time = state.time;
  sim.step = state.step;
  sim.lastSubstep = state.lastSubstep;
  sim.report = StepReport{};
  sim.report.dt = state.dt;
  sim.report.status = state.status;
  sim.report.step = state.step;
  sim.report.time = state.time;
  sim.report.energy.scale = state.energyScale;
  sim.pendingWork = state.pendingWork;
  sim.solver.motion = std::move(state.motion);
  sim.solver.pose = std::move(state.pose);
  sim.solver.start = std::move(state.start);
  sim.pushable = std::move(state.pushable);
  sim.moving = std::move(state.moving);
  sim.sleepers = std::move(state.sleepers);
  sim.collision = std::move(state.collision);
  sim.joints = std::move(state.joints);
  describeJointsAnew(sim);
  listJoinedPairs(sim);
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    sim.travel[i] = {state.travelled[i], state.travelled[i]};
    BodySlot& slot = sim.slots[i];
    slot.forced = state.slots[i].forced;
    slot.target = state.slots[i].target;
    slot.stopsAfterward = state.slots[i].stopsAfterward;
    if (slot.isUsed()) restoreSurface(sim, i, state.slots[i].material, state.slots[i].surfaceVelocity);
    if (!slot.inertial) continue;
    const BodyPose& pose = sim.solver.pose[i];
    InertialState& body = slot.inertial->getInertialState();
    body.position = {pose.x[0], pose.x[1], pose.x[2]};
    body.orientation = Quaternion{pose.q[0], pose.q[1], pose.q[2], pose.q[3]};
    writeVelocityToAsset(sim, i);
    slot.inertial->synchronizeFrame();
    slot.inertial->clearForces();
    slot.inertial->applyForce(state.slots[i].force);
    slot.inertial->applyTorque(state.slots[i].torque);
    sim.solver.mass[i].dynamic = sim.pushable[i] != 0 ? 1.0 : 0.0;
    sim.solver.load[i] = BodyLoad{};
    sim.solver.turn[i] = BodyTurn{};
    sim.solver.guess[i] = BodyGuess{};
    sim.solver.shift[i] = BodyShift{};
    sim.solver.hold[i] = 1.0;
  }
  sim.islands.version = ~std::uint64_t{0};
  sim.events.clear();
  sim.eventScratch.removed.clear();
  sim.recordsValid = false;
  sim.looseValid = false;
}

}  // namespace

std::vector<std::byte> WorldModel::snapshot() const {
  ByteWriter payload;
  write(payload, *simulation_);
  const Hash128 check = hashBytes(payload.bytes());
  const Hash128 world = fingerprint(*simulation_);
  ByteWriter out;
  for (const char c : kMagic) out.put(c);
  out.put(kVersion);
  for (const std::uint64_t word : {world.low, world.high, check.low, check.high}) out.put(word);
  out.putRun(payload.bytes());
  return std::move(out.bytes());
}

void WorldModel::restore(std::span<const std::byte> snapshot) {
  Simulation& sim = *simulation_;
  ByteReader in{snapshot};
  for (const char c : kMagic) {
    if (in.take<char>() != c) throw std::invalid_argument("bytes are not a snapshot of a world");
  }
  if (in.take<std::uint32_t>() != kVersion) {
    throw std::invalid_argument("snapshot is of another version of the engine");
  }
  Hash128 world, check;
  for (std::uint64_t* word : {&world.low, &world.high, &check.low, &check.high}) in.take(*word);
  std::vector<std::byte> payload;
  in.takeRun(payload);
  if (!in.isAtEnd() || hashBytes(payload) != check) {
    throw std::invalid_argument("snapshot is damaged: its check sum does not fit");
  }
  if (world != fingerprint(sim)) {
    throw std::invalid_argument(
        "snapshot is of another world; expected one with the same bodies, shapes, joints and "
        "potentials, made in the same order");
  }
  ByteReader body{payload};
  WorldState state = read(body, sim);
  if (!body.isAtEnd()) throw std::invalid_argument("snapshot holds more than a world");
  commit(sim, std::move(state));
}

Hash128 WorldModel::stateHash() const {
  const Simulation& sim = *simulation_;
  Hasher hasher;
  hasher.add(sim.time);
  for (std::size_t i = 0; i < sim.slots.size(); ++i) {
    if (!sim.slots[i].inertial) continue;
    hasher.add(static_cast<std::uint64_t>(i));
    const BodyPose& pose = sim.solver.pose[i];
    const BodyMotion& motion = sim.solver.motion[i];
    hasher.add(std::span{pose.x});
    hasher.add(std::span{pose.q});
    hasher.add(std::span{motion.v});
    hasher.add(std::span{motion.w});
  }
  return hasher.finish();
}

}  // namespace msd_sim
