#include "msd-sim/src/Environment/Stages/StirredBundles.hpp"

namespace msd_sim {

namespace {

/// Calls visit(bundle's bodies, place) for all bundles in the order of a sweep.
template <class Visit>
void forBundles(Simulation& sim, int group, const Visit& visit) {
  ContactCache& contacts = sim.collision.contacts();
  const auto visitKind = [&]<int kPoints>(int colour, ContactCache::Kind kind) {
    const auto& who = contacts.colours<kPoints>()[static_cast<std::size_t>(colour)].who;
    const std::size_t count = contacts.bundleCount<kPoints>(colour);
    for (std::size_t i = 0; i < count; ++i) {
      visit(who[i], StirredBundles::Place{static_cast<std::uint32_t>(i),
                                          static_cast<std::uint16_t>(colour), kind});
    }
  };
  contacts.forEachColour(group, [&](int colour) {
    visitKind.template operator()<4>(colour, ContactCache::Kind::kPatch);
    visitKind.template operator()<2>(colour, ContactCache::Kind::kLine);
    visitKind.template operator()<1>(colour, ContactCache::Kind::kPoint);
  });
}

}  // namespace

void listBundles(Simulation& sim, SolveGroup solveGroup) {
  const int group = static_cast<int>(solveGroup);
  StirredBundles& list = sim.stirred;
  list.group = group;
  list.places.clear();
  list.start.assign(sim.slots.size() + 2, 0);
  const auto forPushable = [&](const BundleBodies& who, const auto& visit) {
    for (const std::int32_t body : who.body) {
      if (sim.pushable[static_cast<std::size_t>(body)] != 0) visit(static_cast<std::size_t>(body));
    }
  };
  // Entries of a body end where those of the next begin; filling them moves the ends there.
  forBundles(sim, group, [&](const BundleBodies& who, const StirredBundles::Place& place) {
    list.places.push_back(place);
    forPushable(who, [&](std::size_t body) { ++list.start[body + 2]; });
  });
  for (std::size_t i = 2; i < list.start.size(); ++i) list.start[i] += list.start[i - 1];
  list.entries.resize(list.start.back());
  std::uint32_t number = 0;
  forBundles(sim, group, [&](const BundleBodies& who, const StirredBundles::Place&) {
    forPushable(who, [&](std::size_t body) { list.entries[list.start[body + 1]++] = number; });
    ++number;
  });
  list.called.assign(list.places.size() / 64 + 1, 0);
}

}  // namespace msd_sim
