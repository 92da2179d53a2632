#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "msd-assets/src/HullPoints.hpp"

namespace msd_assets {

/// In place of a number of a triangle, or of what belongs to one.
inline constexpr std::uint32_t kNoTriangle = 0xFFFFFFFFu;

/// A triangle of a closed surface: corners counter-clockwise seen from outside, and across side k
/// (corner k to corner k + 1) the neighbour.
struct HullTriangle {
  std::array<std::uint32_t, 3> corners;
  std::array<std::uint32_t, 3> neighbours;
};

/// The hull by qhull, triangulated: fast, convex up to rounding. Nothing where qhull gives up or
/// its surface is not closed.
[[nodiscard]] std::optional<std::vector<HullTriangle>> qhullTriangles(const HullPoints& points);

/// The hull by quickhull (Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls",
/// ACM Trans. Math. Softw. 22(4), 1996) with exact predicates: no point lies in front of any
/// triangle, not even by a rounding, whatever the input.
[[nodiscard]] std::vector<HullTriangle> exactHullTriangles(const HullPoints& points);

}  // namespace msd_assets
