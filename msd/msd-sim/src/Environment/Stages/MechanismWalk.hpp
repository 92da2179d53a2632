#pragma once

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// Lists the trees of joints of all packs and the points that touch them, and the way of a walk
/// through each island (docs/theory/joints.md, section 11).
void listWalks(Simulation& sim);

/// After the step, every sweep visits all contacts again.
void forgetWalks(Simulation& sim);

/// Solves the trees of a pack with what they touch, after a sweep over the other contacts. `opens`:
/// phase 1. Stamps bodies that other contacts have to look at again, and returns how many these
/// are.
[[nodiscard]] std::uint32_t walkMechanisms(Simulation& sim, std::size_t pack,
                                           const ContactPass& pass, const JointSolver::Sweep& sweep,
                                           bool opens);

/// Position correction of the points that touch trees, after a sweep over all contacts:
/// displacements that leave the joints closed (docs/theory/joints.md, J-50).
void correctWalks(Simulation& sim, std::size_t pack, const ContactPass& pass);

/// (J-26): closes the trees of a pack that stand open, after the bodies have been placed.
void closeTrees(Simulation& sim, std::size_t pack);

}  // namespace msd_sim
