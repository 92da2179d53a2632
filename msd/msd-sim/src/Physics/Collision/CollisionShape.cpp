#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace hn = hwy::HWY_NAMESPACE;

namespace {

/// Least and greatest projection of a hull's vertices onto a direction.
struct Interval {
  double lower;
  double upper;
};

Interval projectHull(const msd_assets::ConvexPolyhedron& hull, const Vector3D& d) {
  const hn::ScalableTag<double> tag;
  using V = decltype(hn::Zero(tag));
  const V dx = hn::Set(tag, d.x());
  const V dy = hn::Set(tag, d.y());
  const V dz = hn::Set(tag, d.z());
  V lower = hn::Inf(tag);
  V upper = hn::Neg(lower);
  for (std::size_t i = 0; i < hull.xs().size(); i += hn::Lanes(tag)) {
    const V value = hn::MulAdd(hn::LoadU(tag, &hull.xs()[i]), dx,
                               hn::MulAdd(hn::LoadU(tag, &hull.ys()[i]), dy,
                                          hn::Mul(hn::LoadU(tag, &hull.zs()[i]), dz)));
    lower = hn::Min(lower, value);
    upper = hn::Max(upper, value);
  }
  return {hn::GetLane(hn::MinOfLanes(tag, lower)), hn::GetLane(hn::MaxOfLanes(tag, upper))};
}

/// Half the width of a shape that is symmetric about its origin, along each world axis.
Vector3D symmetricExtent(const CollisionShape& shape, const Matrix3D& R) {
  const Vector3D axis = R.col(2).cwiseAbs();
  switch (shape.kind) {
    case ShapeKind::kBox:
      return R.cwiseAbs() * shape.halfExtents;
    case ShapeKind::kCapsule:
      return (shape.halfHeight * axis).array() + shape.radius;
    case ShapeKind::kCylinder:
      // A disc with unit normal u reaches r·sqrt(1 - u_i²) along axis i.
      return shape.halfHeight * axis +
             shape.radius * (1.0 - axis.array().square()).max(0.0).sqrt().matrix();
    default:
      return Vector3D::Constant(shape.radius);
  }
}

/// The tree of a surface: built once, and shared by all bodies and worlds for as long as one of them has
/// it. A tree keeps its surface alive, so the address of one that is found is not another's.
template <class Surface>
std::shared_ptr<const TriangleBvh> sharedTree(const std::shared_ptr<const Surface>& surface) {
  static std::mutex mutex;
  static std::map<const Surface*, std::weak_ptr<const TriangleBvh>> trees;
  const std::lock_guard lock{mutex};
  if (const auto found = trees.find(surface.get()); found != trees.end()) {
    if (auto tree = found->second.lock()) return tree;
  }
  std::erase_if(trees, [](const auto& entry) { return entry.second.expired(); });
  auto tree = std::make_shared<const TriangleBvh>(surface);
  trees[surface.get()] = tree;
  return tree;
}

}  // namespace

CollisionShape makeCollisionShape(const msd_assets::Shape& shape) {
  if (shape.kind() == ShapeKind::kCompound) {
    throw std::invalid_argument(
        "a compound is not one collision shape; expected its parts, one at a time");
  }
  CollisionShape result;
  result.kind = shape.kind();
  const Eigen::AlignedBox3d bounds = msd_assets::localBounds(shape);
  result.localBounds = {bounds.min(), bounds.max()};
  result.size = msd_assets::boundingRadius(shape, Coordinate::Zero());
  switch (shape.kind()) {
    case ShapeKind::kSphere:
      result.radius = shape.as<msd_assets::Sphere>().radius;
      break;
    case ShapeKind::kBox:
      result.halfExtents = shape.as<msd_assets::Box>().halfExtents;
      result.polyhedron = std::make_shared<const msd_assets::ConvexPolyhedron>(
          msd_assets::ConvexPolyhedron::box(result.halfExtents));
      break;
    case ShapeKind::kCapsule:
      result.radius = shape.as<msd_assets::Capsule>().radius;
      result.halfHeight = shape.as<msd_assets::Capsule>().halfHeight;
      break;
    case ShapeKind::kCylinder:
      result.radius = shape.as<msd_assets::Cylinder>().radius;
      result.halfHeight = shape.as<msd_assets::Cylinder>().halfHeight;
      break;
    case ShapeKind::kHull:
      result.polyhedron = shape.as<msd_assets::Hull>().polyhedron;
      for (const Coordinate& v : result.polyhedron->vertices()) result.centre += v;
      result.centre /= static_cast<double>(result.polyhedron->vertices().size());
      break;
    case ShapeKind::kPlane:
      result.planeNormal = shape.as<msd_assets::Plane>().normal;
      result.planeOffset = shape.as<msd_assets::Plane>().offset;
      break;
    case ShapeKind::kMesh:
      result.triangles = sharedTree(shape.as<msd_assets::Mesh>().surface);
      break;
    case ShapeKind::kTerrain:
      result.triangles = sharedTree(shape.as<msd_assets::Terrain>().field);
      break;
    case ShapeKind::kCompound:
      break;
  }
  if (result.polyhedron) result.numbers = result.polyhedron->numbers();
  return result;
}

Aabb worldBounds(const CollisionShape& shape, const Matrix3D& R, const Coordinate& p) {
  if (shape.kind == ShapeKind::kPlane) return shape.localBounds;
  Aabb bounds;
  if (shape.kind == ShapeKind::kSphere) {
    bounds = {p.array() - shape.radius, p.array() + shape.radius};
  } else if (shape.kind == ShapeKind::kHull) {
    for (int i = 0; i < 3; ++i) {
      const Interval interval = projectHull(*shape.polyhedron, R.row(i).transpose());
      bounds.lower[i] = p[i] + interval.lower;
      bounds.upper[i] = p[i] + interval.upper;
    }
  } else if (shape.isConvex()) {
    const Vector3D half = symmetricExtent(shape, R);
    bounds = {p - half, p + half};
  } else {
    const Coordinate centre = p + R * (0.5 * (shape.localBounds.lower + shape.localBounds.upper));
    const Vector3D half =
        R.cwiseAbs() * (0.5 * (shape.localBounds.upper - shape.localBounds.lower));
    bounds = {centre - half, centre + half};
  }
  // Rounding in the lines above stays below these few ulps.
  const double slack = 8.0 * tolerance::kUlp * (p.cwiseAbs().maxCoeff() + shape.size);
  return bounds.expanded(slack);
}

Coordinate supportPoint(const CollisionShape& shape, const Vector3D& direction) {
  const ConvexView view = makeConvexView(shape);
  const Coordinate core = supportCore(view, direction).point;
  return view.radius > 0.0 ? Coordinate{core + view.radius * direction.normalized()} : core;
}

}  // namespace msd_sim
