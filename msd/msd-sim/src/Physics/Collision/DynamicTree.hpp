#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/Aabb.hpp"
#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/DataTypes/WorkTeam.hpp"

namespace msd_sim {

/// Binary tree of boxes with cheap insertion and removal. Leaves carry a number of the caller's.
///
/// Insertion descends towards the smallest growth of surface area; on the way back up each node
/// swaps a child with a grandchild where that shrinks area, which keeps the tree good under constant
/// change. The tree depends only on the sequence of calls.
class DynamicTree {
 public:
  static constexpr std::int32_t kNull = -1;

  /// Returns the leaf's number, which stays valid until it is removed.
  std::int32_t insert(const Aabb& box, std::uint32_t userData);
  void remove(std::int32_t leaf);
  /// Gives a leaf another box, at a better place in the tree.
  void move(std::int32_t leaf, const Aabb& box);

  /// Gives a leaf another box and leaves it where it is: until `rebuild`, queries may miss it.
  void setBox(std::int32_t leaf, const Aabb& box) { at(leaf).box = box; }
  /// A leaf that hangs nowhere yet: it needs a `rebuild`.
  std::int32_t addLoose(const Aabb& box, std::uint32_t userData);
  /// Builds the tree anew from its leaves; calls placed(userData, leaf) with the number that each leaf has from now on,
  /// from any thread. For where much has moved: n leaves cost n log n, and the threads share it.
  ///
  /// Nodes lie in the order of space: leaf k of n at 2k, the node that parts it from the one before at 2k - 1.
  template <class Placed>
  void rebuild(WorkTeam& team, const Placed& placed) {
    const std::size_t parts = beginRebuild(team);
    team.forBlocks(parts, [&](std::size_t part) {
      const auto [first, last] = buildPart(part);
      for (std::size_t leaf = first; leaf < last; ++leaf) {
        placed(nodes_[2 * leaf].userData, static_cast<std::int32_t>(2 * leaf));
      }
    });
    endRebuild();
  }

  [[nodiscard]] const Aabb& box(std::int32_t leaf) const { return nodes_[index(leaf)].box; }
  [[nodiscard]] std::size_t leafCount() const { return leaf_count_; }
  [[nodiscard]] bool empty() const { return root_ == kNull; }

  /// Calls visit(userData, leaf) for every leaf whose box overlaps `box`.
  template <class Visit>
  void query(const Aabb& box, const Visit& visit) const {
    walk([&](const Aabb& node) { return node.overlaps(box); }, visit);
  }

  /// Calls visit(userData, leaf) for every leaf that test(nodeBox) reaches.
  template <class Test, class Visit>
  void walk(const Test& test, const Visit& visit) const {
    if (root_ == kNull) return;
    std::int32_t local[kStack];
    std::vector<std::int32_t> spill;  // touched only by trees deeper than kStack
    std::int32_t top = 0;
    local[top++] = root_;
    while (top > 0 || !spill.empty()) {
      std::int32_t current;
      if (top > 0) {
        current = local[--top];
      } else {
        current = spill.back();
        spill.pop_back();
      }
      const Node& node = nodes_[index(current)];
      if (!test(node.box)) continue;
      if (node.isLeaf()) {
        visit(node.userData, current);
      } else if (top + 2 <= kStack) {
        local[top++] = node.right;
        local[top++] = node.left;
      } else {
        spill.push_back(node.right);
        spill.push_back(node.left);
      }
    }
  }

  /// Is this a leaf with that number?
  [[nodiscard]] bool holds(std::int32_t leaf, std::uint32_t userData) const {
    return leaf >= 0 && index(leaf) < nodes_.size() && nodes_[index(leaf)].isLeaf() &&
           nodes_[index(leaf)].userData == userData;
  }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  /// Sum of the half areas of all inner nodes over that of the root: the cost of a query.
  [[nodiscard]] double areaRatio() const;
  /// Checks links, boxes and counts: every node hangs in the tree or in the list of free ones, once.
  [[nodiscard]] bool isConsistent() const;
  /// No leaves; keeps its memory.
  void clear() {
    nodes_.clear();
    root_ = free_ = kNull;
    leaf_count_ = 0;
  }

 private:
  static constexpr std::int32_t kStack = 128;
  static constexpr std::size_t kRoomForParts = 512;  ///< more than a rebuild can have

  struct Node {
    Aabb box;
    std::int32_t parent{kNull};
    std::int32_t left{kNull};   ///< kNull in leaves
    std::int32_t right{kNull};
    std::uint32_t userData{0};
    [[nodiscard]] bool isLeaf() const { return left == kNull; }
  };

  static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }
  Node& at(std::int32_t node) { return nodes_[index(node)]; }
  std::int32_t allocate();
  void release(std::int32_t node);
  void attach(std::int32_t leaf);
  void detach(std::int32_t leaf);
  [[nodiscard]] std::int32_t bestSibling(const Aabb& box) const;
  void replaceChild(std::int32_t parent, std::int32_t from, std::int32_t to);
  void refitUpwards(std::int32_t node);
  void rotate(std::int32_t node);

  /// A leaf while the tree is built anew: the middle of its box is all that is looked at.
  struct Item {
    float middle[3];
    std::int32_t leaf;  ///< in `old_`
  };
  /// Leaves [first, last) and the node above them.
  struct Part {
    std::uint32_t first, last;
    std::int32_t parent;
  };
  /// Cuts the leaves into parts that can be built side by side, and returns how many.
  std::size_t beginRebuild(WorkTeam& team);
  /// Lists the leaves in the order of their numbers.
  void collectLeaves(WorkTeam& team);
  std::pair<std::size_t, std::size_t> buildPart(std::size_t part);
  void endRebuild();
  /// Where [first, last) is parted in two; puts the leaves on their sides.
  std::uint32_t split(std::uint32_t first, std::uint32_t last);
  /// Makes the node over [first, last) that parts them at `middle`.
  std::int32_t makeInner(std::uint32_t first, std::uint32_t middle, std::uint32_t last, std::int32_t parent);
  void build(const Part& part);
  /// The node over [first, last).
  void fit(std::int32_t node) { at(node).box = at(at(node).left).box.merged(at(at(node).right).box); }

  std::vector<Node> nodes_;
  // Scratch of a rebuild.
  std::vector<Node> old_;
  std::vector<Item> items_;
  std::vector<Part> parts_;
  std::vector<std::int32_t> tops_;  ///< nodes above the parts, from the root down
  std::int32_t root_{kNull};
  std::int32_t free_{kNull};
  std::size_t leaf_count_{0};
};

}  // namespace msd_sim
