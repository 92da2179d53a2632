#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/DataTypes/Infinity.hpp"
#include "msd-sim/src/Physics/Collision/ConvexConvex.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

void requireConvex(const CollisionShape& shape, const char* name) {
  if (!shape.isConvex()) {
    throw std::invalid_argument(fmt::format(
        "{} is a {}; expected a convex shape: sphere, box, capsule, cylinder or hull", name,
        msd_assets::shapeKindName(shape.kind)));
  }
}

/// The half space of a placed plane in world coordinates.
struct WorldPlane {
  Vector3D normal;
  double offset;
};

WorldPlane placePlane(const PlacedShape& plane) {
  const Vector3D n = plane.pose.orientation * plane.shape.planeNormal;
  return {n, plane.shape.planeOffset + n.dot(plane.pose.position)};
}

/// The lowest point of a convex shape over a plane, world, and its height.
Coordinate lowestPoint(const PlacedShape& convex, const WorldPlane& plane, double& height) {
  const Vector3D d = convex.pose.orientation.conjugate() * -plane.normal;
  const Coordinate p = convex.pose.toWorld(supportPoint(convex.shape, d));
  height = plane.normal.dot(p) - plane.offset;
  return p;
}

/// A convex shape in the frame of a surface, about its own origin there.
struct OverSurface {
  const TriangleBvh& surface;
  ConvexView view;
  Pose pose_S;
  Aabb bounds;

  OverSurface(const PlacedShape& convex, const PlacedShape& target)
      : surface{*target.shape.triangles},
        view{makeConvexView(convex.shape)},
        pose_S{target.pose.inverse() * convex.pose},
        bounds{worldBounds(convex.shape, pose_S)} {}

  /// Calls test(id, pair) for triangles in the box; A of the pair is the triangle, in surface axes
  /// about the shape's position. test returns false to end.
  template <class Test>
  void forEach(const Aabb& box, const Test& test) const {
    bool goesOn = true;
    surface.query(box, [&](std::uint32_t id) {
      if (!goesOn) return;
      TriangleBvh::Triangle corners = surface.triangle(id);
      for (Coordinate& corner : corners) corner -= pose_S.position;
      ConvexPair pair;
      pair.a = makeTriangleView(corners.data());
      pair.b = view;
      pair.R_AB = pose_S.orientation.toRotationMatrix();
      pair.size = pair.a.size + pair.b.size;
      goesOn = test(id, pair);
    });
  }

  [[nodiscard]] bool isUnderTerrain() const {
    if (!surface.isTerrain()) return false;
    const std::uint32_t id =
        surface.terrain().findTriangle(pose_S.position.x(), pose_S.position.y());
    if (id == TriangleBvh::kNone) return false;
    const TriangleBvh::Triangle t = surface.triangle(id);
    return (t[1] - t[0]).cross(t[2] - t[0]).dot(pose_S.position - t[0]) <= 0.0;
  }
};

bool isTouching(const ConvexPair& pair) {
  Simplex simplex;
  const double radii = pair.a.radius + pair.b.radius;
  Vector3D guess = -pair.p_AB;
  if (!(guess.squaredNorm() > 0.0)) guess = Vector3D::UnitX();
  const GjkOutcome outcome = runGjk(pair, guess, radii, simplex);
  if (outcome.status == GjkOutcome::Status::kFar) return false;
  return outcome.status == GjkOutcome::Status::kTouching ||
         outcome.v.norm() <= radii + tolerance::kTouching * pair.size;
}

bool overlapsSurface(const PlacedShape& convex, const PlacedShape& surface) {
  const OverSurface over{convex, surface};
  if (over.isUnderTerrain()) return true;
  bool found = false;
  over.forEach(over.bounds, [&](std::uint32_t, const ConvexPair& pair) {
    found = isTouching(pair);
    return !found;
  });
  return found;
}

void swapResult(DistanceResult& result) {
  std::swap(result.pointA, result.pointB);
  result.normal = -result.normal;
}

DistanceResult distanceToPlane(const PlacedShape& convex, const PlacedShape& target) {
  const WorldPlane plane = placePlane(target);
  double height = 0.0;
  DistanceResult result;
  result.pointA = lowestPoint(convex, plane, height);
  result.pointB = result.pointA - height * plane.normal;
  result.distance = std::max(height, 0.0);
  if (height > 0.0) result.normal = -plane.normal;
  return result;
}

DistanceResult distanceToSurface(const PlacedShape& convex, const PlacedShape& target) {
  const OverSurface over{convex, target};
  DistanceResult result;
  if (over.isUnderTerrain()) {
    result.pointA = result.pointB = convex.pose.position;
    return result;
  }
  // The point of the surface nearest to the shape's inner point bounds the search.
  const Coordinate centre = over.pose_S.toWorld(convex.shape.centre);
  std::uint32_t nearest = TriangleBvh::kNone;
  Coordinate foot = centre;
  static_cast<void>(over.surface.findNearest(centre, kInfinity, nearest, foot));
  Separation best;
  best.gap = kInfinity;
  over.forEach(over.bounds.expanded((foot - centre).norm()),
               [&](std::uint32_t, const ConvexPair& pair) {
                 ManifoldCache cache;
                 const Separation s = findSeparation(pair, best.gap, cache);
                 if (s.gap < best.gap) best = s;
                 return best.gap > 0.0;
               });
  const auto toWorld = [&](const Coordinate& p) {
    return target.pose.toWorld(over.pose_S.position + p);
  };
  result.pointA = toWorld(best.pointB);
  result.pointB = toWorld(best.pointA);
  result.distance = std::max(best.gap, 0.0);
  if (best.gap > 0.0) result.normal = -(target.pose.orientation * best.normal);
  return result;
}

NearestPoint nearestOnConvex(const CollisionShape& shape, const Coordinate& p) {
  const auto answer = [&](const Coordinate& q) { return NearestPoint{q, (q - p).norm()}; };
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return p.norm() <= shape.radius ? answer(p) : answer(shape.radius * p.normalized());
    case ShapeKind::kBox:
      return answer(p.cwiseMax(-shape.halfExtents).cwiseMin(shape.halfExtents));
    case ShapeKind::kCapsule: {
      const Coordinate axis{0.0, 0.0, std::clamp(p.z(), -shape.halfHeight, shape.halfHeight)};
      const Vector3D r = p - axis;
      return r.norm() <= shape.radius ? answer(p)
                                      : answer(axis + shape.radius * r.normalized());
    }
    case ShapeKind::kCylinder: {
      const double radial = std::sqrt(p.x() * p.x() + p.y() * p.y());
      const double scale = radial > shape.radius ? shape.radius / radial : 1.0;
      return answer({p.x() * scale, p.y() * scale,
                     std::clamp(p.z(), -shape.halfHeight, shape.halfHeight)});
    }
    case ShapeKind::kHull: {
      ConvexPair pair;
      pair.a = makeConvexView(shape);
      pair.p_AB = p;
      pair.size = shape.size + p.norm();
      Simplex simplex;
      const GjkOutcome outcome =
          runGjk(pair, p.squaredNorm() > 0.0 ? Vector3D{-p} : Vector3D{Vector3D::UnitX()},
                 kInfinity, simplex);
      return outcome.status == GjkOutcome::Status::kTouching ? answer(p) : answer(simplex.pointA());
    }
    default: {
      const double height = shape.planeNormal.dot(p) - shape.planeOffset;
      return answer(height > 0.0 ? Coordinate{p - height * shape.planeNormal} : p);
    }
  }
}

}  // namespace

bool overlaps(const PlacedShape& a, const PlacedShape& b) {
  if (!a.shape.isConvex() && b.shape.isConvex()) return overlaps(b, a);
  requireConvex(a.shape, "one of the shapes");
  if (b.shape.triangles != nullptr) return overlapsSurface(a, b);
  if (b.shape.kind == ShapeKind::kPlane) {
    double height = 0.0;
    static_cast<void>(lowestPoint(a, placePlane(b), height));
    return height <= 0.0;
  }
  return GJK{a.shape, a.pose, b.shape, b.pose}.intersects();
}

DistanceResult findDistance(const PlacedShape& a, const PlacedShape& b) {
  if (!a.shape.isConvex() && b.shape.isConvex()) {
    DistanceResult result = findDistance(b, a);
    swapResult(result);
    return result;
  }
  requireConvex(a.shape, "one of the shapes");
  if (b.shape.triangles != nullptr) return distanceToSurface(a, b);
  if (b.shape.kind == ShapeKind::kPlane) return distanceToPlane(a, b);
  return GJK{a.shape, a.pose, b.shape, b.pose}.distance();
}

NearestPoint findNearestPoint(const PlacedShape& target, const Coordinate& point) {
  const Coordinate p = target.pose.toLocal(point);
  NearestPoint result;
  if (target.shape.triangles != nullptr) {
    Coordinate nearest = p;
    static_cast<void>(
        target.shape.triangles->findNearest(p, kInfinity, result.triangle, nearest));
    result.point = nearest;
    result.distance = (nearest - p).norm();
  } else {
    result = nearestOnConvex(target.shape, p);
  }
  result.point = target.pose.toWorld(result.point);
  return result;
}

}  // namespace msd_sim
