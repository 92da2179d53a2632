#pragma once

#include <limits>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Axis-aligned bounding box; the default is empty.
struct Aabb {
  Coordinate lower{Coordinate::Constant(std::numeric_limits<double>::infinity())};    ///< [m]
  Coordinate upper{Coordinate::Constant(-std::numeric_limits<double>::infinity())};   ///< [m]

  [[nodiscard]] bool isEmpty() const { return (lower.array() > upper.array()).any(); }
  [[nodiscard]] bool overlaps(const Aabb& other) const {
    return lower.x() <= other.upper.x() && other.lower.x() <= upper.x() &&
           lower.y() <= other.upper.y() && other.lower.y() <= upper.y() &&
           lower.z() <= other.upper.z() && other.lower.z() <= upper.z();
  }
  [[nodiscard]] bool contains(const Aabb& other) const {
    return lower.x() <= other.lower.x() && lower.y() <= other.lower.y() &&
           lower.z() <= other.lower.z() && other.upper.x() <= upper.x() &&
           other.upper.y() <= upper.y() && other.upper.z() <= upper.z();
  }
  [[nodiscard]] Aabb merged(const Aabb& other) const {
    return {lower.cwiseMin(other.lower), upper.cwiseMax(other.upper)};
  }
  [[nodiscard]] Aabb expanded(double margin) const {
    return {lower.array() - margin, upper.array() + margin};
  }
  /// Half the surface area [m²]: the cost measure of bounding-volume trees.
  [[nodiscard]] double halfArea() const {
    const Vector3D d = upper - lower;
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
  }
};

}  // namespace msd_sim
