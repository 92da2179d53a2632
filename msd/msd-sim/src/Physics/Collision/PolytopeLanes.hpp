#pragma once

#include <hwy/highway.h>

#include <cstddef>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

/// Private to the library: searches through all vertices or faces of a polyhedron, several at a
/// time. Compilers leave such loops one by one. Results are the same bits for every width.
namespace msd_sim::lanes {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
using V = hn::Vec<Tag>;

/// The least number of a list and where it is; the first place of equals. 0 where nothing compares.
struct Least {
  double value;
  std::size_t place;
};

/// The least of some vectors, which valueAt(i) makes of the numbers from i on, over `count`
/// numbers: a multiple of the lanes.
template <class ValueAt>
Least findLeast(std::size_t count, const ValueAt& valueAt) {
  const Tag tag;
  V best = hn::Inf(tag), index = hn::Iota(tag, 0.0), where = index;
  const V step = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const V value = valueAt(i);
    const auto better = hn::Lt(value, best);
    best = hn::IfThenElse(better, value, best);
    where = hn::IfThenElse(better, index, where);
    index = hn::Add(index, step);
  }
  const V least = hn::MinOfLanes(tag, best);
  const V places =
      hn::IfThenElse(hn::Eq(best, least), where, hn::Set(tag, static_cast<double>(count)));
  const double place = hn::GetLane(hn::MinOfLanes(tag, places));
  return {hn::GetLane(least),
          place < static_cast<double>(count) ? static_cast<std::size_t>(place) : 0};
}

/// x·a + y·b + z·c of the numbers from i on, added from the left.
inline V dot(std::size_t i, const double* x, const double* y, const double* z, const Vector3D& n) {
  const Tag tag;
  const V xy = hn::Add(hn::Mul(hn::LoadU(tag, x + i), hn::Set(tag, n.x())),
                       hn::Mul(hn::LoadU(tag, y + i), hn::Set(tag, n.y())));
  return hn::Add(xy, hn::Mul(hn::LoadU(tag, z + i), hn::Set(tag, n.z())));
}

/// The same, added from the right, as products of two vectors are.
inline V dotFromRight(std::size_t i, const double* x, const double* y, const double* z,
                      const Vector3D& n) {
  const Tag tag;
  const V yz = hn::Add(hn::Mul(hn::LoadU(tag, y + i), hn::Set(tag, n.y())),
                       hn::Mul(hn::LoadU(tag, z + i), hn::Set(tag, n.z())));
  return hn::Add(hn::Mul(hn::LoadU(tag, x + i), hn::Set(tag, n.x())), yz);
}

/// The vertex of least n·v.
inline Least findLeastVertex(const msd_assets::ConvexPolyhedron& p, const Vector3D& n) {
  const double* x = p.xs().data();
  const double* y = p.ys().data();
  const double* z = p.zs().data();
  return findLeast(p.xs().size(), [&](std::size_t i) { return dot(i, x, y, z, n); });
}

/// The face that looks most along d.
inline std::size_t findFacingFace(const msd_assets::ConvexPolyhedron& p, const Vector3D& d) {
  const auto planes = p.planes();
  const double* x = planes.x.data();
  const double* y = planes.y.data();
  const double* z = planes.z.data();
  return findLeast(planes.x.size(),
                   [&](std::size_t i) { return hn::Neg(dotFromRight(i, x, y, z, d)); })
      .place;
}

/// Lowers numbers of the faces to the distances of a point from their planes; returns the largest.
inline double lowerToDistances(const msd_assets::ConvexPolyhedron& p, const Vector3D& point,
                               double* bound) {
  const Tag tag;
  const auto planes = p.planes();
  const double* x = planes.x.data();
  const double* y = planes.y.data();
  const double* z = planes.z.data();
  const double* offset = planes.offset.data();
  V most = hn::Neg(hn::Inf(tag));
  for (std::size_t i = 0; i < planes.x.size(); i += hn::Lanes(tag)) {
    const V d = hn::Sub(dot(i, x, y, z, point), hn::LoadU(tag, offset + i));
    const V before = hn::LoadU(tag, bound + i);
    const V lower = hn::IfThenElse(hn::Lt(before, d), before, d);
    hn::StoreU(lower, tag, bound + i);
    most = hn::IfThenElse(hn::Gt(lower, most), lower, most);
  }
  return hn::GetLane(hn::MaxOfLanes(tag, most));
}

/// The first of the numbers that is equal to one; `count` where none is.
inline std::size_t findEqual(const double* numbers, std::size_t count, double value) {
  const Tag tag;
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const auto equal = hn::Eq(hn::LoadU(tag, numbers + i), hn::Set(tag, value));
    if (!hn::AllFalse(tag, equal)) return i + hn::FindKnownFirstTrue(tag, equal);
  }
  return count;
}

}  // namespace msd_sim::lanes
