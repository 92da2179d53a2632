#pragma once

#include <algorithm>
#include <atomic>

#include "msd-sim/src/DataTypes/SharedUpdate.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

/// ... and at most: what a thread has begun nobody takes from it.
inline constexpr std::size_t kMostSliceBundles = 8;
/// Contacts that one thread takes at a time where each costs little.
inline constexpr std::size_t kContactGrain = 512;
static_assert(kWorkGrain.bodies % SolverBodies::kBlock == 0);

template <int kPoints>
[[nodiscard]] const ContactKernels<kPoints>& contactKernels(const Kernels& kernels) {
  if constexpr (kPoints == 1) {
    return kernels.point;
  } else if constexpr (kPoints == 2) {
    return kernels.line;
  } else {
    return kernels.patch;
  }
}

/// Contacts of a pack.
[[nodiscard]] inline std::size_t contactsOf(const Simulation& sim, std::size_t pack) {
  return sim.packs.entryStart[pack + 1] - sim.packs.entryStart[pack];
}

/// Are the rows of a pack more than a core's cache holds?
[[nodiscard]] inline bool hasManyRows(const Simulation& sim, std::size_t pack) {
  constexpr std::size_t kManyRows = 2048;
  return contactsOf(sim, pack) >= kManyRows;
}

/// Calls kernel(bodies) for parts of a list of bodies, shared by the team.
template <class Kernel>
void forBodies(Simulation& sim, BodyList bodies, const Kernel& kernel) {
  sim.team->forRange(bodies.size(), kWorkGrain.bodies,
                     [&](std::size_t first, std::size_t last) { kernel(bodies.subspan(first, last - first)); });
}
/// The same for all that move, ...
template <class Kernel>
void forBodies(Simulation& sim, const Kernel& kernel) {
  forBodies(sim, BodyList{sim.packs.bodies}, kernel);
}
/// ... and for those of a pack.
template <class Kernel>
void forBodies(Simulation& sim, std::size_t pack, const Kernel& kernel) {
  forBodies(sim, sim.packs.bodiesOf(sim.packs.packs[pack]), kernel);
}

/// Sets entries of an array of bodies to zero; not those of slot 0, which fills up the lists of all threads.
template <class Entry>
void clearBodies(BodyList bodies, AlignedVector<Entry>& array) {
  for (const std::int32_t body : bodies) {
    if (body != 0) array[static_cast<std::size_t>(body)] = Entry{};
  }
}

/// Has any body turned as far as these bits say? Other threads may find one meanwhile; each has seen its own.
[[nodiscard]] inline bool hasTurnedFar(Simulation& sim, std::uint8_t how) {
  return (std::atomic_ref<std::uint8_t>{sim.solver.turnedFar}.load(std::memory_order_relaxed) & how) != 0;
}

/// Calls pass(kernels, lanes, first bundle, count) for the bundles of one colour.
template <class Pass>
void visitColour(Simulation& sim, const ContactTable::Colour& colour, const Pass& pass) {
  const auto visit = [&]<int kPoints>(std::size_t kind) {
    const std::size_t first = colour.first[kind], count = colour.last[kind] - first;
    if (count > 0) pass(contactKernels<kPoints>(*sim.kernels), sim.table.lanes<kPoints>(), first, count);
  };
  visit.template operator()<4>(2);
  visit.template operator()<2>(1);
  visit.template operator()<1>(0);
}

/// One of so many parts of a colour, of about as many bundles each.
[[nodiscard]] inline ContactTable::Colour sliceOf(const ContactTable::Colour& colour, std::size_t slice,
                                                  std::size_t slices) {
  ContactTable::Colour part;
  for (std::size_t k = 0; k < kContactKinds; ++k) {
    const std::size_t count = colour.last[k] - colour.first[k];
    part.first[k] = colour.first[k] + static_cast<std::uint32_t>(count * slice / slices);
    part.last[k] = colour.first[k] + static_cast<std::uint32_t>(count * (slice + 1) / slices);
  }
  return part;
}

/// Into how many slices a colour, or all colours together, are cut for the team: as many for each thread, so that all
/// are through at the same time.
[[nodiscard]] inline std::size_t slicesFor(const Simulation& sim, std::size_t bundles) {
  const auto threads = static_cast<std::size_t>(sim.team->threads());
  const std::size_t each = 1 + bundles / (threads * kMostSliceBundles);
  return std::clamp<std::size_t>(bundles / kWorkGrain.sliceBundles, 1, threads * each);
}

/// Calls work(visit) for what one thread does of a sweep over a pack without waiting for others; visit(pass) calls
/// pass(kernels, lanes, first bundle, count).
///
/// Colours follow each other; the team shares the slices of a colour in a pack that is shared. Lanes lie in the
/// order of the bodies and every thread has its own part of them, so that a body is mostly pushed by the same core in
/// all colours, and a row visited by the same in all sweeps.
template <class Work>
void forParts(Simulation& sim, std::size_t pack, const Work& work) {
  const bool shared = sim.packs.packs[pack].shared && sim.team->threads() > 1;
  for (const ContactTable::Colour& colour : sim.table.coloursOf(pack)) {
    if (colour.overflow) {
      work([&](const auto& pass) {
        visitColour(sim, colour, [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
          for (std::size_t i = first; i < first + count; ++i) pass(kernels, lanes, i, 1);
        });
      });
      continue;
    }
    const std::size_t bundles = colour.bundles();
    if (!shared || bundles < kWorkGrain.sharedBundles) {
      work([&](const auto& pass) { visitColour(sim, colour, pass); });
      continue;
    }
    const std::size_t slices = slicesFor(sim, bundles);
    sim.team->forBlocks(slices, [&](std::size_t slice) {
      work([&](const auto& pass) { visitColour(sim, sliceOf(colour, slice, slices), pass); });
    });
  }
}

/// Calls pass(kernels, lanes, first bundle, count) for all contacts of a pack in any order, for passes that write nothing
/// but the bundles' own rows and sums: no colour waits for another. A slice has its part of every colour, the same as in
/// a sweep.
template <class Pass>
void forRows(Simulation& sim, std::size_t pack, const Pass& pass) {
  const std::span<const ContactTable::Colour> colours = sim.table.coloursOf(pack);
  std::size_t slices = 1;
  if (sim.packs.packs[pack].shared && sim.team->threads() > 1) {
    slices = slicesFor(sim, contactsOf(sim, pack) / kBundleLanes);
  }
  sim.team->forBlocks(slices, [&](std::size_t slice) {
    for (const ContactTable::Colour& colour : colours) visitColour(sim, sliceOf(colour, slice, slices), pass);
  });
}

/// Calls pass(kernels, lanes, first bundle, count) for all contacts of a pack in the order of a sweep.
template <class Pass>
void forColours(Simulation& sim, std::size_t pack, const Pass& pass) {
  forParts(sim, pack, [&](const auto& visit) { visit(pass); });
}

/// The same for passes that write nothing but the bundles' own rows and sums: all bundles of the table.
template <class Pass>
void forAllBundles(Simulation& sim, const Pass& pass) {
  const auto run = [&]<int kPoints>() {
    auto& lanes = sim.table.lanes<kPoints>();
    sim.team->forRange(lanes.count, kWorkGrain.bundles, [&](std::size_t first, std::size_t last) {
      pass(contactKernels<kPoints>(*sim.kernels), lanes, first, last - first);
    });
  };
  run.template operator()<4>();
  run.template operator()<2>();
  run.template operator()<1>();
}

/// Calls work(pack) for those packs that the team shares, one after the other, and for those that one thread takes each,
/// side by side: who is free takes the next.
template <class Work>
void forPacks(Simulation& sim, const Work& work) {
  const std::vector<Pack>& packs = sim.packs.packs;
  for (std::size_t i = 0; i < packs.size(); ++i) {
    if (packs[i].shared) work(i);
  }
  std::atomic<std::size_t> next{0};
  sim.team->forBlocks(static_cast<std::size_t>(sim.team->threads()), [&](std::size_t) {
    for (std::size_t i = next++; i < sim.packs.alone.size(); i = next++) work(sim.packs.alone[i]);
  });
}

/// What a sweep over the contacts of a pack tells.
struct PackSweep {
  bool unsettled{false};    ///< some have not settled
  std::uint32_t visits{0};  ///< contacts that were visited again; of the first sweep, those that were left out
};

/// One sweep over the contacts of a pack.
template <class Kernel>
PackSweep sweepContacts(Simulation& sim, std::size_t pack, const Kernel& kernel) {
  const bool shared = sim.packs.packs[pack].shared;
  PackSweep all;
  forParts(sim, pack, [&](const auto& visit) {
    SweepOutcome part;
    visit([&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
      part.add(kernel(kernels, lanes, first, count));
    });
    if (part.unsettled > 0) setShared(all.unsettled, true);
    if (part.visits > 0) (void)addTo(all.visits, part.visits, shared);
  });
  return all;
}

}  // namespace msd_sim
