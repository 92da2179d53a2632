#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Bundles one thread takes at a time.
inline constexpr std::size_t kBundleGrain = 4;
/// Bundles of a slice of a colour, all kinds together.
inline constexpr std::size_t kSliceBundles = 8;
/// A colour with fewer bundles than this is done sooner than others have come to help.
inline constexpr std::size_t kSharedBundles = 24;

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

/// Are the rows more than a core's cache holds?
[[nodiscard]] inline bool hasManyRows(const Simulation& sim) {
  constexpr std::uint32_t kManyRows = 8192;
  return sim.collision.contacts().count() >= kManyRows;
}

/// Calls kernel(blocks) for blocks of bodies, shared by the team.
template <class Kernel>
void forBodies(Simulation& sim, std::span<const BodyBlock> blocks, const Kernel& kernel) {
  constexpr std::size_t kBlockGrain = 32;
  sim.team->forRange(blocks.size(), kBlockGrain, [&](std::size_t first, std::size_t last) {
    kernel(blocks.subspan(first, last - first));
  });
}
/// The same for all that move, ...
template <class Kernel>
void forBodies(Simulation& sim, const Kernel& kernel) {
  forBodies(sim, std::span<const BodyBlock>{sim.activeBlocks}, kernel);
}
/// ... and for those of a group.
template <class Kernel>
void forBodies(Simulation& sim, SolveGroup group, const Kernel& kernel) {
  forBodies(sim, std::span<const BodyBlock>{sim.groupBlocks[static_cast<std::size_t>(group)]}, kernel);
}

/// Sets an array of bodies to zero.
template <class Entry>
void clearBodies(std::span<const BodyBlock> blocks, AlignedVector<Entry>& array) {
  for (const BodyBlock& block : blocks) {
    for (std::size_t l = 0; l < SolverBodies::kBlock; ++l) {
      if (((block.lanes >> l) & 1u) != 0) array[block.block * SolverBodies::kBlock + l] = Entry{};
    }
  }
}

/// Stored impulses belong to a phase of another length where the step or the method has changed.
[[nodiscard]] inline double guessScale(const Simulation& sim, SolveGroup group, double h) {
  const double last = sim.lastSubstep[static_cast<std::size_t>(group)];
  return last > 0.0 ? h / last : 1.0;
}

/// The bundles of one kind in one colour, cut into blocks.
template <int kPoints>
struct ColourBlocks {
  ContactCache::Colour<kPoints>& arrays;
  const ContactKernels<kPoints>& kernels;
  std::size_t bundles;

  ColourBlocks(Simulation& sim, int colour)
      : arrays{sim.collision.contacts().colours<kPoints>()[static_cast<std::size_t>(colour)]},
        kernels{contactKernels<kPoints>(*sim.kernels)},
        bundles{sim.collision.contacts().bundleCount<kPoints>(colour)} {}

  [[nodiscard]] std::size_t count() const { return (bundles + kBundleGrain - 1) / kBundleGrain; }

  template <class Pass>
  void visit(std::size_t block, const Pass& pass) const {
    const std::size_t first = block * kBundleGrain;
    pass(kernels, arrays, first, std::min(kBundleGrain, bundles - first));
  }
  /// One of so many parts of about as many bundles.
  template <class Pass>
  void visitSlice(std::size_t slice, std::size_t slices, const Pass& pass) const {
    const std::size_t first = bundles * slice / slices, last = bundles * (slice + 1) / slices;
    if (last > first) pass(kernels, arrays, first, last - first);
  }
  template <class Pass>
  void visitAll(const Pass& pass) const {
    if (bundles > 0) pass(kernels, arrays, 0, bundles);
  }
  template <class Pass>
  void visitOneByOne(const Pass& pass) const {
    for (std::size_t i = 0; i < bundles; ++i) pass(kernels, arrays, i, 1);
  }
};

/// The bundles of all kinds in one colour.
struct ColourPart {
  ColourBlocks<4> patches;
  ColourBlocks<2> lines;
  ColourBlocks<1> points;

  ColourPart(Simulation& sim, int colour)
      : patches{sim, colour}, lines{sim, colour}, points{sim, colour} {}

  [[nodiscard]] std::size_t bundles() const {
    return patches.bundles + lines.bundles + points.bundles;
  }
  template <class Pass>
  void visitAll(const Pass& pass) const {
    patches.visitAll(pass);
    lines.visitAll(pass);
    points.visitAll(pass);
  }
  template <class Pass>
  void visitOneByOne(const Pass& pass) const {
    patches.visitOneByOne(pass);
    lines.visitOneByOne(pass);
    points.visitOneByOne(pass);
  }
  template <class Pass>
  void visitSlice(std::size_t slice, std::size_t slices, const Pass& pass) const {
    patches.visitSlice(slice, slices, pass);
    lines.visitSlice(slice, slices, pass);
    points.visitSlice(slice, slices, pass);
  }
};

/// Hands out what one thread does of a sweep over a group without waiting for others: calls
/// work([](const auto& pass)), which calls pass(kernels, colour arrays, first bundle, count).
///
/// Colours follow each other, and the team shares slices of a colour. Lanes lie in the order of the bodies and
/// threads begin at opposite ends, so that a body is mostly pushed by the same core in all colours.
template <class Work>
void forParts(Simulation& sim, SolveGroup group, const Work& work) {
  const ContactCache& contacts = sim.collision.contacts();
  contacts.forEachColour(static_cast<int>(group), [&](int c) {
    const ColourPart part{sim, c};
    const std::size_t bundles = part.bundles();
    if (bundles == 0) return;
    if (ContactCache::isOverflow(c)) return work([&](const auto& pass) { part.visitOneByOne(pass); });
    if (sim.team->threads() == 1 || bundles < kSharedBundles) {
      return work([&](const auto& pass) { part.visitAll(pass); });
    }
    const std::size_t slices = bundles / kSliceBundles;
    sim.team->forBlocks(slices, [&](std::size_t slice) {
      work([&](const auto& pass) { part.visitSlice(slice, slices, pass); });
    });
  });
}

/// Calls pass(kernels, colour arrays, first bundle, count) for all contacts of a group in the order of a sweep.
template <class Pass>
void forColours(Simulation& sim, SolveGroup group, const Pass& pass) {
  forParts(sim, group, [&](const auto& visit) { visit(pass); });
}

/// The same for passes that write nothing but the bundles' own rows and sums: all colours are one
/// loop.
template <class Pass>
void forAllBundles(Simulation& sim, int firstGroup, int lastGroup, const Pass& pass) {
  // Where the blocks of a colour and kind end, kinds side by side.
  std::vector<BlockEnd>& ends = sim.blockEnds;
  ends.clear();
  std::size_t blocks = 0;
  const auto noteColour = [&](int colour) {
    const auto note = [&](ContactCache::Kind kind, std::size_t count) {
      if (count > 0) ends.push_back({blocks += count, colour, kind});
    };
    note(ContactCache::Kind::kPatch, ColourBlocks<4>{sim, colour}.count());
    note(ContactCache::Kind::kLine, ColourBlocks<2>{sim, colour}.count());
    note(ContactCache::Kind::kPoint, ColourBlocks<1>{sim, colour}.count());
  };
  for (int group = firstGroup; group <= lastGroup; ++group) {
    sim.collision.contacts().forEachColour(group, noteColour);
  }
  sim.team->forBlocks(blocks, [&](std::size_t block) {
    const auto at = std::upper_bound(
        ends.begin(), ends.end(), block,
        [](std::size_t value, const BlockEnd& entry) { return value < entry.end; });
    const std::size_t within = block - (at == ends.begin() ? 0 : (at - 1)->end);
    switch (at->kind) {
      case ContactCache::Kind::kPatch:
        return ColourBlocks<4>{sim, at->colour}.visit(within, pass);
      case ContactCache::Kind::kLine:
        return ColourBlocks<2>{sim, at->colour}.visit(within, pass);
      case ContactCache::Kind::kPoint:
        return ColourBlocks<1>{sim, at->colour}.visit(within, pass);
    }
  });
}

template <class Pass>
void forAllBundles(Simulation& sim, const Pass& pass) {
  forAllBundles(sim, 0, ContactCache::kGroups - 1, pass);
}
/// Only those of a group.
template <class Pass>
void forAllBundles(Simulation& sim, SolveGroup group, const Pass& pass) {
  forAllBundles(sim, static_cast<int>(group), static_cast<int>(group), pass);
}

/// Raises an atomic number that several threads may raise at a time: the largest wins.
template <class Atomic>
void raise(Atomic& shared, double value) {
  double seen = shared.load(std::memory_order_relaxed);
  while (value > seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// A maximum that several threads add to; their order does not matter to it.
class SharedMaximum {
 public:
  void add(double value) { raise(largest_, value); }
  [[nodiscard]] double get() const { return largest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> largest_{0.0};
};

/// One sweep over the contacts of a group. The order of the threads does not matter to a maximum and a count.
template <class Kernel>
SweepOutcome sweepContacts(Simulation& sim, SolveGroup group, const Kernel& kernel) {
  SharedMaximum largest;
  std::atomic<std::uint32_t> unsettled{0};
  forParts(sim, group, [&](const auto& visit) {
    SweepOutcome part;
    visit([&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
      part.add(kernel(kernels, arrays, first, count));
    });
    largest.add(part.unrest);
    if (part.unsettled > 0) unsettled.fetch_add(part.unsettled, std::memory_order_relaxed);
  });
  return {largest.get(), unsettled.load(std::memory_order_relaxed)};
}

/// Measures all contacts where the bodies are now, and keeps what the phases gave if these were `swept`.
/// Returns the deepest penetration against its contact's size.
inline double storeContacts(Simulation& sim, bool swept) {
  SharedMaximum deepest, share;
  const ContactPass pass{.ahead = hasManyRows(sim),
                         .eachWork = !onlyContactsWork(sim),
                         .swept = swept};
  forAllBundles(sim, [&](const auto& kernels, auto& arrays, std::size_t first, std::size_t count) {
    const StoreOutcome outcome =
        kernels.store(sim.solver, arrays.bundles.data() + first, arrays.rows.data() + first,
                      arrays.sums.data() + first, arrays.busy.data() + first, count, pass);
    deepest.add(outcome.deepest);
    share.add(outcome.share);
  });
  sim.report.deepestPenetration = deepest.get();
  return share.get();
}

}  // namespace msd_sim
