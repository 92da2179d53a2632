#include "msd-sim/src/DataTypes/UnionFind.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Calls visit(contact) for all contacts, on any thread.
template <class Visit>
void forContacts(Simulation& sim, const Visit& visit) {
  ContactCache& contacts = sim.collision.contacts();
  sim.team->forRange(contacts.places(), kContactGrain, [&](std::size_t first, std::size_t last) {
    contacts.forPlaces(
        first, last, [&](std::uint32_t, const ContactCache::Contact& contact) { visit(contact); });
  });
}

/// What every island touches that cannot be pushed.
void findSupports(Simulation& sim) {
  Islands& islands = sim.islands;
  // Islands become more and fewer; an array that is assigned to grows by no more than it must.
  islands.support.reserve(sim.slots.size());
  islands.support.assign(islands.count(), IslandSupport::kNothing);
  islands.scale.reserve(sim.slots.size());
  islands.scale.assign(islands.count(), 1.0);
  islands.carried.reserve(sim.slots.size());
  islands.carried.assign(islands.count(), 0);
  const auto note = [&](std::uint32_t body, std::uint32_t other) {
    if (sim.pushable[body] == 0 || sim.pushable[other] != 0) return;
    const std::uint32_t island = islands.islandOf[body];
    raise(islands.support[island],
          sim.slots[other].kinematic ? IslandSupport::kDriven : IslandSupport::kStatic);
    if (sim.slots[other].kinematic) setShared(islands.carried[island], 1);
  };
  forContacts(sim, [&](const ContactCache::Contact& contact) {
    const auto [a, b] = contact.bodies;
    if (sim.pushable[a] == 0 && sim.pushable[b] == 0) return;
    note(a, b);
    note(b, a);
    if (!sim.slots[a].special && !sim.slots[b].special) return;
    raise(islands.support[islands.islandOf[sim.pushable[a] != 0 ? a : b]], IslandSupport::kDriven);
  });
  islands.joints.reserve(sim.slots.size());
  islands.joints.assign(islands.count(), 0);
  forJointIslands(sim, [&](const JointRecord& r, std::uint32_t island) {
    ++islands.joints[island];
    note(r.definition.bodyA, r.definition.bodyB);
    note(r.definition.bodyB, r.definition.bodyA);
    if (feedsEnergy(r.definition)) islands.support[island] = IslandSupport::kDriven;
  });
}

}  // namespace

void buildIslands(Simulation& sim) {
  Islands& islands = sim.islands;
  sim.report.islands = static_cast<std::uint32_t>(islands.count());
  if (islands.version == sim.collision.contacts().version() &&
      islands.jointVersion == sim.joints.version()) {
    return;
  }
  islands.version = sim.collision.contacts().version();
  islands.jointVersion = sim.joints.version();

  const std::size_t count = sim.slots.size();
  islands.parent.resize(count);
  islands.islandOf.assign(count, Islands::kNone);
  islands.label.assign(count, Islands::kNone);
  for (std::uint32_t i = 0; i < count; ++i) islands.parent[i] = i;
  const std::vector<std::uint8_t>& pushable = sim.pushable;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (pushable[a] != 0) setShared(islands.islandOf[a], 0);
    if (pushable[b] != 0) setShared(islands.islandOf[b], 0);
    if (pushable[a] != 0 && pushable[b] != 0) unite(islands.parent, a, b);
  };
  forContacts(
      sim, [&](const ContactCache::Contact& contact) { join(contact.bodies.a, contact.bodies.b); });
  sim.joints.forEachPair(join);

  sim.team->forRange(count, kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
    nameRoots(islands.parent, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
  });

  // Islands are numbered by their smallest slot; counting sort keeps slots ascending inside.
  std::uint32_t next = 0;
  islands.start.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (islands.islandOf[i] == Islands::kNone) continue;
    const std::uint32_t root = islands.parent[i];
    if (islands.label[root] == Islands::kNone) {
      islands.label[root] = next++;
      islands.start.push_back(0);
    }
    islands.islandOf[i] = islands.label[root];
    ++islands.start[islands.islandOf[i]];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& s : islands.start) {
    const std::uint32_t n = s;
    s = sum;
    sum += n;
  }
  islands.start.push_back(sum);
  islands.bodies.resize(sum);
  std::vector<std::uint32_t>& cursor = islands.label;  // reused: next free entry per island
  for (std::uint32_t k = 0; k < next; ++k) cursor[k] = islands.start[k];
  for (std::uint32_t i = 0; i < count; ++i) {
    if (islands.islandOf[i] != Islands::kNone) islands.bodies[cursor[islands.islandOf[i]]++] = i;
  }
  sim.report.islands = next;
  findSupports(sim);
}

}  // namespace msd_sim
