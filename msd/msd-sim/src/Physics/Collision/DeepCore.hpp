#pragma once

#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/NormalRefinement.hpp"

namespace msd_sim {

/// The face of a box or hull whose plane is nearest to a point inside; `distance` is negative inside.
[[nodiscard]] FaceNormal findNearestFace(const ConvexView& solid, const Coordinate& point,
                                         double& distance);

/// Least overlap of a point or segment core with a box or hull that it pierces: exact, by all face
/// normals and all cross products of edges with the segment. False for other pairs of cores. The gap
/// and points are those of the cores.
[[nodiscard]] bool separateDeepCore(const ConvexPair& pair, Separation& separation);

}  // namespace msd_sim
