#pragma once

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldCache.hpp"

namespace msd_sim {

/// The manifold of any pair in which at least one shape is convex, by the best path there is for the
/// two kinds. Points with gap <= margin, or a separation.
void collideShapes(const CollisionShape& a, const Pose& poseA, const CollisionShape& b,
                   const Pose& poseB, double margin, ManifoldCache& cache, ContactManifold& out);

}  // namespace msd_sim
