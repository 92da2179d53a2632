#pragma once

#include <cmath>
#include <cstdint>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim {

/// A point of a shape that is farthest along some direction, with the number of the corner it is.
struct SupportVertex {
  static constexpr std::uint32_t kSmooth = 0xFFFFFFFFu;  ///< not a corner: a point of a rim

  Coordinate point;
  std::uint32_t id;
};

/// What GJK and EPA see of a convex shape: a core with a support function, thickened by `radius`.
/// A sphere is a thick point, a capsule a thick segment. Cheap to make; refers to the shape, which
/// must outlive it.
struct ConvexView {
  enum class Core : std::uint8_t { kPoint, kSegment, kTriangle, kBox, kCylinder, kHull, kPrism };

  Core core{Core::kPoint};
  std::uint32_t paddedCount{0};            ///< hull: length of the coordinate arrays; prism: corners
  double radius{0.0};                      ///< thickness about the core [m]
  Vector3D extents{Vector3D::Zero()};      ///< box: half extents; segment: (0, 0, h); cylinder:
                                           ///< (r, r, h); prism: from the top to the bottom
  const double* xs{nullptr};               ///< hull
  const double* ys{nullptr};
  const double* zs{nullptr};
  const msd_assets::ConvexPolyhedron* hull{nullptr};
  const Coordinate* corners{nullptr};      ///< triangle: three; prism: of the top
  double size{0.0};                        ///< radius of the ball about the origin [m]

  [[nodiscard]] bool isCurved() const { return core == Core::kCylinder; }
};

/// Throws std::invalid_argument for a plane, mesh or terrain.
[[nodiscard]] ConvexView makeConvexView(const CollisionShape& shape);
/// A triangle as a flat convex body; corners in the frame it is placed with.
[[nodiscard]] ConvexView makeTriangleView(const Coordinate* corners);
/// The convex hull of `count` corners and of the same corners moved by `extrusion`.
[[nodiscard]] ConvexView makePrismView(const Coordinate* corners, std::uint32_t count,
                                       const Vector3D& extrusion);

/// Index of the vertex farthest along d; the lowest index among equals, whatever the vector width.
[[nodiscard]] std::uint32_t findHullSupport(const ConvexView& view, const Vector3D& d);

/// Corner `id` of a core with corners.
[[nodiscard]] inline Coordinate corner(const ConvexView& view, std::uint32_t id) {
  switch (view.core) {
    case ConvexView::Core::kPoint:
      return Coordinate::Zero();
    case ConvexView::Core::kSegment:
      return {0.0, 0.0, id != 0 ? view.extents.z() : -view.extents.z()};
    case ConvexView::Core::kTriangle:
      return view.corners[id];
    case ConvexView::Core::kBox:
      return {(id & 1u) != 0 ? view.extents.x() : -view.extents.x(),
              (id & 2u) != 0 ? view.extents.y() : -view.extents.y(),
              (id & 4u) != 0 ? view.extents.z() : -view.extents.z()};
    case ConvexView::Core::kHull:
      return {view.xs[id], view.ys[id], view.zs[id]};
    case ConvexView::Core::kPrism:
      return id < view.paddedCount ? view.corners[id]
                                   : Coordinate{view.corners[id - view.paddedCount] + view.extents};
    case ConvexView::Core::kCylinder:
      break;
  }
  return Coordinate::Zero();
}

/// Farthest point of the core (without its radius) along d, which need not be of unit length.
[[nodiscard]] inline SupportVertex supportCore(const ConvexView& view, const Vector3D& d) {
  switch (view.core) {
    case ConvexView::Core::kPoint:
      return {Coordinate::Zero(), 0};
    case ConvexView::Core::kSegment: {
      const std::uint32_t id = d.z() > 0.0 ? 1u : 0u;
      return {{0.0, 0.0, id != 0 ? view.extents.z() : -view.extents.z()}, id};
    }
    case ConvexView::Core::kTriangle: {
      const double s0 = d.dot(view.corners[0]);
      const double s1 = d.dot(view.corners[1]);
      const double s2 = d.dot(view.corners[2]);
      const std::uint32_t id = s0 >= s1 ? (s0 >= s2 ? 0u : 2u) : (s1 >= s2 ? 1u : 2u);
      return {view.corners[id], id};
    }
    case ConvexView::Core::kBox: {
      const std::uint32_t id = (d.x() > 0.0 ? 1u : 0u) | (d.y() > 0.0 ? 2u : 0u) |
                               (d.z() > 0.0 ? 4u : 0u);
      return {{d.x() > 0.0 ? view.extents.x() : -view.extents.x(),
               d.y() > 0.0 ? view.extents.y() : -view.extents.y(),
               d.z() > 0.0 ? view.extents.z() : -view.extents.z()},
              id};
    }
    case ConvexView::Core::kHull: {
      const std::uint32_t id = findHullSupport(view, d);
      return {{view.xs[id], view.ys[id], view.zs[id]}, id};
    }
    case ConvexView::Core::kPrism: {
      std::uint32_t id = 0;
      double greatest = d.dot(view.corners[0]);
      for (std::uint32_t i = 1; i < view.paddedCount; ++i) {
        const double value = d.dot(view.corners[i]);
        if (value > greatest) {
          greatest = value;
          id = i;
        }
      }
      if (d.dot(view.extents) > 0.0) id += view.paddedCount;
      return {corner(view, id), id};
    }
    case ConvexView::Core::kCylinder:
      break;
  }
  // The rim of the cap that faces d; its centre when d is along the axis.
  const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double scale = radial > 0.0 ? view.extents.x() / radial : 0.0;
  return {{d.x() * scale, d.y() * scale, d.z() > 0.0 ? view.extents.z() : -view.extents.z()},
          SupportVertex::kSmooth};
}

/// Two convex shapes in the frame of the first, so that results do not depend on where in the world
/// the pair is.
struct ConvexPair {
  ConvexView a;
  ConvexView b;
  Matrix3D R_AB{Matrix3D::Identity()};
  Coordinate p_AB{Coordinate::Zero()};  ///< origin of B in A's frame [m]
  double size{0.0};                     ///< sum of both sizes [m]: the scale of the tolerances

  [[nodiscard]] Coordinate supportA(const Vector3D& d) const { return supportCore(a, d).point; }
  [[nodiscard]] Coordinate supportB(const Vector3D& d) const {
    return R_AB * supportCore(b, R_AB.transpose() * d).point + p_AB;
  }
  /// Signed gap between the thick shapes along a unit direction from A to B: the distance by which
  /// the plane family with normal n separates them; the greatest value over all n is the distance
  /// (> 0) or minus the penetration depth (< 0).
  [[nodiscard]] double gapAlong(const Vector3D& n) const {
    return n.dot(supportB(-n)) - n.dot(supportA(n)) - a.radius - b.radius;
  }
};

[[nodiscard]] inline ConvexPair makeConvexPair(const ConvexView& a, const Placement& poseA,
                                               const ConvexView& b, const Placement& poseB) {
  ConvexPair pair;
  pair.a = a;
  pair.b = b;
  pair.R_AB.noalias() = poseA.rotation.transpose() * poseB.rotation;
  pair.p_AB.noalias() = poseA.rotation.transpose() * (poseB.position - poseA.position);
  pair.size = a.size + b.size;
  return pair;
}

}  // namespace msd_sim
