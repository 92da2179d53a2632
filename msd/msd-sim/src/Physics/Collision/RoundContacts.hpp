#pragma once

#include "msd-sim/src/Physics/Collision/Collider.hpp"
#include "msd-sim/src/Physics/Collision/ContactCache.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"

namespace msd_sim {

/// How round a pair is at a manifold, how its contact follows the bodies, and for how long.
struct RoundContact {
  ContactRounding rounding;
  /// The bodies may move this far before the contact must be looked at again, against the smaller
  /// shape's size [-].
  double keptTravel{0.0};
};

/// `poseA` and `poseB` are those of the shapes; the manifold's normal points from A to B.
[[nodiscard]] RoundContact describeRounding(const Collider& a, const Placement& poseA,
                                            const Collider& b, const Placement& poseB,
                                            const ContactManifold& manifold);

}  // namespace msd_sim
