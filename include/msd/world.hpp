#pragma once

/// A world of rigid bodies and the step that advances it: WorldModel, its Settings, the descriptions
/// that bodies and joints are made from, ids, states and poses.

#include "msd-sim/src/Environment/ContactExclusion.hpp"
#include "msd-sim/src/Environment/Descriptions.hpp"
#include "msd-sim/src/Environment/Settings.hpp"
#include "msd-sim/src/Environment/WorldCopy.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
