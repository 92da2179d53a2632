#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "msd-assets/src/Shape.hpp"

namespace msd_record {

/// Triangles that draw a shape, counter-clockwise seen from outside, in the shape's frame.
struct ShapeSurface {
  std::vector<Eigen::Vector3d> vertices{};  ///< [m]
  std::vector<std::array<std::uint32_t, 3>> triangles{};
};

/// Round shapes are cut into `slices` around their axis; of a plane, a square with this half side
/// [m] about the point nearest to the origin is drawn.
[[nodiscard]] ShapeSurface surfaceOf(const msd_assets::Shape& shape, double planeHalf = 20.0,
                                     std::uint32_t slices = 24);

}  // namespace msd_record
