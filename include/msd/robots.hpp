#pragma once

/// Robots from URDF and MJCF files as scenes. Link msd::import.

#include "msd-import/src/ImportRobot.hpp"
