#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/FloatBounds.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

constexpr int kBins = 16;

struct Box {
  std::array<float, 3> lower{std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::infinity()};
  std::array<float, 3> upper{-std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity()};

  void grow(const Box& other) {
    for (int k = 0; k < 3; ++k) {
      lower[k] = std::min(lower[k], other.lower[k]);
      upper[k] = std::max(upper[k], other.upper[k]);
    }
  }
  [[nodiscard]] float halfArea() const {
    const float x = upper[0] - lower[0];
    const float y = upper[1] - lower[1];
    const float z = upper[2] - lower[2];
    return x < 0.0F ? 0.0F : x * y + y * z + z * x;
  }
  /// Twice the centre along an axis.
  [[nodiscard]] float middle(int axis) const { return lower[axis] + upper[axis]; }
};

struct Primitive {
  Box box;
  std::uint32_t triangle;
};

/// A run of primitives that becomes a child.
struct Range {
  std::uint32_t first;
  std::uint32_t last;
  Box box;

  [[nodiscard]] std::uint32_t count() const { return last - first; }
};

class Builder {
 public:
  Builder(const msd_assets::TriangleMesh& mesh, const Coordinate& centre,
          std::vector<TriangleBvh::Node>& nodes)
      : nodes_{nodes} {
    primitives_.resize(mesh.triangles().size());
    for (std::uint32_t i = 0; i < primitives_.size(); ++i) {
      const auto& triangle = mesh.triangles()[i];
      const Coordinate a = mesh.vertices()[triangle[0]] - centre;
      const Coordinate b = mesh.vertices()[triangle[1]] - centre;
      const Coordinate c = mesh.vertices()[triangle[2]] - centre;
      for (int k = 0; k < 3; ++k) {
        primitives_[i].box.lower[k] = roundDown(std::min({a[k], b[k], c[k]}));
        primitives_[i].box.upper[k] = roundUp(std::max({a[k], b[k], c[k]}));
      }
      primitives_[i].triangle = i;
    }
  }

  void build() {
    nodes_.clear();
    nodes_.reserve(primitives_.size() / 2 + 1);
    const auto count = static_cast<std::uint32_t>(primitives_.size());
    makeNode(bound(0, count), 0);
    nodes_.shrink_to_fit();
  }

 private:
  [[nodiscard]] Range bound(std::uint32_t first, std::uint32_t last) const {
    Range range{first, last, {}};
    for (std::uint32_t i = first; i < last; ++i) range.box.grow(primitives_[i].box);
    return range;
  }

  std::uint32_t makeNode(const Range& whole, int depth) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    std::array<Range, 4> parts{whole};
    int count = 1;
    // Split the part with the largest surface until there are four.
    while (count < 4) {
      int widest = -1;
      float area = -1.0F;
      for (int i = 0; i < count; ++i) {
        if (parts[i].count() > 1 && parts[i].box.halfArea() > area) {
          area = parts[i].box.halfArea();
          widest = i;
        }
      }
      if (widest < 0) break;
      const std::uint32_t middle = split(parts[widest], depth);
      parts[count] = bound(middle, parts[widest].last);
      parts[widest] = bound(parts[widest].first, middle);
      ++count;
    }
    std::array<std::uint32_t, 4> children{TriangleBvh::kNone, TriangleBvh::kNone,
                                          TriangleBvh::kNone, TriangleBvh::kNone};
    for (int i = 0; i < count; ++i) {
      children[i] = parts[i].count() == 1
                        ? (TriangleBvh::kLeaf | primitives_[parts[i].first].triangle)
                        : makeNode(parts[i], depth + 1);
    }
    TriangleBvh::Node& node = nodes_[index];
    node.child = children;
    for (int axis = 0; axis < 3; ++axis) quantise(whole.box, parts, count, axis, node);
    return index;
  }

  /// Writes the boxes of the parts along one axis in steps of the node, never smaller than they are.
  static void quantise(const Box& whole, const std::array<Range, 4>& parts, int count, int axis,
                       TriangleBvh::Node& node) {
    const float origin = whole.lower[axis];
    const double extent = static_cast<double>(whole.upper[axis]) - static_cast<double>(origin);
    // 252 steps cover the extent; the rest is room for rounding.
    int exponent = 0;
    std::frexp(extent / 252.0, &exponent);
    node.origin[axis] = origin;
    node.exponent[axis] = static_cast<std::int8_t>(std::clamp(exponent, -100, 126));
    const float step = node.step(axis);
    const auto decode = [&](int q) { return origin + static_cast<float>(q) * step; };
    for (int i = 0; i < 4; ++i) {
      node.lower[axis][i] = 255;
      node.upper[axis][i] = 0;
      if (i >= count) continue;
      const Box& box = parts[i].box;
      const double inverse = 1.0 / static_cast<double>(step);
      const double from = static_cast<double>(box.lower[axis]) - static_cast<double>(origin);
      const double to = static_cast<double>(box.upper[axis]) - static_cast<double>(origin);
      int lower = std::clamp(static_cast<int>(std::floor(from * inverse)), 0, 255);
      int upper = std::clamp(static_cast<int>(std::ceil(to * inverse)), 0, 255);
      while (lower > 0 && decode(lower) > box.lower[axis]) --lower;
      while (upper < 255 && decode(upper) < box.upper[axis]) ++upper;
      node.lower[axis][i] = static_cast<std::uint8_t>(lower);
      node.upper[axis][i] = static_cast<std::uint8_t>(upper);
    }
  }

  struct Split {
    int axis{-1};
    int bin{0};
    float scale{0.0F};
    float origin{0.0F};
  };

  static int binOf(const Primitive& primitive, const Split& s) {
    const auto bin = static_cast<int>((primitive.box.middle(s.axis) - s.origin) * s.scale);
    return std::clamp(bin, 0, kBins - 1);
  }

  /// The cheapest of the planes between bins, by count times surface on either side.
  [[nodiscard]] Split chooseSplit(const Range& range) const {
    Box centres;
    for (std::uint32_t i = range.first; i < range.last; ++i) {
      for (int k = 0; k < 3; ++k) {
        const float middle = primitives_[i].box.middle(k);
        centres.lower[k] = std::min(centres.lower[k], middle);
        centres.upper[k] = std::max(centres.upper[k], middle);
      }
    }
    Split best;
    float cheapest = std::numeric_limits<float>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
      const float width = centres.upper[axis] - centres.lower[axis];
      if (!(width > 0.0F)) continue;
      Split split{axis, 0, static_cast<float>(kBins) / width, centres.lower[axis]};
      if (!std::isfinite(split.scale)) continue;
      std::array<Box, kBins> boxes{};
      std::array<std::uint32_t, kBins> counts{};
      for (std::uint32_t i = range.first; i < range.last; ++i) {
        const int bin = binOf(primitives_[i], split);
        boxes[bin].grow(primitives_[i].box);
        ++counts[bin];
      }
      std::array<float, kBins> rightCost{};
      Box right;
      std::uint32_t rightCount = 0;
      for (int bin = kBins - 1; bin > 0; --bin) {
        right.grow(boxes[bin]);
        rightCount += counts[bin];
        rightCost[bin] = right.halfArea() * static_cast<float>(rightCount);
      }
      Box left;
      std::uint32_t leftCount = 0;
      for (int bin = 1; bin < kBins; ++bin) {
        left.grow(boxes[bin - 1]);
        leftCount += counts[bin - 1];
        if (leftCount == 0 || leftCount == range.count()) continue;
        const float cost = left.halfArea() * static_cast<float>(leftCount) + rightCost[bin];
        if (cost < cheapest) {
          cheapest = cost;
          split.bin = bin;
          best = split;
        }
      }
    }
    return best;
  }

  std::uint32_t split(const Range& range, int depth) {
    const Split best = depth < TriangleBvh::kMaxDepth / 2 ? chooseSplit(range) : Split{};
    if (best.axis < 0) return range.first + range.count() / 2;  // all in one place, or too deep
    const auto begin = primitives_.begin();
    const auto middle =
        std::partition(begin + range.first, begin + range.last,
                       [&](const Primitive& primitive) { return binOf(primitive, best) < best.bin; });
    return static_cast<std::uint32_t>(middle - begin);
  }

  std::vector<TriangleBvh::Node>& nodes_;
  std::vector<Primitive> primitives_;
};

}  // namespace

void buildTriangleTree(const msd_assets::TriangleMesh& mesh, const Coordinate& centre,
                       std::vector<TriangleBvh::Node>& nodes) {
  Builder{mesh, centre, nodes}.build();
}

}  // namespace msd_sim
