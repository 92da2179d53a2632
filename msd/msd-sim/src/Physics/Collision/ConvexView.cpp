#include "msd-sim/src/Physics/Collision/ConvexView.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <algorithm>
#include <stdexcept>

namespace msd_sim {

namespace hn = hwy::HWY_NAMESPACE;

ConvexView makeConvexView(const CollisionShape& shape) {
  ConvexView view;
  view.size = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      view.radius = shape.radius;
      return view;
    case ShapeKind::kCapsule:
      view.core = ConvexView::Core::kSegment;
      view.radius = shape.radius;
      view.extents = {0.0, 0.0, shape.halfHeight};
      return view;
    case ShapeKind::kBox:
      view.core = ConvexView::Core::kBox;
      view.extents = shape.halfExtents;
      return view;
    case ShapeKind::kCylinder:
      view.core = ConvexView::Core::kCylinder;
      view.extents = {shape.radius, shape.radius, shape.halfHeight};
      return view;
    case ShapeKind::kHull:
      view.core = ConvexView::Core::kHull;
      view.hull = shape.polyhedron.get();
      view.paddedCount = static_cast<std::uint32_t>(view.hull->xs().size());
      view.xs = view.hull->xs().data();
      view.ys = view.hull->ys().data();
      view.zs = view.hull->zs().data();
      return view;
    default:
      throw std::invalid_argument(
          fmt::format("a {} has no support function; expected sphere, box, capsule, cylinder or hull",
                      msd_assets::shapeKindName(shape.kind)));
  }
}

ConvexView makeTriangleView(const Coordinate* corners) {
  ConvexView view;
  view.core = ConvexView::Core::kTriangle;
  view.corners = corners;
  view.size = std::sqrt(std::max(
      {corners[0].squaredNorm(), corners[1].squaredNorm(), corners[2].squaredNorm()}));
  return view;
}

ConvexView makePrismView(const Coordinate* corners, std::uint32_t count,
                         const Vector3D& extrusion) {
  ConvexView view;
  view.core = ConvexView::Core::kPrism;
  view.corners = corners;
  view.paddedCount = count;
  view.extents = extrusion;
  for (std::uint32_t i = 0; i < count; ++i) {
    view.size = std::max({view.size, corners[i].norm(), (corners[i] + extrusion).norm()});
  }
  return view;
}

std::uint32_t findHullSupport(const ConvexView& view, const Vector3D& d) {
  const hn::ScalableTag<double> tag;
  using V = decltype(hn::Zero(tag));
  const std::size_t lanes = hn::Lanes(tag);
  const V dx = hn::Set(tag, d.x());
  const V dy = hn::Set(tag, d.y());
  const V dz = hn::Set(tag, d.z());
  const auto project = [&](std::size_t i) {
    return hn::MulAdd(hn::LoadU(tag, view.xs + i), dx,
                      hn::MulAdd(hn::LoadU(tag, view.ys + i), dy,
                                 hn::Mul(hn::LoadU(tag, view.zs + i), dz)));
  };
  // Indices travel as doubles, so that one mask serves values and indices. They fit exactly.
  V best = project(0);
  V bestIndex = hn::Iota(tag, 0.0);
  V index = bestIndex;
  const V step = hn::Set(tag, static_cast<double>(lanes));
  for (std::size_t i = lanes; i < view.paddedCount; i += lanes) {
    index = hn::Add(index, step);
    const V value = project(i);
    const auto better = hn::Gt(value, best);
    best = hn::IfThenElse(better, value, best);
    bestIndex = hn::IfThenElse(better, index, bestIndex);
  }
  const V greatest = hn::MaxOfLanes(tag, best);
  const V candidates =
      hn::IfThenElse(hn::Eq(best, greatest), bestIndex, hn::Set(tag, 1e9));
  const double winner = hn::GetLane(hn::MinOfLanes(tag, candidates));
  // A direction that is not a number compares with nothing: vertex 0 then, never an index outside.
  return winner < static_cast<double>(view.paddedCount) ? static_cast<std::uint32_t>(winner) : 0u;
}

}  // namespace msd_sim
