#pragma once

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Lists the points of contacts that push mechanisms, pack by pack and island by island.
void listMechanismPoints(Simulation& sim);

/// Sweeps the normals of the points of a pack, with the mechanisms' joints eliminated (J-27), after contacts and joints have
/// been swept: a push is felt by all bodies of a mechanism at once. `opens` tells that gaps count (phase 1). Stamps what has not settled, and returns how many points that are.
[[nodiscard]] std::uint32_t sweepMechanisms(Simulation& sim, std::size_t pack, const ContactPass& pass, bool opens);

}  // namespace msd_sim
