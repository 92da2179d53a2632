#pragma once

#include "msd-sim/src/Physics/Collision/Collider.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldCache.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// One side of a pair that is being tested.
struct TestedSide {
  const Collider& collider;
  const Placement& pose;  ///< of the shape
  double coming;     ///< most that the body may move in the step [m]
};

/// Where a round shape touches the side of a capsule or an edge, the point runs along it as it turns, and
/// in a step that turns it far it ends elsewhere than it began (docs/theory/collision.md, K-12). Replaces the
/// only point of such a manifold by what would touch halfway through the step, as it lies on the bodies now. `cache`
/// is that of the pair: where to start looking.
void aimHalfway(const TestedSide& a, const TestedSide& b, const SolverBodies& bodies, double margin,
                const ManifoldCache& cache, ContactManifold& manifold);

}  // namespace msd_sim
