#pragma once

/// Questions to a world: rays, shapes swept along a line, overlaps, closest points, and the filter
/// that says whom they concern.

#include "msd-sim/src/Environment/Queries.hpp"
