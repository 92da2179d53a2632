#include "msd-sim/src/Physics/Collision/DynamicTree.hpp"

namespace msd_sim {

namespace {

double unionArea(const Aabb& a, const Aabb& b) { return a.merged(b).halfArea(); }

}  // namespace

std::int32_t DynamicTree::allocate() {
  if (free_ == kNull) {
    nodes_.emplace_back();
    // A rebuild finds its room when it comes.
    old_.reserve(nodes_.capacity());
    items_.reserve(nodes_.capacity() / 2 + 1);
    parts_.reserve(kRoomForParts);
    tops_.reserve(kRoomForParts);
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }
  const std::int32_t node = free_;
  free_ = at(node).parent;
  at(node) = Node{};
  return node;
}

void DynamicTree::release(std::int32_t node) {
  at(node) = Node{};
  at(node).parent = free_;
  free_ = node;
}

std::int32_t DynamicTree::insert(const Aabb& box, std::uint32_t userData) {
  const std::int32_t leaf = allocate();
  at(leaf).box = box;
  at(leaf).userData = userData;
  attach(leaf);
  ++leaf_count_;
  return leaf;
}

void DynamicTree::remove(std::int32_t leaf) {
  detach(leaf);
  release(leaf);
  --leaf_count_;
}

void DynamicTree::move(std::int32_t leaf, const Aabb& box) {
  detach(leaf);
  at(leaf).box = box;
  attach(leaf);
}

// Descends while joining a child costs less than joining the node itself. Joining a node creates a
// parent of the united area, and every ancestor grows by its own increase.
std::int32_t DynamicTree::bestSibling(const Aabb& box) const {
  std::int32_t current = root_;
  while (!nodes_[index(current)].isLeaf()) {
    const Node& node = nodes_[index(current)];
    const double area = node.box.halfArea();
    const double joined = unionArea(node.box, box);
    const double here = 2.0 * joined;
    const double inherited = 2.0 * (joined - area);
    const auto costOf = [&](std::int32_t child) {
      const Node& c = nodes_[index(child)];
      const double grown = unionArea(c.box, box);
      return inherited + (c.isLeaf() ? grown : grown - c.box.halfArea());
    };
    const double left = costOf(node.left);
    const double right = costOf(node.right);
    if (here < left && here < right) break;
    current = left <= right ? node.left : node.right;
  }
  return current;
}

void DynamicTree::replaceChild(std::int32_t parent, std::int32_t from, std::int32_t to) {
  if (parent == kNull) {
    root_ = to;
  } else if (at(parent).left == from) {
    at(parent).left = to;
  } else {
    at(parent).right = to;
  }
  at(to).parent = parent;
}

void DynamicTree::attach(std::int32_t leaf) {
  if (root_ == kNull) {
    root_ = leaf;
    at(leaf).parent = kNull;
    return;
  }
  const std::int32_t sibling = bestSibling(at(leaf).box);
  const std::int32_t parent = allocate();
  const std::int32_t above = at(sibling).parent;
  at(parent).left = sibling;
  at(parent).right = leaf;
  replaceChild(above, sibling, parent);
  at(sibling).parent = parent;
  at(leaf).parent = parent;
  refitUpwards(parent);
}

void DynamicTree::detach(std::int32_t leaf) {
  const std::int32_t parent = at(leaf).parent;
  if (parent == kNull) {
    root_ = kNull;
    return;
  }
  const std::int32_t above = at(parent).parent;
  const std::int32_t sibling = at(parent).left == leaf ? at(parent).right : at(parent).left;
  replaceChild(above, parent, sibling);
  release(parent);
  if (above != kNull) refitUpwards(above);
}

void DynamicTree::refitUpwards(std::int32_t node) {
  while (node != kNull) {
    Node& n = at(node);
    n.box = at(n.left).box.merged(at(n.right).box);
    rotate(node);
    node = at(node).parent;
  }
}

// Swaps a child with a child of the other side where that shrinks the other side's box.
void DynamicTree::rotate(std::int32_t node) {
  const std::int32_t sides[2] = {at(node).left, at(node).right};
  double bestGain = 0.0;
  std::int32_t bestLow = kNull;   // goes up
  std::int32_t bestHigh = kNull;  // goes down
  for (int side = 0; side < 2; ++side) {
    const std::int32_t inner = sides[side];
    const std::int32_t outer = sides[1 - side];
    if (at(inner).isLeaf()) continue;
    const double area = at(inner).box.halfArea();
    const std::int32_t grandchildren[2] = {at(inner).left, at(inner).right};
    for (int k = 0; k < 2; ++k) {
      const double gain = area - unionArea(at(outer).box, at(grandchildren[1 - k]).box);
      if (gain > bestGain) {
        bestGain = gain;
        bestLow = grandchildren[k];
        bestHigh = outer;
      }
    }
  }
  if (bestLow == kNull) return;
  const std::int32_t inner = at(bestLow).parent;
  replaceChild(node, bestHigh, bestLow);
  replaceChild(inner, bestLow, bestHigh);
  at(inner).box = at(at(inner).left).box.merged(at(at(inner).right).box);
}

double DynamicTree::areaRatio() const {
  if (root_ == kNull || nodes_[index(root_)].isLeaf()) return 0.0;
  double sum = 0.0;
  for (const Node& node : nodes_) {
    if (!node.isLeaf()) sum += node.box.halfArea();
  }
  return sum / nodes_[index(root_)].box.halfArea();
}

bool DynamicTree::isConsistent() const {
  const auto exists = [&](std::int32_t node) { return node >= 0 && index(node) < nodes_.size(); };
  std::vector<std::uint8_t> seen(nodes_.size(), 0);
  std::size_t leaves = 0, reached = 0;
  std::vector<std::int32_t> stack;
  if (root_ != kNull) {
    if (!exists(root_) || nodes_[index(root_)].parent != kNull) return false;
    stack.push_back(root_);
  }
  while (!stack.empty()) {
    const std::int32_t current = stack.back();
    stack.pop_back();
    const Node& node = nodes_[index(current)];
    if (seen[index(current)] != 0) return false;
    seen[index(current)] = 1;
    ++reached;
    if (!(node.box.lower.array() <= node.box.upper.array()).all()) return false;
    if (node.isLeaf()) {
      ++leaves;
      if (node.right != kNull) return false;
      continue;
    }
    for (const std::int32_t child : {node.left, node.right}) {
      if (!exists(child)) return false;
      const Node& c = nodes_[index(child)];
      if (c.parent != current || !node.box.contains(c.box)) return false;
      stack.push_back(child);
    }
  }
  for (std::int32_t node = free_; node != kNull; node = nodes_[index(node)].parent) {
    if (!exists(node) || seen[index(node)] != 0) return false;
    seen[index(node)] = 1;
    ++reached;
  }
  return leaves == leaf_count_ && reached == nodes_.size();
}

}  // namespace msd_sim
