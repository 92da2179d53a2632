#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace msd_sim {

/// How the fast method takes an island through a step (docs/theory/plan.md). Islands of a group go
/// through their substeps side by side.
enum class SolveGroup : std::uint8_t {
  kFull,    ///< two phases a substep
  kJoined,  ///< the phase that ends a substep begins the next (T-14)
  kStill,   ///< one substep (G-10)
  kSlow,    ///< half of the substeps (G-12)
};
inline constexpr std::size_t kSolveGroups = 4;

[[nodiscard]] constexpr std::string_view solveGroupName(SolveGroup group) {
  constexpr std::array<std::string_view, kSolveGroups> kNames{"full", "joined", "still", "slow"};
  return kNames[static_cast<std::size_t>(group)];
}

/// Phases of a group that takes so many substeps.
[[nodiscard]] constexpr std::uint32_t phasesOf(SolveGroup group, std::uint32_t substeps) {
  return group == SolveGroup::kJoined ? substeps + 1 : 2 * substeps;
}

}  // namespace msd_sim
