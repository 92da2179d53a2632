#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "msd-sim/src/Environment/ContactRecord.hpp"

namespace msd_sim {

/// What the reference method keeps from step to step beside the impulses of contacts.
struct ReferenceState {
  /// Slots of bodies that pushed each other in the last step, smaller first, sorted.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> touching;
  std::vector<ContactRecord> records;  ///< of the last step
  std::uint32_t unsolvedIslands{0};    ///< likewise
  bool resists{false};                 ///< and whether a pair resisted rolling or spinning, which was ignored
};

}  // namespace msd_sim
