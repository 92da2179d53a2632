#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "msd-assets/src/HullTriangles.hpp"

namespace msd_assets {

/// A face of a finished hull: corners (indices of HullPoints) counter-clockwise from outside, the
/// lowest index first, and the outward unit normal.
struct HullFace {
  std::vector<std::uint32_t> corners;
  Eigen::Vector3d normal;
};

/// Joins triangles that lie in one plane to polygons and drops the corners that are none: points
/// inside a face or within an edge. Faces are convex; where joining would not leave them so (bends
/// near the tolerance), the triangles stay. Nothing when a triangle has no area.
[[nodiscard]] std::optional<std::vector<HullFace>> mergeCoplanar(
    const HullPoints& points, const std::vector<HullTriangle>& triangles);

/// The triangles themselves as faces. Nothing when a triangle has no area.
[[nodiscard]] std::optional<std::vector<HullFace>> triangleFaces(
    const HullPoints& points, const std::vector<HullTriangle>& triangles);

/// The polygons of the hull of the points, sorted by their corners. Every result is a closed
/// surface of Euler characteristic 2 with positive volume, and no point lies more than 1e-12 of the
/// diameter in front of a face.
[[nodiscard]] std::vector<HullFace> buildHullFaces(const HullPoints& points);

/// Whether faces are such a hull of the points; `surface` are the triangles they came from.
[[nodiscard]] bool isValidHull(const HullPoints& points, const std::vector<HullTriangle>& surface,
                               const std::vector<HullFace>& faces);

}  // namespace msd_assets
