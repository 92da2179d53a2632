#pragma once

#include <cstdint>
#include <utility>

#include "msd-sim/src/DataTypes/Id.hpp"

namespace msd_sim {

class WorldModel;

/// Whether two bodies may touch, where layers and masks allow it; true for every pair at first.
/// Joints keep theirs apart besides (JointDescription::collideConnected). Wakes both. Throws
/// std::out_of_range for a body that is gone and std::invalid_argument for the same body twice.
void setPairCollides(WorldModel& world, BodyId a, BodyId b, bool collides);

/// How such a pair stands among Simulation::joinedPairs: by its slots, smaller first, marked.
inline constexpr std::uint32_t kExcludedByUser = 0x80000000u;
[[nodiscard]] inline std::pair<std::uint32_t, std::uint32_t> excludedPair(std::uint32_t a,
                                                                          std::uint32_t b) {
  return {(a < b ? a : b) | kExcludedByUser, a < b ? b : a};
}

}  // namespace msd_sim
