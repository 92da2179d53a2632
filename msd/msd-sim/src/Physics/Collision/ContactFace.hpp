#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/NormalRefinement.hpp"

namespace msd_sim {

/// The part of a convex shape's surface, thickness included, that looks along a direction: what may
/// touch.
struct ContactFace {
  enum class Kind : std::uint8_t {
    kPoint,      ///< points[0]
    kSegment,    ///< points[0], points[1]
    kPolygon,    ///< points[0 .. count), counter-clockwise seen from outside
    kDisc,       ///< centre points[0], axes u, w, radius
    kHalfSpace,  ///< the whole plane normal·x = offset
  };
  /// Larger faces are thinned evenly to this many corners (which cuts off 1.2e-3 of the radius of a
  /// regular polygon).
  static constexpr int kMaxCorners = 64;

  Kind kind{Kind::kPoint};
  int count{0};
  Vector3D normal{Vector3D::Zero()};  ///< outward unit normal; polygon, disc, half space
  double offset{0.0};                 ///< of the plane along the normal [m]
  Vector3D u{Vector3D::Zero()};       ///< disc: axes fixed to the body; u × w = ± normal
  Vector3D w{Vector3D::Zero()};
  double radius{0.0};                 ///< disc [m]
  double bend{0.0};                   ///< segment on a round side: radius of the side [m]
  Coordinate foremost{Coordinate::Zero()};  ///< capsule: the end of its axis that is foremost
  Vector3D axis{Vector3D::Zero()};    ///< capsule: unit, from that end to the other
  bool isCapsule{false};
  std::array<Coordinate, kMaxCorners> points;
  std::array<std::uint16_t, kMaxCorners> corners;  ///< number of each corner on the shape
  std::array<std::uint16_t, kMaxCorners> sides;    ///< of the edge from each corner to the next

  ContactFace() {}  // NOLINT(modernize-use-equals-default): leaves the arrays uninitialised
};

/// The face named by `face` as an area; for shapes without faces a segment or point. Of a capsule: the
/// segment from the foremost point of its surface to the far end of the line that looks along d.
void extractFace(const ConvexView& view, const FaceNormal& face, const Vector3D& d,
                 ContactFace& out);

/// The edge, side line or point that is farthest along the unit direction d.
void extractEdge(const ConvexView& view, const Vector3D& d, ContactFace& out);

/// Moves a point between the ends of a capsule's segment along d, the direction the segment was made
/// for, onto the capsule's surface: that is a cap's arc and then a straight line.
void liftToCapsule(const ContactFace& segment, const Vector3D& d, Coordinate& p);

/// Moves a face into another frame: p -> R p + t.
void transformFace(const Matrix3D& R, const Coordinate& t, ContactFace& face);

}  // namespace msd_sim
