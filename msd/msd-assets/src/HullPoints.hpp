#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "msd-assets/src/Tolerances.hpp"

namespace msd_assets {

/// A point on an integer grid. Coordinates stay within ±2^51, so that differences are exact as
/// doubles and a 3 x 3 determinant of differences is exact in a few integer operations.
struct GridPoint {
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
};

/// What a hull is built from: the given points, welded, moved to their middle and scaled by a power
/// of two to the grid. One unit of the grid is about 1e-16 of the diameter, so that snapping
/// loses no more than a rounding.
struct HullPoints {
  std::vector<GridPoint> grid;        ///< one per distinct point
  std::vector<std::uint32_t> source;  ///< its index in what was given (the first of those welded)
  std::array<std::uint32_t, 4> simplex{};  ///< four points that span space, far apart
  std::size_t weldedPoints{0};
  double diameter{0.0};  ///< diagonal of the bounding box, in grid units
  double noise{0.0};     ///< rounding of the given coordinates, in grid units; matters far away
  double unit{0.0};      ///< length of a grid unit, a power of two [m]
};

/// The distance from a plane within which points count as lying in it [grid units].
[[nodiscard]] inline double faceWidth(const HullPoints& points) {
  return tolerances::kCoplanar * points.diameter + tolerances::kNoiseFactor * points.noise;
}

/// Throws std::invalid_argument for what has no hull with a volume (see
/// ConvexPolyhedron::fromPoints).
[[nodiscard]] HullPoints makeHullPoints(std::span<const Eigen::Vector3d> points);

/// b - a in grid units, exact.
[[nodiscard]] inline Eigen::Vector3d difference(const GridPoint& a, const GridPoint& b) {
  return {static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y),
          static_cast<double>(b.z - a.z)};
}

/// Sign of (b - a) x (c - a) · (d - a): +1 when d is in front of the triangle, the side from which
/// a, b, c run counter-clockwise; 0 when the four points lie in a plane. Exact.
[[nodiscard]] int orientation(const GridPoint& a, const GridPoint& b, const GridPoint& c,
                              const GridPoint& d);

/// (b - a) x (c - a), each component rounded once [grid units²]. Right in direction even for
/// needles.
[[nodiscard]] Eigen::Vector3d triangleNormal(const GridPoint& a, const GridPoint& b,
                                             const GridPoint& c);

}  // namespace msd_assets
