#pragma once

/// Joints: their kinds, limits and motors, a handle that reads and drives one of them, and the
/// mass matrix, forces and Jacobians of a mechanism.

#include "msd-sim/src/Environment/JointHandle.hpp"
#include "msd-sim/src/Environment/Mechanism.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointKinds.hpp"
