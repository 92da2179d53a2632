#pragma once

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/FaceClip.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldCache.hpp"
#include "msd-sim/src/Physics/Collision/NormalRefinement.hpp"

namespace msd_sim {

/// The axis of least overlap or greatest separation of a pair, by GJK while the cores are apart and
/// by EPA once they touch. When the shapes are farther apart than `margin` [m] only `gap` is set, to
/// a lower bound of their distance. Reads and writes the cache.
[[nodiscard]] Separation findSeparation(const ConvexPair& pair, double margin,
                                        ManifoldCache& cache);

/// The contact points that belong to a separation, A's frame: the faces that look at each other,
/// clipped, moved to the surfaces, within `margin` [m] and reduced to four. May turn the normal onto a
/// face normal that is as good; says which shape it then belongs to.
NormalOwner findContacts(const ConvexPair& pair, double margin, Separation& separation,
                         CandidateList& candidates);

/// Any two convex shapes: the path for pairs without a faster one, and the judge of the others.
void collideConvexConvex(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                         const Placement& poseB, double margin, ManifoldCache& cache,
                         ContactManifold& out);

}  // namespace msd_sim
