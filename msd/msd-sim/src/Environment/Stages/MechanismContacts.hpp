#pragma once

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Lists the points of contacts that push mechanisms of a group, island by island.
void listMechanismPoints(Simulation& sim, SolveGroup group);

/// Sweeps the normals of these points, with the mechanisms' joints eliminated (J-27), after contacts and joints have
/// been swept: a push is felt by all bodies of a mechanism at once. `opens` tells whether the gaps count (phase 1) or
/// the targets that phase 1 has left. Stamps what has not settled, and returns how many points that are.
[[nodiscard]] std::uint32_t sweepMechanisms(Simulation& sim, const ContactPass& pass, bool opens);

}  // namespace msd_sim
