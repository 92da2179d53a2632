// A tree of boxes built anew from its leaves, from the root down.
#include <algorithm>

#include "msd-sim/src/Physics/Collision/DynamicTree.hpp"

namespace msd_sim {

namespace {

// Leaves of a part that one thread builds, and how many parts there are at most: the cuts do not
// depend on the threads.
constexpr std::uint32_t kPartLeaves = 256;
constexpr std::uint32_t kMostParts = 64;

// Where the middle of the space leaves less than this share of the leaves on one side, the middle
// leaf parts them: no path is then longer than log n / log(8/7).
constexpr std::uint32_t kLeastShare = 8;

}  // namespace

std::int32_t DynamicTree::addLoose(const Aabb& box, std::uint32_t userData) {
  const std::int32_t leaf = allocate();
  at(leaf).box = box;
  at(leaf).userData = userData;
  ++leaf_count_;
  return leaf;
}

std::int32_t DynamicTree::makeInner(std::uint32_t first, std::uint32_t middle, std::uint32_t last,
                                    std::int32_t parent) {
  const auto node = static_cast<std::int32_t>(2 * middle - 1);
  at(node) = Node{};
  at(node).parent = parent;
  if (parent == kNull) {
    root_ = node;
  } else {
    (parent > node ? at(parent).left : at(parent).right) = node;
  }
  // Leaves are linked here; nodes by themselves when they are made.
  if (middle - first == 1) at(node).left = static_cast<std::int32_t>(2 * first);
  if (last - middle == 1) at(node).right = static_cast<std::int32_t>(2 * middle);
  return node;
}

std::uint32_t DynamicTree::split(std::uint32_t first, std::uint32_t last) {
  float lower[3], upper[3];
  std::copy_n(items_[first].middle, 3, lower);
  std::copy_n(lower, 3, upper);
  for (std::uint32_t i = first + 1; i < last; ++i) {
    for (int c = 0; c < 3; ++c) {
      lower[c] = std::min(lower[c], items_[i].middle[c]);
      upper[c] = std::max(upper[c], items_[i].middle[c]);
    }
  }
  int axis = 0;
  for (int c = 1; c < 3; ++c) {
    if (upper[c] - lower[c] > upper[axis] - lower[axis]) axis = c;
  }
  const float centre = 0.5f * lower[axis] + 0.5f * upper[axis];
  const auto begin = items_.begin() + first, end = items_.begin() + last;
  const auto part =
      std::partition(begin, end, [&](const Item& item) { return item.middle[axis] < centre; });
  const auto middle = static_cast<std::uint32_t>(part - items_.begin());
  const std::uint32_t least = std::max(1u, (last - first) / kLeastShare);
  if (middle - first >= least && last - middle >= least) return middle;
  const std::uint32_t half = first + (last - first) / 2;
  std::nth_element(begin, items_.begin() + half, end, [&](const Item& x, const Item& y) {
    return x.middle[axis] != y.middle[axis] ? x.middle[axis] < y.middle[axis] : x.leaf < y.leaf;
  });
  return half;
}

std::size_t DynamicTree::beginRebuild() {
  items_.clear();
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(nodes_.size()); ++i) {
    const Node& node = nodes_[index(i)];
    if (!node.isLeaf() || node.box.isEmpty()) continue;  // free nodes have empty boxes
    const Coordinate middle = 0.5 * (node.box.lower + node.box.upper);
    items_.push_back({{static_cast<float>(middle.x()), static_cast<float>(middle.y()),
                       static_cast<float>(middle.z())},
                      i});
  }
  const auto count = static_cast<std::uint32_t>(items_.size());
  nodes_.swap(old_);
  nodes_.resize(count == 0 ? 0 : 2 * count - 1);
  root_ = free_ = kNull;
  parts_.clear();
  tops_.clear();
  if (count == 0) return 0;
  const std::uint32_t most = std::max(kPartLeaves, (count + kMostParts - 1) / kMostParts);
  parts_.push_back({0, count, kNull});
  std::size_t ready = 0;  // parts before this one are small enough
  while (ready < parts_.size()) {
    const Part part = parts_[ready];
    if (part.last - part.first <= most) {
      ++ready;
      continue;
    }
    const std::uint32_t middle = split(part.first, part.last);
    const std::int32_t node = makeInner(part.first, middle, part.last, part.parent);
    tops_.push_back(node);
    parts_[ready] = {part.first, middle, node};
    parts_.push_back({middle, part.last, node});
  }
  return parts_.size();
}

void DynamicTree::build(const Part& part) {
  if (part.last - part.first == 1) {
    const auto leaf = static_cast<std::int32_t>(2 * part.first);
    at(leaf) = old_[index(items_[part.first].leaf)];
    at(leaf).parent = part.parent;
    if (part.parent == kNull) root_ = leaf;
    return;
  }
  const std::uint32_t middle = split(part.first, part.last);
  const std::int32_t node = makeInner(part.first, middle, part.last, part.parent);
  build({part.first, middle, node});
  build({middle, part.last, node});
  fit(node);
}

std::pair<std::size_t, std::size_t> DynamicTree::buildPart(std::size_t part) {
  build(parts_[part]);
  return {parts_[part].first, parts_[part].last};
}

void DynamicTree::endRebuild() {
  for (std::size_t i = tops_.size(); i-- > 0;) fit(tops_[i]);
}

}  // namespace msd_sim
