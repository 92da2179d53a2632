#include "msd-sim/src/Environment/ContactExclusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

void setPairCollides(WorldModel& world, BodyId a, BodyId b, bool collides) {
  Simulation& sim = WorldAccess::of(world);
  (void)sim.slot(a);
  (void)sim.slot(b);
  if (a == b) {
    throw std::invalid_argument(
        fmt::format("both bodies are \"{}\"; expected two", sim.slots[a.index].name));
  }
  const auto pair = excludedPair(a.index, b.index);
  const auto place = std::lower_bound(sim.joinedPairs.begin(), sim.joinedPairs.end(), pair);
  const bool excluded = place != sim.joinedPairs.end() && *place == pair;
  if (excluded == !collides) return;
  if (collides) {
    sim.joinedPairs.erase(place);
  } else {
    sim.joinedPairs.insert(place, pair);
  }
  for (const std::uint32_t slot : {a.index, b.index}) {
    if (sim.step > 0) sim.collision.refreshBody(sim.slots[slot].firstCollider);
    callAwake(sim, slot);
  }
}

}  // namespace msd_sim
