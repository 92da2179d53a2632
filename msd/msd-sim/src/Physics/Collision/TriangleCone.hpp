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

/// A plane of the surface seen before, relative to the same origin; spares computing it again for
/// triangles that lie in it exactly.
struct KnownPlane {
  Vector3D normal{Vector3D::Zero()};
  double offset{0.0};
};

[[nodiscard]] SurfaceTriangle loadTriangle(const TriangleBvh& surface, std::uint32_t index,
                                           const Coordinate& origin, const KnownPlane& known);

/// Whose a direction of contact is.
enum class NormalVerdict : std::uint8_t {
  kOwn,        ///< the surface has this normal where it supports the triangle
  kFace,       ///< it has not, and the triangle touches with its face
  kElsewhere,  ///< it belongs to another triangle
};

/// Judges a unit direction m along which the triangle supports a shape. The normals that belong to a
/// point of the surface are the face normal inside a triangle, the directions between the two face
/// normals on a ridge, and on a corner those directions along which it is the highest place of all
/// triangles around it. Flush sides and valleys have none of their own: what touches there touches a
/// face. At a border the directions from the face normal outwards to the plane count.
[[nodiscard]] NormalVerdict judgeNormal(const TriangleBvh& surface, const SurfaceTriangle& triangle,
                                        const Vector3D& m);

/// The locally convex cap that a triangle belongs to: its corners and, after them, those corners of
/// the triangles around it that do not rise above its plane.
struct SurfaceCap {
  static constexpr int kMaxCorners = 32;

  std::array<Coordinate, kMaxCorners> corners;         ///< relative to the shape's inner point [m]
  std::array<std::uint32_t, kMaxCorners> triangles;    ///< one that has the corner
  std::array<std::uint8_t, kMaxCorners> cornerOf;      ///< which of that triangle's corners it is
  int count{0};
};

void gatherCap(const TriangleBvh& surface, const SurfaceTriangle& triangle,
               const Coordinate& origin, SurfaceCap& cap);

/// Judges a direction m along which the whole cap supports a shape: as judgeNormal if the triangle
/// reaches as high as the cap, kElsewhere if a corner beyond it does and has m among its normals, and
/// kFace if m is a way out that no part of the surface offers.
[[nodiscard]] NormalVerdict judgeCapNormal(const TriangleBvh& surface,
                                           const SurfaceTriangle& triangle, const SurfaceCap& cap,
                                           const Vector3D& m);

}  // namespace msd_sim
