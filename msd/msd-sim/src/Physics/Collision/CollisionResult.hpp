#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// A pair of touching surface points with the depth at this point.
struct ContactPoint {
  Coordinate pointA{Coordinate::Zero()};  ///< on A's surface, world [m]
  Coordinate pointB{Coordinate::Zero()};  ///< on B's surface, world [m]
  double depth{0.0};                      ///< penetration at this point, >= 0 [m]
  std::uint32_t feature{0};               ///< same number, same pair of features

  ContactPoint() = default;
  ContactPoint(const Coordinate& pA, const Coordinate& pB, double d = 0.0)
      : pointA{pA}, pointB{pB}, depth{d} {}
};

/// Result of a collision test between two overlapping shapes.
struct CollisionResult {
  Vector3D normal{Vector3D::Zero()};  ///< unit, from A to B
  double penetrationDepth{std::numeric_limits<double>::quiet_NaN()};  ///< deepest, >= 0 [m]
  std::array<ContactPoint, 4> contacts{};
  std::size_t contactCount{0};  ///< 1 to 4
};

}  // namespace msd_sim
