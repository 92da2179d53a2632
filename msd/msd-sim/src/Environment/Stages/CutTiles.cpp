#include <algorithm>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

// Contacts below which one thread is done with them before another has come to help, and contacts of
// a colour from which threads share it well.
constexpr std::uint32_t kFewContacts = 1000;
constexpr std::uint32_t kLongColour = 400;
// A cut is kept while no more than one contact in so many lies across, and tiles differ by no more.
constexpr std::uint32_t kUnevenShare = 8;

/// Do the threads share tiles better than colours?
bool tilesPay(const Simulation& sim) {
  const std::uint32_t count = sim.collision.contacts().count();
  return count >= kFewContacts && count < kLongColour * sim.report.colours && !hasManyRows(sim) &&
         !sim.islands.bodies.empty();
}

/// Has the world changed so much that another cut would be better?
bool isUneven(const ContactCache& contacts) {
  const std::uint32_t left = contacts.countIn(1), right = contacts.countIn(2);
  const std::uint32_t share = contacts.count() / kUnevenShare;
  return contacts.countIn(0) > share || std::max(left, right) - std::min(left, right) > share;
}

/// Axis of the longest side of the box that holds the centres of the bodies that push each other.
int longestAxis(const Simulation& sim) {
  const std::vector<std::uint32_t>& bodies = sim.islands.bodies;
  double sides[3];
  for (int c = 0; c < 3; ++c) {
    const auto [lower, upper] = std::minmax_element(
        bodies.begin(), bodies.end(), [&](std::uint32_t a, std::uint32_t b) {
          return sim.solver.pose[a].x[c] < sim.solver.pose[b].x[c];
        });
    sides[c] = sim.solver.pose[*upper].x[c] - sim.solver.pose[*lower].x[c];
  }
  return static_cast<int>(std::max_element(sides, sides + 3) - sides);
}

}  // namespace

void cutTiles(Simulation& sim) {
  ContactCache& contacts = sim.collision.contacts();
  TileScratch& scratch = sim.tiles;
  const bool pays = tilesPay(sim);
  const bool cut = contacts.tiles() > 0;
  if (pays ? cut && !isUneven(contacts) : !cut) return;
  scratch.tileOf.assign(sim.slots.size(), 0);
  if (!pays) {
    contacts.setTiles(scratch.tileOf, 0);
    return;
  }
  scratch.contacts.assign(sim.slots.size(), 0);
  contacts.forEach([&](std::uint32_t, const ContactCache::Contact&, auto& bundle, auto&,
                       ContactSums&, int lane) {
    ++scratch.contacts[static_cast<std::size_t>(bundle.body0[lane])];
    ++scratch.contacts[static_cast<std::size_t>(bundle.body1[lane])];
  });
  // Across the longest side, so that both halves have about as many contacts.
  scratch.bodies.clear();
  const int axis = longestAxis(sim);
  std::uint64_t all = 0;
  for (const std::uint32_t slot : sim.islands.bodies) {
    scratch.bodies.push_back({sim.solver.pose[slot].x[axis], slot});
    all += scratch.contacts[slot];
  }
  std::sort(scratch.bodies.begin(), scratch.bodies.end());
  std::uint64_t before = 0;
  for (const auto& [place, slot] : scratch.bodies) {
    scratch.tileOf[slot] = 2 * before < all ? 1 : 2;
    before += scratch.contacts[slot];
  }
  contacts.setTiles(scratch.tileOf, 2);
}

}  // namespace msd_sim
