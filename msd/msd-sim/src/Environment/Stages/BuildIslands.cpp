#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

std::uint32_t findRoot(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/// The smaller slot becomes the root, so that the result does not depend on the order of contacts.
void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t ra = findRoot(parent, a), rb = findRoot(parent, b);
  if (ra < rb) {
    parent[rb] = ra;
  } else {
    parent[ra] = rb;
  }
}

}  // namespace

void buildIslands(Simulation& sim) {
  Islands& islands = sim.islands;
  sim.report.islands = static_cast<std::uint32_t>(islands.count());
  sim.report.colours = static_cast<std::uint32_t>(sim.collision.contacts().usedColours());
  if (islands.version == sim.collision.contacts().version()) return;
  islands.version = sim.collision.contacts().version();

  const std::size_t count = sim.slots.size();
  islands.parent.resize(count);
  islands.islandOf.assign(count, Islands::kNone);
  islands.label.assign(count, Islands::kNone);
  for (std::uint32_t i = 0; i < count; ++i) islands.parent[i] = i;
  std::vector<std::uint8_t>& pushable = sim.pushable;
  sim.collision.contacts().forEach([&](std::uint32_t, const ContactCache::Contact&, auto& bundle,
                                       auto&, ContactSums&, int lane) {
    const auto a = static_cast<std::uint32_t>(bundle.body0[lane]);
    const auto b = static_cast<std::uint32_t>(bundle.body1[lane]);
    if (pushable[a] != 0) islands.islandOf[a] = 0;
    if (pushable[b] != 0) islands.islandOf[b] = 0;
    if (pushable[a] != 0 && pushable[b] != 0) unite(islands.parent, a, b);
  });

  // Islands are numbered by their smallest slot; counting sort keeps slots ascending inside.
  std::uint32_t next = 0;
  islands.start.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (islands.islandOf[i] == Islands::kNone) continue;
    const std::uint32_t root = findRoot(islands.parent, i);
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
}

}  // namespace msd_sim
