#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace msd_sim {

/// Groups of numbered things: `parent` leads from each to the least of its group, its root.
[[nodiscard]] inline std::uint32_t findRoot(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/// The smaller number becomes the root, so that the result does not depend on the order of the calls.
inline void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t ra = findRoot(parent, a), rb = findRoot(parent, b);
  parent[std::max(ra, rb)] = std::min(ra, rb);
}

}  // namespace msd_sim
