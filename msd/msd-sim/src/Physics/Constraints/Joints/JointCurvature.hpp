#pragma once

#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

/// Velocities of a joint's two bodies, world axes.
struct JointRates {
  Vector3D vA, wA, vB, wB;
};

/// J̇v of the holding rows: their second derivatives in time for bodies that do not accelerate.
void evaluateCurvatures(const JointDefinition& joint, const JointPlace& place,
                        const JointRates& rates, double* curvatures);
/// The same of the coordinate.
[[nodiscard]] double evaluateCoordinateCurvature(const JointDefinition& joint,
                                                 const JointPlace& place, const JointRates& rates);

}  // namespace msd_sim
