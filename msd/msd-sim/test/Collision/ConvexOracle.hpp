#pragma once

#include <vector>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim::test {

using LongVector = Eigen::Matrix<long double, 3, 1>;

/// A slow, independent view of a placed convex shape in long double: nothing in here is shared with
/// the library under test except the numbers that describe the shape.
struct OracleShape {
  std::vector<LongVector> vertices;     ///< of the core, relative to `origin` [m]
  std::vector<LongVector> faceNormals;  ///< of the core, world axes
  std::vector<LongVector> edges;        ///< directions of the core's edges, world axes
  long double radius{0.0L};             ///< about the core [m]
  bool isCylinder{false};
  LongVector centre;                    ///< of a cylinder
  LongVector axis;                      ///< of a cylinder
  long double cylinderRadius{0.0L};
  long double halfHeight{0.0L};

  /// Largest value of direction·x over the thick shape; direction of unit length.
  [[nodiscard]] long double support(const LongVector& direction) const;
  /// Signed distance of a point from the surface of the thick shape, negative inside. Outside a
  /// polytope the greatest distance from a face's plane.
  [[nodiscard]] long double surfaceDistance(const LongVector& point) const;
  /// The same of the core alone.
  [[nodiscard]] long double coreDistance(const LongVector& point) const;
};

/// Coordinates are relative to `reference`, so that large positions cost no digits.
[[nodiscard]] OracleShape makeOracleShape(const CollisionShape& shape, const Pose& pose,
                                          const Coordinate& reference);

/// Signed gap along a unit direction from A to B.
[[nodiscard]] long double gapAlong(const OracleShape& a, const OracleShape& b,
                                   const LongVector& n);

/// Greatest signed gap over all directions for overlapping shapes, that is minus the penetration
/// depth. Polytopes: every face normal and every cross product of edges. Cylinders: a sweep over the
/// sphere of directions, refined.
[[nodiscard]] long double deepestGap(const OracleShape& a, const OracleShape& b);

}  // namespace msd_sim::test
