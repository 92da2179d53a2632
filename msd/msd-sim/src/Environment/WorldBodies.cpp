#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

/// A free slot, with room for it in every per-body array.
std::uint32_t openSlot(Simulation& sim) {
  if (!sim.freeSlots.empty()) {
    const std::uint32_t slot = sim.freeSlots.back();
    sim.freeSlots.pop_back();
    return slot;
  }
  const auto slot = static_cast<std::uint32_t>(sim.slots.size());
  sim.slots.emplace_back();
  sim.solver.resize(sim.slots.size());
  if (sim.travel.size() < sim.solver.size()) {
    sim.travel.resize(sim.solver.size());
    sim.pushable.resize(sim.solver.size(), 0);
    sim.moving.resize(sim.solver.size(), 0);
    sim.sleepers.asleep.resize(sim.solver.size(), 0);
    sim.sleepers.toWake.resize(sim.solver.size(), 0);
    sim.sleepers.slowTime.resize(sim.solver.size(), 0.0);
    sim.sleepers.next.resize(sim.solver.size(), 0);
  }
  return slot;
}

BodyInertia inertiaOf(const InertialDescription& d) {
  if (d.inertia || d.centreOfMass) {
    if (std::isnan(d.mass)) {
      throw std::invalid_argument(
          "mass is not set; expected one together with inertia or centreOfMass");
    }
  }
  if (d.inertia && d.centreOfMass) return {d.mass, *d.centreOfMass, *d.inertia};
  const msd_assets::MassProperties solid = msd_assets::computeMassProperties(d.shape);
  BodyInertia inertia = std::isnan(d.mass) ? BodyInertia::fromDensity(solid, d.density)
                                           : BodyInertia::fromMass(solid, d.mass);
  if (d.inertia) inertia.inertia = *d.inertia;
  if (d.centreOfMass) inertia.centreOfMass = *d.centreOfMass;
  return inertia;
}

/// Colliders of a shape: one, or one per part of a compound, from the centre of mass.
void addColliders(Simulation& sim, std::uint32_t slot, const Shape& shape,
                  const Coordinate& centreOfMass, const SurfaceMaterial& material,
                  const CollisionFilter& filter, bool moves) {
  const auto add = [&](const Shape& part, const Pose& place) {
    Collider c;
    c.body = slot;
    c.nextOfBody = sim.slots[slot].firstCollider;
    c.moves = moves;
    c.shape = makeCollisionShape(part);
    c.local = {place.position - centreOfMass, place.orientation};
    c.layer = filter.layer;
    c.mask = filter.mask;
    c.material = {material.friction, material.restitution, material.rollingResistance,
                  material.torsionalResistance, sim.slots[slot].special};
    sim.slots[slot].firstCollider = sim.collision.addCollider(c);
  };
  if (shape.kind() != msd_assets::ShapeKind::kCompound) {
    add(shape, Pose{});
    return;
  }
  for (const CompoundPart& part : shape.as<Compound>().parts) {
    add(part.shape, Pose{part.position, part.orientation});
  }
}

void writeSymmetric(const Matrix3D& m, double (&out)[6]) {
  const double values[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  for (int c = 0; c < 6; ++c) out[c] = values[c];
}

void writePose(const InertialState& state, double size, BodyPose& pose) {
  for (int c = 0; c < 3; ++c) pose.x[c] = state.position[c];
  pose.q[0] = state.orientation.w();
  pose.q[1] = state.orientation.x();
  pose.q[2] = state.orientation.y();
  pose.q[3] = state.orientation.z();
  pose.size = size;
}

BodyId registerBody(Simulation& sim, std::uint32_t slot, const std::string& name) {
  const BodyId id = sim.idOf(slot);
  sim.slots[slot].name = name;
  sim.order.push_back(id);
  sim.islands.version = ~std::uint64_t{0};
  sim.sleepers.slowTime[slot] = 0.0;
  sim.recordsValid = false;
  sim.looseValid = false;
  if (!name.empty()) sim.byName[name].push_back(id);
  return id;
}

}  // namespace

BodyId WorldModel::spawn(const InertialDescription& d) {
  Simulation& sim = simulation_.edit();
  if (d.shape.isStaticOnly()) {
    throw std::invalid_argument(
        fmt::format("shape of body \"{}\" is a {}; expected a solid that can move", d.name,
                    msd_assets::shapeKindName(d.shape.kind())));
  }
  const auto number = static_cast<std::uint32_t>(sim.order.size());
  auto body = std::make_unique<AssetInertial>(number, number, d.shape, inertiaOf(d),
                                              ReferenceFrame{d.position, d.orientation});
  const SurfaceMaterial material{d.friction,         d.restitution,
                                 d.rollingResistance, d.torsionalResistance,
                                 d.contactStiffness,  d.contactDamping};
  requireFinite(d.surfaceVelocity, "surfaceVelocity", "m/s");
  body->setMaterial(material);
  if (sim.settings.method != Method::kFast) refuseSurface(material, d.surfaceVelocity, d.name);
  body->setKinematic(d.kinematic);
  body->setDamping(d.linearDamping, d.angularDamping);
  requireFinite(d.linearVelocity, "linearVelocity", "m/s");
  requireFinite(d.angularVelocity, "angularVelocity", "rad/s");
  InertialState& state = body->getInertialState();
  state.angularVelocity = d.angularVelocity;
  state.velocity =
      d.linearVelocity + d.angularVelocity.cross(state.orientation * body->localCentreOfMass());

  const std::uint32_t slot = openSlot(sim);
  BodySlot& s = sim.slots[slot];
  const std::uint32_t generation = s.generation;
  s = BodySlot{};
  s.generation = generation;
  s.kinematic = d.kinematic;
  s.maySleep = d.maySleep;
  s.continuous = d.continuous;
  s.inertial = std::move(body);
  markSurface(sim, s, material, d.surfaceVelocity);

  const double size = msd_assets::boundingRadius(d.shape, s.inertial->localCentreOfMass());
  sim.solver.stop(slot);
  BodyMotion& motion = sim.solver.motion[slot];
  for (int c = 0; c < 3; ++c) {
    motion.v[c] = state.velocity[c];
    motion.w[c] = state.angularVelocity[c];
  }
  motion.inverseMass = d.kinematic ? 0.0 : s.inertial->getInverseMass();
  writePose(state, size, sim.solver.pose[slot]);
  BodyMass& mass = sim.solver.mass[slot];
  mass = BodyMass{};
  mass.mass = s.inertial->getMass();
  mass.dynamic = d.kinematic ? 0.0 : 1.0;
  if (!d.kinematic) {
    writeSymmetric(s.inertial->getInertiaTensor(), mass.inertia);
    writeSymmetric(s.inertial->localInverseInertia(), mass.inverseInertia);
  }
  sim.solver.load[slot] = BodyLoad{};
  sim.solver.warmStart[slot] = BodyWarmStart{};
  sim.solver.turn[slot] = BodyTurn{};
  sim.travel[slot] = BodyTravel{};
  sim.pushable[slot] = d.kinematic ? 0 : 1;
  sim.moving[slot] = 1;
  if (d.collides) {
    addColliders(sim, slot, d.shape, s.inertial->localCentreOfMass(), material, d.filter, true);
  }
  if (d.continuous && d.collides) sim.continuous.push_back(slot);
  if (d.kinematic) {
    ++sim.kinematicCount;
  } else if (d.linearDamping > 0.0 || d.angularDamping > 0.0) {
    sim.damped.push_back(DampedBody{.slot = slot});
  }
  return registerBody(sim, slot, d.name);
}

BodyId WorldModel::spawn(const EnvironmentDescription& d) {
  Simulation& sim = simulation_.edit();
  const auto number = static_cast<std::uint32_t>(sim.order.size());
  auto body = std::make_unique<AssetEnvironment>(number, number, d.shape,
                                                 ReferenceFrame{d.position, d.orientation});
  const SurfaceMaterial material{d.friction,         d.restitution,
                                 d.rollingResistance, d.torsionalResistance,
                                 d.contactStiffness,  d.contactDamping};
  requireFinite(d.surfaceVelocity, "surfaceVelocity", "m/s");
  body->setMaterial(material);
  if (sim.settings.method != Method::kFast) refuseSurface(material, d.surfaceVelocity, d.name);
  const std::uint32_t slot = openSlot(sim);
  BodySlot& s = sim.slots[slot];
  const std::uint32_t generation = s.generation;
  s = BodySlot{};
  s.generation = generation;
  s.environment = std::move(body);
  markSurface(sim, s, material, d.surfaceVelocity);
  sim.solver.stop(slot);
  sim.solver.mass[slot] = BodyMass{};
  sim.solver.load[slot] = BodyLoad{};
  sim.solver.turn[slot] = BodyTurn{};
  const double size = msd_assets::boundingRadius(d.shape, Coordinate::Zero());
  writePose(s.environment->getInertialState(), size, sim.solver.pose[slot]);
  sim.travel[slot] = BodyTravel{};
  sim.pushable[slot] = 0;
  sim.moving[slot] = 0;
  if (d.collides) {
    addColliders(sim, slot, d.shape, Coordinate::Zero(), material, d.filter, false);
  }
  return registerBody(sim, slot, d.name);
}

const AssetPhysical& WorldModel::asset(BodyId body) const {
  const BodySlot& slot = simulation_->slot(body);
  if (slot.inertial) return *slot.inertial;
  return *slot.environment;
}

const AssetInertial& WorldModel::inertial(BodyId body) const {
  const BodySlot& slot = simulation_->slot(body);
  if (!slot.inertial) {
    throw std::invalid_argument(
        fmt::format("body \"{}\" is part of the environment; expected one that moves", slot.name));
  }
  return *slot.inertial;
}

const AssetEnvironment& WorldModel::environment(BodyId body) const {
  const BodySlot& slot = simulation_->slot(body);
  if (!slot.environment) {
    throw std::invalid_argument(
        fmt::format("body \"{}\" moves; expected one of the environment", slot.name));
  }
  return *slot.environment;
}

CoordinateRate WorldModel::frameVelocity(BodyId body) const {
  const BodySlot& slot = simulation_->slot(body);
  if (!slot.inertial) return CoordinateRate::Zero();
  const InertialState& s = slot.inertial->getInertialState();
  return s.velocity - s.angularVelocity.cross(s.orientation * slot.inertial->localCentreOfMass());
}

}  // namespace msd_sim
