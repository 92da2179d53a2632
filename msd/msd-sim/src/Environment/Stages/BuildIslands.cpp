#include "msd-sim/src/DataTypes/UnionFind.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Sets an entry that other threads may set to the same at a time, if it is not so yet.
template <class Entry>
void set(Entry& entry, Entry value) {
  const std::atomic_ref<Entry> shared{entry};
  if (shared.load(std::memory_order_relaxed) != value)
    shared.store(value, std::memory_order_relaxed);
}

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
    const std::atomic_ref<IslandSupport> support{islands.support[islands.islandOf[body]]};
    raise(support, sim.slots[other].kinematic ? IslandSupport::kDriven : IslandSupport::kStatic);
    if (sim.slots[other].kinematic) set(islands.carried[islands.islandOf[body]], std::uint8_t{1});
  };
  forContacts(sim, [&](const ContactCache::Contact& contact) {
    const auto [a, b] = contact.bodies;
    if (sim.pushable[a] == 0 && sim.pushable[b] == 0) return;
    note(a, b);
    note(b, a);
    if (!sim.slots[a].special && !sim.slots[b].special) return;
    raise(std::atomic_ref{islands.support[islands.islandOf[sim.pushable[a] != 0 ? a : b]]},
          IslandSupport::kDriven);
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
    if (pushable[a] != 0) set(islands.islandOf[a], 0u);
    if (pushable[b] != 0) set(islands.islandOf[b], 0u);
    if (pushable[a] != 0 && pushable[b] != 0) uniteShared(islands.parent, a, b);
  };
  forContacts(
      sim, [&](const ContactCache::Contact& contact) { join(contact.bodies.a, contact.bodies.b); });
  sim.joints.forEachPair(join);

  sim.team->forRange(count, kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
      const std::uint32_t root = findSharedRoot(islands.parent, i);
      std::atomic_ref{islands.parent[i]}.store(root, std::memory_order_relaxed);
    }
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
