// Which islands and bodies are taken together: packs of one schedule, for one thread each or for
// all.
#include <algorithm>
#include <array>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"
#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"

namespace msd_sim {

namespace {

// Bodies of a pack, where these have few contacts or none; and how many take about as long as a
// contact does.
constexpr std::size_t kSparePacks = ContactTable::kSparePacks;

/// Fills up the bodies of the last pack to whole blocks.
void fillBlock(std::vector<std::int32_t>& bodies) {
  while (bodies.size() % SolverBodies::kBlock != 0) bodies.push_back(0);
}

/// Adds packs one by one.
class Packer {
 public:
  explicit Packer(Simulation& sim) : sim_{sim}, packs_{sim.packs} {
    packs_.packs.clear();
    packs_.islands.clear();
    packs_.bodies.clear();
    packs_.components.clear();
    // Packs become more and fewer; their arrays need not grow with them.
    packs_.packs.reserve(kSparePacks);
    packs_.entryStart.reserve(kSparePacks + 1);
    packs_.islands.reserve(sim.slots.size());
    packs_.bodies.reserve(sim.slots.size() + SolverBodies::kBlock * kSparePacks);
    packs_.place.assign(sim.solver.size(), 0);
  }

  void open(SolveGroup group, bool shared) {
    packs_.packs.push_back({.group = group,
                            .shared = shared,
                            .island = static_cast<std::uint32_t>(packs_.islands.size()),
                            .body = static_cast<std::uint32_t>(packs_.bodies.size())});
    work_ = 0;
  }
  void addIsland(std::uint32_t island) {
    packs_.islands.push_back(island);
    for (const std::uint32_t slot : sim_.islands.bodiesOf(island)) addBody(slot);
    const IslandCensus& census = sim_.islands.census[island];
    work_ += census.manifolds + kWorkGrain.contactsPerJoint * census.joints;
  }
  void addBody(std::uint32_t slot) {
    packs_.place[slot] = static_cast<std::uint32_t>(packs_.bodies.size());
    packs_.bodies.push_back(static_cast<std::int32_t>(slot));
  }
  void close() {
    fillBlock(packs_.bodies);
    Pack& pack = packs_.packs.back();
    pack.islandEnd = static_cast<std::uint32_t>(packs_.islands.size());
    pack.bodyEnd = static_cast<std::uint32_t>(packs_.bodies.size());
    pack.work = static_cast<std::uint32_t>(work_ + bodies() / kWorkGrain.bodiesPerContact);
  }
  /// Of the pack that is open, in contacts.
  [[nodiscard]] std::size_t work() const { return work_; }
  [[nodiscard]] std::size_t bodies() const {
    return packs_.bodies.size() - packs_.packs.back().body;
  }

 private:
  Simulation& sim_;
  Packs& packs_;
  std::size_t work_{0};
};

/// Group of a body that belongs to no island.
SolveGroup groupOfFree(const Simulation& sim, std::uint32_t slot, double dt) {
  return fliesInOneSubstep(sim, slot, dt) ? SolveGroup::kStill : SolveGroup::kFull;
}

/// All in one: exact mode, and fields of force, whose functions are asked for all bodies at a time.
void packAll(Simulation& sim, Packer& packer) {
  packer.open(SolveGroup::kFull, true);
  sim.packs.packs.back().swept = true;
  for (std::uint32_t k = 0; k < sim.islands.count(); ++k) packer.addIsland(k);
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] != 0 && sim.islands.islandOf[i] == Islands::kNone) packer.addBody(i);
  }
  packer.close();
}

bool isShared(const Islands& islands, std::size_t k) {
  return islands.census[k].manifolds > kWorkGrain.sharedContacts || islands.census[k].sweptJoints;
}

/// Kinematic bodies go step by step with all that they carry, whose plan is always the full one.
bool isCarried(const Islands& islands, std::size_t k) {
  return islands.carried[k] != 0;
}

void packCarried(Simulation& sim, Packer& packer) {
  if (sim.kinematicCount == 0) return;
  const Islands& islands = sim.islands;
  packer.open(SolveGroup::kFull, true);
  for (std::uint32_t k = 0; k < islands.count(); ++k) {
    if (!isCarried(islands, k)) continue;
    packer.addIsland(k);
    if (islands.census[k].sweptJoints) sim.packs.packs.back().swept = true;
  }
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] != 0 && sim.slots[i].kinematic) packer.addBody(i);
  }
  packer.close();
}

void packIslands(Simulation& sim, Packer& packer, SolveGroup group) {
  const Islands& islands = sim.islands;
  const auto threads = static_cast<std::size_t>(sim.team->threads());
  const std::size_t most =
      threads == 1 ? kWorkGrain.packContacts
                   : std::clamp((sim.collision.contacts().count() +
                                 kWorkGrain.contactsPerJoint * sim.joints.count()) /
                                    (kWorkGrain.packsPerThread * threads),
                                std::size_t{kWorkGrain.leastPackContacts}, kWorkGrain.packContacts);
  // Joints that are swept are swept together, and their islands solved in one pack.
  bool open = false;
  for (std::uint32_t k = 0; k < islands.count(); ++k) {
    if (islands.plan[k].group != group || !islands.census[k].sweptJoints || isCarried(islands, k))
      continue;
    if (!open) packer.open(group, true);
    open = sim.packs.packs.back().swept = true;
    packer.addIsland(k);
  }
  if (open) packer.close();
  for (std::uint32_t k = 0; k < islands.count(); ++k) {
    if (islands.plan[k].group != group || !isShared(islands, k) || islands.census[k].sweptJoints ||
        isCarried(islands, k)) {
      continue;
    }
    packer.open(group, true);
    packer.addIsland(k);
    packer.close();
  }
  open = false;
  for (std::uint32_t k = 0; k < islands.count(); ++k) {
    if (islands.plan[k].group != group || isShared(islands, k) || isCarried(islands, k)) continue;
    if (open && (packer.work() >= most || packer.bodies() >= kWorkGrain.packBodies)) {
      packer.close();
      open = false;
    }
    if (!open) packer.open(group, false);
    open = true;
    packer.addIsland(k);
  }
  if (open) packer.close();
}

void packFree(Simulation& sim, Packer& packer, SolveGroup group, double dt) {
  bool open = false;
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.pushable[i] == 0 || sim.islands.islandOf[i] != Islands::kNone ||
        groupOfFree(sim, i, dt) != group)
      continue;
    if (open && packer.bodies() >= kWorkGrain.packBodies) {
      packer.close();
      open = false;
    }
    if (!open) packer.open(group, false);
    open = true;
    packer.addBody(i);
  }
  if (open) packer.close();
}

/// The components of joints that hold a pack's bodies.
void listComponents(Simulation& sim) {
  Packs& packs = sim.packs;
  for (Pack& pack : packs.packs) pack.component = pack.componentEnd = 0;
  if (sim.joints.isEmpty()) return;
  sim.joints.wake(sim.solver);
  std::vector<std::uint32_t>& packOf = packs.start;  // of each component
  const std::span<JointComponent> components = sim.joints.components();
  packOf.assign(components.size(), Islands::kNone);
  for (std::uint32_t p = 0; p < packs.packs.size(); ++p) {
    Pack& pack = packs.packs[p];
    pack.component = static_cast<std::uint32_t>(packs.components.size());
    for (const std::int32_t body : packs.bodiesOf(pack)) {
      const std::uint32_t k = sim.joints.componentOf(static_cast<std::uint32_t>(body));
      if (body == 0 || k == JointSolver::kNoComponent || packOf[k] != Islands::kNone ||
          !sim.joints.isAwake(k))
        continue;
      packOf[k] = p;
      packs.components.push_back(k);
    }
    pack.componentEnd = static_cast<std::uint32_t>(packs.components.size());
  }
}

/// Packs that one thread takes each, the dearest first: what is left at the end is soon done.
void orderPacks(Packs& packs) {
  packs.alone.clear();
  packs.alone.reserve(std::max(kSparePacks, packs.packs.size()));
  for (std::uint32_t p = 0; p < packs.packs.size(); ++p) {
    if (!packs.packs[p].shared) packs.alone.push_back(p);
  }
  std::sort(packs.alone.begin(), packs.alone.end(), [&](std::uint32_t x, std::uint32_t y) {
    return packs.packs[x].work != packs.packs[y].work ? packs.packs[x].work > packs.packs[y].work
                                                      : x < y;
  });
}

}  // namespace

void packIslands(Simulation& sim, double dt) {
  Packer packer{sim};
  if (sim.settings.method == Method::kExact || !sim.potentials.empty()) {
    packAll(sim, packer);
  } else {
    packCarried(sim, packer);
    for (const SolveGroup group :
         {SolveGroup::kStill, SolveGroup::kSlow, SolveGroup::kJoined, SolveGroup::kFull}) {
      packIslands(sim, packer, group);
    }
    for (const SolveGroup group : {SolveGroup::kStill, SolveGroup::kFull})
      packFree(sim, packer, group, dt);
  }
  listComponents(sim);
  orderPacks(sim.packs);
  const std::size_t room = std::max(kSparePacks, sim.packs.packs.size());
  while (sim.packScratch.size() < room) {
    sim.packScratch.push_back(std::make_unique<PackScratch>());
    sim.packScratch.back()->leastLimits.reserve(static_cast<std::size_t>(mostColdSweeps()));
    sim.packScratch.back()->phaseSweeps.reserve(
        phasesOf(SolveGroup::kFull,
                 static_cast<std::uint32_t>(substepsOf(SolveGroup::kFull, sim.settings.substeps))));
  }
}

}  // namespace msd_sim
