#pragma once

#include <bit>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

/// Numbers the bundles in the order of a sweep, and lists those of every body that can be pushed.
void listBundles(Simulation& sim, SolveGroup group);

/// Notes the bundles after `number` of a body.
inline void callBundles(StirredBundles& list, std::size_t body, std::uint32_t number) {
  for (std::uint32_t e = list.start[body]; e < list.start[body + 1]; ++e) {
    const std::uint32_t bundle = list.entries[e];
    if (bundle >= number) list.called[bundle / 64] |= std::uint64_t{1} << (bundle % 64);
  }
}

template <int kPoints, class Kernel>
SweepOutcome visitBundle(Simulation& sim, const StirredBundles::Place& place, std::uint32_t number,
                         std::uint32_t stamp, const Kernel& kernel) {
  auto& arrays = sim.collision.contacts().colours<kPoints>()[place.colour];
  const SweepOutcome outcome = kernel(contactKernels<kPoints>(*sim.kernels), arrays,
                                      std::size_t{place.bundle}, std::size_t{1});
  for (const std::int32_t body : arrays.who[place.bundle].body) {
    const auto slot = static_cast<std::size_t>(body);
    if (sim.solver.stirred[slot] != stamp) continue;
    callBundles(sim.stirred, slot, number + 1);
    sim.stirred.bodies.push_back(static_cast<std::uint32_t>(slot));
  }
  return outcome;
}

/// One sweep over the bundles whose bodies still move since the sweep before, or are moved in this
/// one: the same visits in the same order as a sweep over all, without looking at the others.
template <class Kernel>
SweepOutcome sweepStirred(Simulation& sim, SolveGroup group, const Kernel& kernel, std::uint32_t stamp) {
  StirredBundles& list = sim.stirred;
  if (list.group != static_cast<int>(group)) listBundles(sim, group);
  if (list.stamp + 1 == stamp) {
    for (const std::uint32_t slot : list.bodies) callBundles(list, slot, 0);
  } else {
    for (std::size_t slot = 0; slot < sim.slots.size(); ++slot) {
      if (sim.solver.stirred[slot] + 1 >= stamp) callBundles(list, slot, 0);
    }
  }
  list.stamp = stamp;
  list.bodies.clear();
  SweepOutcome outcome;
  for (std::size_t word = 0; word < list.called.size(); ++word) {
    while (list.called[word] != 0) {
      const auto number = static_cast<std::uint32_t>(64 * word) +
                          static_cast<std::uint32_t>(std::countr_zero(list.called[word]));
      list.called[word] &= list.called[word] - 1;
      const StirredBundles::Place& place = list.places[number];
      SweepOutcome part;
      switch (place.kind) {
        case ContactCache::Kind::kPatch:
          part = visitBundle<4>(sim, place, number, stamp, kernel);
          break;
        case ContactCache::Kind::kLine:
          part = visitBundle<2>(sim, place, number, stamp, kernel);
          break;
        case ContactCache::Kind::kPoint:
          part = visitBundle<1>(sim, place, number, stamp, kernel);
          break;
      }
      outcome.add(part);
    }
  }
  return outcome;
}

}  // namespace msd_sim
