#pragma once

#include <memory>
#include <vector>

#include "msd-sim/src/Physics/Collision/CollisionResult.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"
#include "msd-sim/src/Physics/RigidBody/Restitution.hpp"

namespace msd_sim {

/// Contact constraints from collision results.
namespace ContactConstraintFactory {

/// Slower contacts do not bounce [m/s].
using msd_sim::kRestVelocityThreshold;
/// Restitution of the environment unless it says otherwise [-].
inline constexpr double kEnvironmentRestitution = kDefaultRestitution;

/// One constraint per contact point, each with its own depth; none for a result without contacts.
/// The restitution (of the pair) is dropped where the points approach slower than
/// `restVelocityThreshold` [m/s].
[[nodiscard]] std::vector<std::unique_ptr<ContactConstraint>> createFromCollision(
    std::size_t bodyAIndex, std::size_t bodyBIndex, const CollisionResult& result,
    const InertialState& stateA, const InertialState& stateB, const Coordinate& comA,
    const Coordinate& comB, double restitution,
    double restVelocityThreshold = kRestVelocityThreshold);

/// Geometric mean sqrt(eA eB). Throws std::invalid_argument outside [0, 1].
[[nodiscard]] double combineRestitution(double eA, double eB);

/// n·(v_B + ω_B × r_B − v_A − ω_A × r_A), negative when approaching [m/s].
[[nodiscard]] double computeRelativeNormalVelocity(const InertialState& stateA,
                                                   const InertialState& stateB,
                                                   const Coordinate& leverArmA,
                                                   const Coordinate& leverArmB,
                                                   const Coordinate& normal);

}  // namespace ContactConstraintFactory

}  // namespace msd_sim
