#pragma once

/// What users add to the equations of motion: constraints of their own (Constraint) and fields of
/// force (PotentialEnergy), with those that come with the engine.

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/Constraints/CopyableConstraint.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/CopyablePotential.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/PotentialEnergy.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"
