#pragma once

#include <atomic>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Bundles one thread takes at a time.
inline constexpr std::size_t kBundleGrain = 16;

/// Calls pass(kernels, colour arrays, first bundle, count) over one colour, shared by the team.
template <int kPoints, class Pass>
void forBundles(Simulation& sim, int colour, const Pass& pass) {
  ContactCache& cache = sim.collision.contacts();
  auto& arrays = cache.colours<kPoints>()[static_cast<std::size_t>(colour)];
  const std::size_t bundles = cache.bundleCount<kPoints>(colour);
  if (bundles == 0) return;
  const auto& kernels = [&]() -> const ContactKernels<kPoints>& {
    if constexpr (kPoints == 1) {
      return sim.kernels->point;
    } else if constexpr (kPoints == 2) {
      return sim.kernels->line;
    } else {
      return sim.kernels->patch;
    }
  }();
  if (colour == ContactCache::kOverflow) {
    for (std::size_t i = 0; i < bundles; ++i) pass(kernels, arrays, i, 1);
    return;
  }
  sim.team->forRange(bundles, kBundleGrain, [&](std::size_t first, std::size_t last) {
    pass(kernels, arrays, first, last - first);
  });
}

/// One pass over all contacts in the order of the colours.
template <class Pass>
void forColours(Simulation& sim, const Pass& pass) {
  for (int c = 0; c < ContactCache::kColours; ++c) {
    forBundles<4>(sim, c, pass);
    forBundles<2>(sim, c, pass);
    forBundles<1>(sim, c, pass);
  }
}

/// A maximum that several threads add to; their order does not matter to it.
class SharedMaximum {
 public:
  void add(double value) {
    double seen = largest_.load(std::memory_order_relaxed);
    while (value > seen &&
           !largest_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] double get() const { return largest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> largest_{0.0};
};

/// One sweep over all contacts. The order of the threads does not matter to a maximum and a count.
template <class Kernel>
SweepOutcome sweepContacts(Simulation& sim, const Kernel& kernel) {
  SharedMaximum largest;
  std::atomic<std::uint32_t> unsettled{0};
  forColours(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    const SweepOutcome part = kernel(kernels, arrays, first, count);
    largest.add(part.unrest);
    unsettled.fetch_add(part.unsettled, std::memory_order_relaxed);
  });
  return {largest.get(), unsettled.load(std::memory_order_relaxed)};
}

}  // namespace msd_sim
