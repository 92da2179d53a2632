#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldBytes.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

namespace {

constexpr std::array<char, 8> kMagic{'m', 's', 'd', '-', 's', 'n', 'a', 'p'};
constexpr std::uint32_t kVersion = 10;

}  // namespace

Hash128 checkSumOf(std::span<const std::byte> bytes) {
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

namespace {

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

}  // namespace

std::vector<std::byte> WorldModel::snapshot() const {
  requireIdle(*simulation_);
  ByteWriter payload;
  saveWorld(payload, *simulation_);
  const Hash128 check = checkSumOf(payload.bytes());
  const Hash128 world = fingerprint(*simulation_);
  ByteWriter out;
  for (const char c : kMagic) out.put(c);
  out.put(kVersion);
  for (const std::uint64_t word : {world.low, world.high, check.low, check.high}) out.put(word);
  out.putRun(payload.bytes());
  return std::move(out.bytes());
}

void WorldModel::restore(std::span<const std::byte> snapshot) {
  Simulation& sim = simulation_.edit();
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
  if (!in.isAtEnd() || checkSumOf(payload) != check) {
    throw std::invalid_argument("snapshot is damaged: its check sum does not fit");
  }
  if (world != fingerprint(sim)) {
    throw std::invalid_argument(
        "snapshot is of another world; expected one with the same bodies, shapes, joints and "
        "potentials, made in the same order");
  }
  checkWorld(payload, sim);
  ByteWriter before;
  saveWorld(before, sim);
  try {
    loadWorld(payload, sim);
  } catch (...) {  // for want of memory; what was there before fits where it was
    loadWorld(before.bytes(), sim);
    throw;
  }
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
