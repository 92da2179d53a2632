#pragma once

#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

/// One triangle of a surface as contact generation sees it: corners relative to the convex shape's
/// inner point, surface axes.
struct SurfaceTriangle {
  std::uint32_t index;
  TriangleBvh::Triangle corners;
  Vector3D normal;  ///< unit, front side
  double offset;    ///< normal·x = offset [m]
  std::array<SideKind, 3> sides;

  [[nodiscard]] bool isInnerFlat() const {
    return sides[0] == SideKind::kFlush && sides[1] == SideKind::kFlush &&
           sides[2] == SideKind::kFlush;
  }
};

[[nodiscard]] SurfaceTriangle loadTriangle(const TriangleBvh& surface, std::uint32_t index,
                                           const Coordinate& origin);

/// May the surface push along the unit direction m where it supports the triangle? The normals that
/// belong to a point of the surface are the face normal inside a triangle, the directions between the
/// two face normals on a ridge, and on a corner those directions along which it is the highest place
/// of all triangles around it. Flush sides and valleys have none of their own: what touches there
/// touches a face. At a border the directions from the face normal outwards to the plane count.
[[nodiscard]] bool isNormalAllowed(const TriangleBvh& surface, const SurfaceTriangle& triangle,
                                   const Vector3D& m);

}  // namespace msd_sim
