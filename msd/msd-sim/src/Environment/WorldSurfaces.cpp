#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

AssetPhysical& assetOf(BodySlot& slot) {
  if (slot.inertial) return *slot.inertial;
  return *slot.environment;
}

/// Calls all that touches a body awake.
void callNeighbours(Simulation& sim, std::uint32_t slot) {
  const CollisionPipeline& collision = sim.collision;
  for (const std::uint32_t index : collision.pairsOf(sim.slots[slot].firstCollider)) {
    const CollisionPipeline::Pair& pair = collision.pairs()[index];
    if (pair.firstContact == ContactCache::kNone) continue;
    const ContactBodies& bodies = collision.contacts().contact(pair.firstContact).bodies;
    callAwake(sim, bodies.a == slot ? bodies.b : bodies.a);
  }
}

}  // namespace

void refuseSurface(const SurfaceMaterial& material, const Vector3D& velocity, const std::string& name) {
  if (std::isinf(material.stiffness) && velocity.isZero(0.0)) return;
  throw std::invalid_argument(fmt::format(
      "the surface of body \"{}\" {}; exact and reference mode know only rigid surfaces at rest: expected one, or "
      "method fast",
      name, std::isinf(material.stiffness) ? "moves" : "gives way"));
}

void markSurface(Simulation& sim, BodySlot& slot, const SurfaceMaterial& material,
                 const Vector3D& velocity) {
  const bool special = !std::isinf(material.stiffness) || !velocity.isZero(0.0);
  if (special != slot.special) special ? ++sim.specialBodies : --sim.specialBodies;
  slot.special = special;
  slot.surfaceVelocity = velocity;
}

void restoreSurface(Simulation& sim, std::uint32_t index, const SurfaceMaterial& material,
                    const Vector3D& velocity) {
  BodySlot& slot = sim.slots[index];
  assetOf(slot).setMaterial(material);
  markSurface(sim, slot, material, velocity);
  for (std::uint32_t c = slot.firstCollider; c != Collider::kNone;
       c = sim.collision.colliders()[c].nextOfBody) {
    sim.collision.setMaterial(c, {material.friction, material.restitution, material.rollingResistance,
                                  material.torsionalResistance, slot.special});
  }
}

void setSurface(Simulation& sim, std::uint32_t index, const SurfaceMaterial& material,
                const Vector3D& velocity) {
  const BodySlot& slot = sim.slots[index];
  if (sim.settings.method != Method::kFast) refuseSurface(material, velocity, slot.name);
  callNeighbours(sim, index);
  callAwake(sim, index);
  restoreSurface(sim, index, material, velocity);
  sim.collision.refreshBody(slot.firstCollider);
}

void WorldModel::setMaterial(BodyId body, const SurfaceMaterial& material) {
  Simulation& sim = simulation_.edit();
  const BodySlot& slot = sim.slot(body);
  setSurface(sim, body.index, material, slot.surfaceVelocity);
}

void WorldModel::setSurfaceVelocity(BodyId body, const Vector3D& velocity) {
  Simulation& sim = simulation_.edit();
  BodySlot& slot = sim.slot(body);
  requireFinite(velocity, "surfaceVelocity", "m/s");
  if (slot.special && !velocity.isZero(0.0)) {  // the same contacts, with another speed
    slot.surfaceVelocity = velocity;
    callNeighbours(sim, body.index);
    callAwake(sim, body.index);
    return;
  }
  setSurface(sim, body.index, assetOf(slot).material(), velocity);
}

void WorldModel::setContactCallback(std::function<void(ContactChange&)> callback) {
  Simulation& sim = simulation_.edit();
  sim.contactCallback = std::move(callback);
  // What the last function made of the contacts is over.
  ContactCache& contacts = sim.collision.contacts();
  contacts.forEach([&](std::uint32_t id, const ContactCache::Contact& contact) {
    const ContactMaterial material = sim.collision.materialOf(contact.pair);
    contacts.setCoefficients(id, material.friction, material.restitution);
  });
}

}  // namespace msd_sim
