#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace msd_sim {

/// Groups of numbered things, which several threads may unite at a time: `parent` leads from each to the least of its
/// group, its root. Which calls come first changes the ways there, and no root.
[[nodiscard]] inline std::uint32_t findRoot(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  for (;;) {
    const std::uint32_t up = std::atomic_ref{parent[i]}.load(kRelaxed);
    const std::uint32_t beyond = std::atomic_ref{parent[up]}.load(kRelaxed);
    if (up == beyond) return up;
    std::atomic_ref{parent[i]}.store(beyond, kRelaxed);  // no root, and what is beyond stays so
    i = beyond;
  }
}

/// The smaller number becomes the root. A root gives itself up once; who comes second looks again.
inline void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    const std::uint32_t ra = findRoot(parent, a), rb = findRoot(parent, b);
    if (ra == rb) return;
    std::uint32_t larger = std::max(ra, rb);
    if (std::atomic_ref{parent[larger]}.compare_exchange_strong(larger, std::min(ra, rb), std::memory_order_relaxed)) return;
  }
}

/// Writes its root into each of [first, last), while other threads do so for others; nothing is united meanwhile. No way
/// is halved here: what another thread has read before would come to stand where a root stands already.
inline void nameRoots(std::vector<std::uint32_t>& parent, std::uint32_t first, std::uint32_t last) {
  const auto above = [&](std::uint32_t i) { return std::atomic_ref{parent[i]}.load(std::memory_order_relaxed); };
  for (std::uint32_t i = first; i < last; ++i) {
    std::uint32_t root = i;
    for (std::uint32_t up = above(root); up != root; up = above(root)) root = up;
    std::atomic_ref{parent[i]}.store(root, std::memory_order_relaxed);
  }
}

}  // namespace msd_sim
