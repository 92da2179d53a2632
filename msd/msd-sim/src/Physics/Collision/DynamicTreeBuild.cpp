// A tree of boxes built anew from its leaves, from the root down.
#include <algorithm>
#include <array>

#include "msd-sim/src/Physics/Collision/DynamicTree.hpp"

namespace msd_sim {

namespace {

// Leaves of a part that one thread builds, and how many parts there are at most: the cuts do not
// depend on the threads.
constexpr std::uint32_t kPartLeaves = 256;
constexpr std::uint32_t kMostParts = 64;
// Nodes of which one thread lists the leaves at a time.
constexpr std::size_t kBlockNodes = 2048;

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

void DynamicTree::collectLeaves(WorkTeam& team) {
  const auto forLeaves = [&](std::size_t block, const auto& visit) {
    const std::size_t last = std::min(nodes_.size(), (block + 1) * kBlockNodes);
    for (std::size_t i = block * kBlockNodes; i < last; ++i) {
      // Free nodes have empty boxes.
      if (nodes_[i].isLeaf() && !nodes_[i].box.isEmpty()) visit(i);
    }
  };
  const std::size_t blocks = (nodes_.size() + kBlockNodes - 1) / kBlockNodes;
  parts_.assign(blocks, {0, 0, kNull});  // of blocks: how many leaves, and where they begin
  team.forBlocks(blocks, [&](std::size_t block) {
    forLeaves(block, [&](std::size_t) { ++parts_[block].last; });
  });
  std::uint32_t count = 0;
  for (Part& part : parts_) {
    part.first = count;
    count += part.last;
  }
  items_.resize(count);
  team.forBlocks(blocks, [&](std::size_t block) {
    std::uint32_t at = parts_[block].first;
    forLeaves(block, [&](std::size_t i) {
      const Coordinate middle = 0.5 * (nodes_[i].box.lower + nodes_[i].box.upper);
      items_[at++] = {{static_cast<float>(middle.x()), static_cast<float>(middle.y()),
                       static_cast<float>(middle.z())},
                      static_cast<std::int32_t>(i)};
    });
  });
}

std::size_t DynamicTree::beginRebuild(WorkTeam& team) {
  collectLeaves(team);
  const auto count = static_cast<std::uint32_t>(items_.size());
  nodes_.swap(old_);
  nodes_.resize(count == 0 ? 0 : 2 * count - 1);
  root_ = free_ = kNull;
  parts_.clear();
  tops_.clear();
  if (count == 0) return 0;
  const std::uint32_t most = std::max(kPartLeaves, (count + kMostParts - 1) / kMostParts);
  parts_.push_back({0, count, kNull});
  // Level by level: parts that are too large are parted side by side.
  for (;;) {
    std::array<std::uint32_t, kRoomForParts> large;
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].last - parts_[i].first > most) large[found++] = i;
    }
    if (found == 0) return parts_.size();
    const std::size_t before = parts_.size(), above = tops_.size();
    parts_.resize(before + found);
    tops_.resize(above + found);
    team.forBlocks(found, [&](std::size_t i) {
      const Part part = parts_[large[i]];
      const std::uint32_t middle = split(part.first, part.last);
      const std::int32_t node = makeInner(part.first, middle, part.last, part.parent);
      tops_[above + i] = node;
      parts_[large[i]] = {part.first, middle, node};
      parts_[before + i] = {middle, part.last, node};
    });
  }
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
