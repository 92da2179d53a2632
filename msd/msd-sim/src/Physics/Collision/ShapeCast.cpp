#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

/// A touch in the frame of the pair's A, which is the target.
struct Touch {
  double fraction;
  Vector3D normal;  ///< from A (target) to B (moved)
  Coordinate point; ///< on A
};

/// Moves B of the pair along `translation` until it touches A. The gap along the normal of the
/// nearest points falls at a constant rate and bounds the distance from below, so that stepping to
/// its zero never goes too far (Newton's method on a convex function); for polytopes it ends on the
/// touching features after a few steps.
bool castPair(ConvexPair pair, const Vector3D& translation, double limit, Touch& touch) {
  constexpr int kMaxSteps = 64;
  const double enough = tolerance::kCastGap * pair.size;
  const Coordinate start = pair.p_AB;
  ManifoldCache cache;
  touch.fraction = 0.0;
  for (int step = 0; step < kMaxSteps; ++step) {
    pair.p_AB = start + touch.fraction * translation;
    const Separation s = findSeparation(pair, std::numeric_limits<double>::infinity(), cache);
    // A zero gap is hit from above up to rounding; the normal that led here is the better one then.
    if (s.gap > -enough || step == 0) {
      touch.normal = s.normal;
      touch.point = s.pointA;
    }
    if (s.gap <= enough) return true;
    const double rate = -s.normal.dot(translation);
    if (!(rate > 0.0)) return false;
    const double next = touch.fraction + s.gap / rate;
    if (!(next <= limit)) return false;
    if (next == touch.fraction) return true;
    touch.fraction = next;
  }
  return true;  // as near as the steps allow, and not past it
}

std::optional<ShapeCastResult> castAtPlane(const PlacedShape& moved, const Vector3D& translation,
                                           const PlacedShape& target) {
  const Vector3D n = target.pose.orientation * target.shape.planeNormal;
  const double offset = target.shape.planeOffset + n.dot(target.pose.position);
  const Vector3D d = moved.pose.orientation.conjugate() * -n;
  const Coordinate lowest = moved.pose.toWorld(supportPoint(moved.shape, d));
  const double height = n.dot(lowest) - offset;
  const double rate = -n.dot(translation);
  ShapeCastResult result;
  result.normal = n;
  if (height > 0.0) {
    if (!(rate >= height)) return std::nullopt;
    result.fraction = height / rate;
  }
  result.point = lowest + result.fraction * translation;
  result.point -= (n.dot(result.point) - offset) * n;
  return result;
}

std::optional<ShapeCastResult> castAtSurface(const PlacedShape& moved,
                                             const Vector3D& translation,
                                             const PlacedShape& target) {
  const TriangleBvh& surface = *target.shape.triangles;
  const Pose pose_S = target.pose.inverse() * moved.pose;
  const Vector3D way = target.pose.orientation.conjugate() * translation;
  const Aabb start = worldBounds(moved.shape, pose_S);
  const Aabb end{start.lower + way, start.upper + way};
  ConvexPair pair;
  pair.b = makeConvexView(moved.shape);
  pair.R_AB = pose_S.orientation.toRotationMatrix();
  std::optional<ShapeCastResult> best;
  double limit = 1.0;
  surface.query(start.merged(end), [&](std::uint32_t id) {
    TriangleBvh::Triangle corners = surface.triangle(id);
    for (Coordinate& corner : corners) corner -= pose_S.position;
    pair.a = makeTriangleView(corners.data());
    pair.size = pair.a.size + pair.b.size;
    Touch touch;
    if (!castPair(pair, way, limit, touch)) return;
    if (best.has_value() && touch.fraction >= limit) return;
    limit = touch.fraction;
    best = ShapeCastResult{touch.fraction, target.pose.toWorld(pose_S.position + touch.point),
                           target.pose.orientation * touch.normal, id};
  });
  return best;
}

}  // namespace

std::optional<ShapeCastResult> castShape(const PlacedShape& moved, const Vector3D& translation,
                                         const PlacedShape& target) {
  if (!moved.shape.isConvex()) {
    throw std::invalid_argument(fmt::format(
        "the shape to be moved is a {}; expected sphere, box, capsule, cylinder or hull",
        msd_assets::shapeKindName(moved.shape.kind)));
  }
  if (target.shape.kind == ShapeKind::kPlane) return castAtPlane(moved, translation, target);
  if (target.shape.triangles != nullptr) return castAtSurface(moved, translation, target);
  const ConvexPair pair = makeConvexPair(makeConvexView(target.shape), target.pose,
                                         makeConvexView(moved.shape), moved.pose);
  Touch touch;
  const Vector3D way = target.pose.orientation.conjugate() * translation;
  if (!castPair(pair, way, 1.0, touch)) return std::nullopt;
  return ShapeCastResult{touch.fraction, target.pose.toWorld(touch.point),
                         target.pose.orientation * touch.normal, kNoTriangle};
}

}  // namespace msd_sim
