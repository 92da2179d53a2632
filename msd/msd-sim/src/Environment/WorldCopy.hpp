#pragma once

#include <cstddef>
#include <memory>

#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

/// One quantity of all bodies as it lies in memory: row r starts at data + r·stride.
struct BodyColumn {
  const double* data{nullptr};
  std::size_t stride{0};  ///< from one row to the next, in doubles
};

/// The state of all bodies, read where the engine keeps it. Row bodyRow(id) belongs to the body of
/// this id: in a world from which nothing was removed, the bodies in the order of WorldModel::bodies().
/// The row of a body that was removed shows one at rest at the origin until another body takes its place.
///
/// The addresses hold while the set of bodies stays the same: steps, new states and restored snapshots
/// change the numbers, not their place.
struct BodyArrays {
  std::size_t rows{0};
  BodyColumn position;         ///< 3: centre of mass [m]
  BodyColumn orientation;      ///< 4: body axes, w x y z
  BodyColumn velocity;         ///< 3: of the centre of mass [m/s]
  BodyColumn angularVelocity;  ///< 3: world axes [rad/s]
};

[[nodiscard]] constexpr std::size_t bodyRow(BodyId body) {
  return static_cast<std::size_t>(body.index) - 1;
}

/// The states of all bodies as they lie in memory, for reading many at once without a copy.
[[nodiscard]] BodyArrays bodyArrays(const WorldModel& world);

/// Gives the memory behind bodyArrays() to the caller, with the numbers it holds; the world goes on in memory
/// of its own: for those who must not lose what they look at when bodies are added or removed.
[[nodiscard]] std::shared_ptr<const void> replaceBodyArrays(WorldModel& world);

/// Another world in the same state, with the same ids, which goes on with the same bits. The contact callback and the
/// rule for materials are copied as std::function copies them: what they refer to is shared. Throws std::logic_error
/// where something of the user's own cannot be copied: a constraint that is no CopyableConstraint, or a
/// potential that is no CopyablePotential.
[[nodiscard]] WorldModel cloneWorld(const WorldModel& world);

/// Moves as told, by velocities and poses.
[[nodiscard]] bool isKinematic(const WorldModel& world, BodyId body);

}  // namespace msd_sim
