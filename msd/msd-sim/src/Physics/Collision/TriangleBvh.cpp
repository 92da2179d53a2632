#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

#include <hwy/highway.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/FloatBounds.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace hn = hwy::HWY_NAMESPACE;

namespace {

using FloatTag = hn::FixedTag<float, 4>;

/// A query box in the tree's numbers, rounded outwards.
struct FloatBox {
  std::array<float, 3> lower;
  std::array<float, 3> upper;

  FloatBox(const Aabb& box, const Coordinate& centre) {
    for (int k = 0; k < 3; ++k) {
      lower[k] = nextBelow(static_cast<float>(box.lower[k] - centre[k]));
      upper[k] = nextAbove(static_cast<float>(box.upper[k] - centre[k]));
    }
  }
};

/// Four bounds along one axis as numbers.
hn::Vec<FloatTag> decode(const std::array<std::uint8_t, 4>& steps, float origin, float step) {
  const FloatTag tag;
  const hn::RebindToSigned<FloatTag> integers;
  const hn::Rebind<std::uint8_t, FloatTag> bytes;
  const auto q = hn::ConvertTo(tag, hn::PromoteTo(integers, hn::LoadU(bytes, steps.data())));
  return hn::Add(hn::Set(tag, origin), hn::Mul(q, hn::Set(tag, step)));
}

/// Bit i is set when child i of the node overlaps the box.
std::uint32_t overlapMask(const TriangleBvh::Node& node, const FloatBox& box) {
  const FloatTag tag;
  const auto covers = [&](int k) {
    const float step = node.step(k);
    return hn::And(hn::Le(decode(node.lower[k], node.origin[k], step), hn::Set(tag, box.upper[k])),
                   hn::Ge(decode(node.upper[k], node.origin[k], step), hn::Set(tag, box.lower[k])));
  };
  const auto mask = hn::And(hn::And(covers(0), covers(1)), covers(2));
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(tag, mask, bits);
  return bits[0] & 15u;
}

/// The boxes of a node's children, axis by axis.
struct ChildBoxes {
  alignas(16) std::array<std::array<float, 4>, 3> lower;
  alignas(16) std::array<std::array<float, 4>, 3> upper;

  explicit ChildBoxes(const TriangleBvh::Node& node) {
    const FloatTag tag;
    for (int k = 0; k < 3; ++k) {
      const float step = node.step(k);
      hn::Store(decode(node.lower[k], node.origin[k], step), tag, lower[k].data());
      hn::Store(decode(node.upper[k], node.origin[k], step), tag, upper[k].data());
    }
  }
};

bool boundsOverlap(const TriangleBvh::Triangle& t, const Aabb& box) {
  for (int k = 0; k < 3; ++k) {
    if (std::min({t[0][k], t[1][k], t[2][k]}) > box.upper[k]) return false;
    if (std::max({t[0][k], t[1][k], t[2][k]}) < box.lower[k]) return false;
  }
  return true;
}

/// Collects the smallest numbers offered, as many as fit: a heap with the greatest on top.
template <std::size_t N>
class SmallestIds {
 public:
  explicit SmallestIds(std::array<std::uint32_t, N>& out) : out_{out} {}

  void offer(std::uint32_t id) {
    if (count_ < N) {
      out_[count_++] = id;
      if (count_ == N) std::make_heap(out_.begin(), out_.end());
      return;
    }
    has_more_ = true;
    if (id > out_[0]) return;
    std::pop_heap(out_.begin(), out_.end());
    out_[N - 1] = id;
    std::push_heap(out_.begin(), out_.end());
  }
  void finish() { std::sort(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(count_)); }
  [[nodiscard]] int count() const { return static_cast<int>(count_); }
  [[nodiscard]] bool hasMore() const { return has_more_; }

 private:
  std::array<std::uint32_t, N>& out_;
  std::size_t count_{0};
  bool has_more_{false};
};

constexpr int kStackSize = 4 * TriangleBvh::kMaxDepth + 8;

/// Entry distances of a ray into the four children; infinite where it misses.
class RayNodeTest {
 public:
  RayNodeTest(const Coordinate& origin, const Vector3D& direction) : origin_{origin} {
    for (int k = 0; k < 3; ++k) {
      // A ray along a slab is inside it for a very long time or not at all.
      inverse_[k] = direction[k] == 0.0 ? 1e300 : 1.0 / direction[k];
    }
  }

  void operator()(const TriangleBvh::Node& node, double limit, std::array<double, 4>& enter) const {
    const hn::CappedTag<double, 4> tag;
    const hn::Rebind<float, decltype(tag)> floats;
    const ChildBoxes boxes{node};
    for (std::size_t i = 0; i < 4; i += hn::Lanes(tag)) {
      auto lower = hn::Zero(tag);
      auto upper = hn::Set(tag, limit);
      for (int k = 0; k < 3; ++k) {
        const auto origin = hn::Set(tag, origin_[k]);
        const auto inverse = hn::Set(tag, inverse_[k]);
        const auto lo = hn::PromoteTo(tag, hn::LoadU(floats, &boxes.lower[k][i]));
        const auto hi = hn::PromoteTo(tag, hn::LoadU(floats, &boxes.upper[k][i]));
        const auto t0 = hn::Mul(hn::Sub(lo, origin), inverse);
        const auto t1 = hn::Mul(hn::Sub(hi, origin), inverse);
        // Widened by the roundings of difference, reciprocal and product.
        lower = hn::Max(lower, hn::Mul(hn::Min(t0, t1), hn::Set(tag, 1.0 - 8.0 * tolerance::kUlp)));
        upper = hn::Min(upper, hn::Mul(hn::Max(t0, t1), hn::Set(tag, 1.0 + 8.0 * tolerance::kUlp)));
      }
      const auto misses = hn::Gt(lower, upper);
      hn::StoreU(hn::IfThenElse(misses, hn::Inf(tag), lower), tag, &enter[i]);
    }
  }

 private:
  Coordinate origin_;
  Vector3D inverse_;
};

struct StackEntry {
  double distance;
  std::uint32_t child;
};

/// Pushes the hit children so that the nearest comes off first.
void pushSorted(const TriangleBvh::Node& node, const std::array<double, 4>& distance,
                std::array<StackEntry, kStackSize>& stack, int& depth) {
  const int base = depth;
  for (int i = 0; i < 4; ++i) {
    if (node.child[i] == TriangleBvh::kNone ||
        distance[i] == std::numeric_limits<double>::infinity()) {
      continue;
    }
    int at = depth++;
    while (at > base && stack[at - 1].distance < distance[i]) {
      stack[at] = stack[at - 1];
      --at;
    }
    stack[at] = {distance[i], node.child[i]};
  }
}

}  // namespace

TriangleBvh::TriangleBvh(std::shared_ptr<const msd_assets::TriangleMesh> mesh)
    : mesh_{std::move(mesh)},
      triangle_count_{static_cast<std::uint32_t>(mesh_->triangles().size())} {
  for (const auto& triangle : mesh_->triangles()) {
    for (const std::uint32_t vertex : triangle) {
      bounds_.lower = bounds_.lower.cwiseMin(mesh_->vertices()[vertex]);
      bounds_.upper = bounds_.upper.cwiseMax(mesh_->vertices()[vertex]);
    }
  }
  centre_ = 0.5 * (bounds_.lower + bounds_.upper);
  size_ = 0.5 * (bounds_.upper - bounds_.lower).norm();
  buildTriangleTree(*mesh_, centre_, nodes_);
  classifySides();
  findRegions();
}

TriangleBvh::TriangleBvh(std::shared_ptr<const msd_assets::HeightField> field)
    : terrain_{std::make_shared<const TerrainGrid>(std::move(field))},
      triangle_count_{terrain_->triangleCount()} {
  const msd_assets::HeightField& heights = terrain_->field();
  bounds_ = {{0.0, 0.0, heights.minHeight()},
             {terrain_->cellColumns() * heights.cellX(), terrain_->cellRows() * heights.cellY(),
              heights.maxHeight()}};
  centre_ = 0.5 * (bounds_.lower + bounds_.upper);
  size_ = 0.5 * (bounds_.upper - bounds_.lower).norm();
  classifySides();
  findRegions();
}

TriangleBvh::Triangle TriangleBvh::triangle(std::uint32_t index) const {
  if (mesh_ == nullptr) return terrain_->triangle(index);
  const auto& corners = mesh_->triangles()[index];
  const auto vertices = mesh_->vertices();
  return {vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]};
}

void TriangleBvh::fetchNumbers(std::uint32_t index) const {
  __builtin_prefetch(&side_kinds_[index]);
  if (mesh_ == nullptr) return;
  __builtin_prefetch(&mesh_->triangles()[index]);
  __builtin_prefetch(&mesh_->neighbours()[index]);
}

void TriangleBvh::fetchCorners(std::uint32_t index) const {
  if (mesh_ == nullptr) return;
  for (const std::uint32_t corner : mesh_->triangles()[index]) {
    __builtin_prefetch(&mesh_->vertices()[corner]);
  }
}

std::uint32_t TriangleBvh::neighbour(std::uint32_t index, int side) const {
  return mesh_ != nullptr ? mesh_->neighbours()[index][side] : terrain_->neighbour(index, side);
}

SideKind TriangleBvh::sideKind(std::uint32_t index, int side) const {
  return static_cast<SideKind>((side_kinds_[index] >> (2 * side)) & 3u);
}

void TriangleBvh::classifySides() {
  side_kinds_.resize(triangle_count_);
  for (std::uint32_t i = 0; i < triangle_count_; ++i) {
    std::uint32_t bits = 0;
    for (int side = 0; side < 3; ++side) {
      bits |= static_cast<std::uint32_t>(computeSideKind(i, side)) << (2 * side);
    }
    side_kinds_[i] = static_cast<std::uint8_t>(bits);
  }
}

void TriangleBvh::findRegions() {
  regions_.assign(triangle_count_, kNone);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t seed = 0; seed < triangle_count_; ++seed) {
    if (regions_[seed] != kNone) continue;
    regions_[seed] = seed;
    stack.push_back(seed);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      for (int side = 0; side < 3; ++side) {
        if (sideKind(at, side) != SideKind::kFlush) continue;
        const std::uint32_t other = neighbour(at, side);
        if (regions_[other] != kNone) continue;
        regions_[other] = seed;
        stack.push_back(other);
      }
    }
  }
}

Coordinate TriangleBvh::oppositeCorner(std::uint32_t index, int side) const {
  const Triangle t = triangle(index);
  const Triangle o = triangle(neighbour(index, side));
  for (const Coordinate& corner : o) {
    if (corner != t[side] && corner != t[(side + 1) % 3]) return corner;
  }
  return o[0];
}

SideKind TriangleBvh::computeSideKind(std::uint32_t index, int side) const {
  const std::uint32_t other = neighbour(index, side);
  if (other == kNone) return SideKind::kBorder;
  const Triangle t = triangle(index);
  const Coordinate& from = t[side];
  const Coordinate& to = t[(side + 1) % 3];
  const Coordinate tip = oppositeCorner(index, side);
  const Vector3D n = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  const double height = n.dot(tip - from);
  const double reach = (tip - from).cross(to - from).norm() / (to - from).norm();
  if (std::abs(height) <= tolerance::kFlushAngle * reach) return SideKind::kFlush;
  return height < 0.0 ? SideKind::kConvex : SideKind::kConcave;
}

TriangleBvh::Batch TriangleBvh::collect(const Aabb& box, std::uint32_t first,
                                        std::array<std::uint32_t, kBatch>& out) const {
  if (mesh_ == nullptr) {
    int count = 0;
    const TerrainGrid::CellRange range = terrain_->findCells(box);
    const std::uint32_t columns = terrain_->cellColumns();
    for (std::uint32_t j = std::max(range.j0, first / 2 / columns); j < range.j1; ++j) {
      for (std::uint32_t i = range.i0; i < range.i1; ++i) {
        const std::uint32_t cell = j * columns + i;
        for (std::uint32_t id = 2 * cell; id < 2 * cell + 2; ++id) {
          if (id < first || !boundsOverlap(terrain_->triangle(id), box)) continue;
          if (count == kBatch) return {kBatch, true};
          out[count++] = id;
        }
      }
    }
    return {count, false};
  }

  SmallestIds<kBatch> ids{out};
  const FloatBox query{box, centre_};
  std::array<std::uint32_t, kStackSize> stack;
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    for (std::uint32_t mask = overlapMask(node, query); mask != 0; mask &= mask - 1) {
      const int i = __builtin_ctz(mask);
      const std::uint32_t child = node.child[i];
      if ((child & kLeaf) == 0) {
        __builtin_prefetch(&nodes_[child]);  // siblings arrive while the first of them is looked at
        stack[depth++] = child;
        continue;
      }
      if (child != kNone && (child & ~kLeaf) >= first) ids.offer(child & ~kLeaf);
    }
  }
  ids.finish();
  return {ids.count(), ids.hasMore()};
}

bool crossTriangle(const TriangleBvh::Triangle& triangle, const Coordinate& origin,
                   const Vector3D& direction, double& distance) {
  const Vector3D a = triangle[0] - origin;
  const Vector3D b = triangle[1] - origin;
  const Vector3D c = triangle[2] - origin;
  // Signed volumes of the ray with the sides. Two triangles see a shared side with exactly opposite
  // numbers, and what is rounding alone counts for both, so that a ray cannot slip between them.
  const auto side = [&](const Vector3D& p, const Vector3D& q) {
    const double volume = direction.dot(p.cross(q));
    const double error = 8.0 * tolerance::kUlp * std::sqrt(p.squaredNorm() * q.squaredNorm() *
                                                           direction.squaredNorm());
    return std::abs(volume) <= error ? 0.0 : volume;
  };
  const double u = side(c, b);
  const double v = side(a, c);
  const double w = side(b, a);
  const bool hasNegative = u < 0.0 || v < 0.0 || w < 0.0;
  const bool hasPositive = u > 0.0 || v > 0.0 || w > 0.0;
  if (hasNegative == hasPositive) return false;  // outside, or in the plane of the triangle
  const Vector3D n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
  const double along = n.dot(direction);
  if (along == 0.0) return false;
  distance = n.dot(a) / along;
  return distance >= 0.0;
}

bool TriangleBvh::castRay(const Coordinate& origin, const Vector3D& direction, double length,
                          TriangleHit& hit) const {
  hit.triangle = kNone;
  hit.distance = length;
  const auto test = [&](std::uint32_t id) {
    double distance = 0.0;
    if (crossTriangle(triangle(id), origin, direction, distance)) {
      // Equal distances: the lower number, so that the order of the tree does not show.
      if (distance < hit.distance || (distance == hit.distance && id < hit.triangle)) {
        hit.distance = distance;
        hit.triangle = id;
      }
    }
    return hit.distance;
  };
  if (mesh_ == nullptr) {
    terrain_->walkRay(origin, direction, length, test);
  } else {
    const RayNodeTest nodeTest{origin - centre_, direction};
    std::array<StackEntry, kStackSize> stack;
    std::array<double, 4> enter;
    int depth = 0;
    stack[depth++] = {0.0, 0};
    while (depth > 0) {
      const StackEntry entry = stack[--depth];
      if (entry.distance > hit.distance) continue;
      if ((entry.child & kLeaf) != 0) {
        test(entry.child & ~kLeaf);
        continue;
      }
      nodeTest(nodes_[entry.child], hit.distance, enter);
      pushSorted(nodes_[entry.child], enter, stack, depth);
    }
  }
  if (hit.triangle == kNone) return false;
  const Triangle t = triangle(hit.triangle);
  hit.normal = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  return true;
}

bool TriangleBvh::findNearest(const Coordinate& point, double limit, std::uint32_t& triangleId,
                              Coordinate& nearest) const {
  triangleId = kNone;
  double least = limit * limit;
  const auto test = [&](std::uint32_t id) {
    int feature = 0;
    const Coordinate q = nearestOnTriangle(triangle(id), point, feature);
    const double distance2 = (q - point).squaredNorm();
    if (distance2 < least || (distance2 == least && id < triangleId)) {
      least = distance2;
      triangleId = id;
      nearest = q;
    }
    return least;
  };
  if (mesh_ == nullptr) {
    terrain_->walkNearest(point, least, test);
    return triangleId != kNone;
  }
  const Coordinate p = point - centre_;
  std::array<StackEntry, kStackSize> stack;
  std::array<double, 4> distance;
  int depth = 0;
  stack[depth++] = {0.0, 0};
  while (depth > 0) {
    const StackEntry entry = stack[--depth];
    if (entry.distance > least) continue;
    if ((entry.child & kLeaf) != 0) {
      test(entry.child & ~kLeaf);
      continue;
    }
    const Node& node = nodes_[entry.child];
    const ChildBoxes boxes{node};
    for (int i = 0; i < 4; ++i) {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) {
        const double outside = std::max({static_cast<double>(boxes.lower[k][i]) - p[k],
                                         p[k] - static_cast<double>(boxes.upper[k][i]), 0.0});
        sum += outside * outside;
      }
      distance[i] = sum <= least ? sum * (1.0 - 8.0 * tolerance::kUlp)
                                 : std::numeric_limits<double>::infinity();
    }
    pushSorted(node, distance, stack, depth);
  }
  return triangleId != kNone;
}

Coordinate nearestOnTriangle(const TriangleBvh::Triangle& t, const Coordinate& p, int& feature) {
  // C. Ericson, "Real-Time Collision Detection", 2004, section 5.1.5: regions by barycentric signs.
  const Vector3D ab = t[1] - t[0];
  const Vector3D ac = t[2] - t[0];
  const Vector3D ap = p - t[0];
  const double d1 = ab.dot(ap);
  const double d2 = ac.dot(ap);
  feature = 0;
  if (d1 <= 0.0 && d2 <= 0.0) return t[0];
  const Vector3D bp = p - t[1];
  const double d3 = ab.dot(bp);
  const double d4 = ac.dot(bp);
  feature = 1;
  if (d3 >= 0.0 && d4 <= d3) return t[1];
  const double vc = d1 * d4 - d3 * d2;
  feature = 3;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return t[0] + (d1 / (d1 - d3)) * ab;
  const Vector3D cp = p - t[2];
  const double d5 = ab.dot(cp);
  const double d6 = ac.dot(cp);
  feature = 2;
  if (d6 >= 0.0 && d5 <= d6) return t[2];
  const double vb = d5 * d2 - d1 * d6;
  feature = 5;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return t[0] + (d2 / (d2 - d6)) * ac;
  const double va = d3 * d6 - d5 * d4;
  feature = 4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    return t[1] + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (t[2] - t[1]);
  }
  feature = 6;
  // Inside: along the normal, which is exact where the point is near the plane.
  const Vector3D n = ab.cross(ac);
  return p - (n.dot(ap) / n.squaredNorm()) * n;
}

}  // namespace msd_sim
