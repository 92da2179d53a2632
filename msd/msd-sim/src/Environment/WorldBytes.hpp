#pragma once

#include <span>

#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/DataTypes/Hash128.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Everything that decides a world's future, as bytes: what snapshots hold after their head.
void saveWorld(ByteWriter& out, const Simulation& sim);

/// Takes bytes back that saveWorld wrote of this world, or that checkWorld has let pass. Takes memory only
/// where the bytes hold more than the world ever did.
void loadWorld(std::span<const std::byte> bytes, Simulation& sim);

/// Throws std::invalid_argument where bytes are not those of such a world, whoever made them: every index,
/// count and link leads somewhere, every number is one the engine could have written. Changes nothing.
void checkWorld(std::span<const std::byte> bytes, const Simulation& sim);

/// What stands in a snapshot's head for the bytes after it.
[[nodiscard]] Hash128 checkSumOf(std::span<const std::byte> bytes);

}  // namespace msd_sim
