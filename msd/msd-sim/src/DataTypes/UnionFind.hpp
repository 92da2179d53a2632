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

}  // namespace msd_sim
