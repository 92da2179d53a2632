#pragma once

#include <cstdint>

#include "msd-sim/src/Environment/ContactRecord.hpp"

namespace msd_sim {

struct Simulation;

/// The point of a contact that carries most, as the last step left it.
[[nodiscard]] ContactRecord strongestPoint(const Simulation& sim, std::uint32_t contact);

}  // namespace msd_sim
