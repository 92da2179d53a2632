#pragma once

/// Sensors that sit on bodies and in joints of a world.

#include "msd-sim/src/Environment/Sensors.hpp"
