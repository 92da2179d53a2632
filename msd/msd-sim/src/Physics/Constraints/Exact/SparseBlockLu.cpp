#include "msd-sim/src/Physics/Constraints/Exact/SparseBlockLu.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/DenseKernels.hpp"

namespace msd_sim {
namespace {

/// A front takes in its only contiguous child when that adds at most this share of explicit zeros,
/// or when the two together stay this small (in nodes): fewer, larger dense blocks run faster.
constexpr double kMergeZeroShare = 0.15;
constexpr int kMergeAlways = 4;

/// Fronts with more than this many block products are shared by columns, so many at a time.
constexpr int kLargeFront = 2000;
constexpr std::size_t kSharedColumns = 24;

/// First-fit allocator on a line, used to plan where the remainders of the fronts live.
class LinePlan {
 public:
  [[nodiscard]] long take(long size) {
    if (size == 0) return 0;
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->second < size) continue;
      const long offset = hole->first;
      const long rest = hole->second - size;
      holes_.erase(hole);
      if (rest > 0) holes_[offset + size] = rest;
      return offset;
    }
    const long offset = end_;
    end_ += size;
    return offset;
  }

  void give(long offset, long size) {
    if (size == 0) return;
    auto inserted = holes_.emplace(offset, size).first;
    if (auto next = std::next(inserted); next != holes_.end() && offset + size == next->first) {
      inserted->second += next->second;
      holes_.erase(next);
    }
    if (inserted != holes_.begin()) {
      const auto before = std::prev(inserted);
      if (before->first + before->second == offset) {
        before->second += inserted->second;
        holes_.erase(inserted);
      }
    }
  }

  [[nodiscard]] long end() const { return end_; }

 private:
  std::map<long, long> holes_;
  long end_{0};
};

[[nodiscard]] std::vector<std::vector<int>> childrenOf(const std::vector<int>& parent) {
  std::vector<std::vector<int>> children(parent.size());
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (parent[k] != -1) children[parent[k]].push_back(static_cast<int>(k));
  }
  return children;
}

/// Nodes of a forest in an order that puts every subtree together and its root last.
[[nodiscard]] std::vector<int> computePostorder(const std::vector<int>& parent) {
  const auto children = childrenOf(parent);
  std::vector<int> order;
  order.reserve(parent.size());
  std::vector<std::pair<int, std::size_t>> stack;
  for (std::size_t root = 0; root < parent.size(); ++root) {
    if (parent[root] != -1) continue;
    stack.emplace_back(static_cast<int>(root), 0);
    while (!stack.empty()) {
      const int node = stack.back().first;
      if (stack.back().second < children[node].size()) {
        stack.emplace_back(children[node][stack.back().second++], 0);
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

void SparseBlockLu::analyze(int nodes, int blockSize, std::span<const int> rowStart,
                            std::span<const int> column) {
  if (nodes == nodes_ && blockSize == block_size_ &&
      std::equal(rowStart.begin(), rowStart.end(), row_start_.begin(), row_start_.end()) &&
      std::equal(column.begin(), column.end(), column_.begin(), column_.end())) {
    return;
  }
  nodes_ = nodes;
  block_size_ = blockSize;
  row_start_.assign(rowStart.begin(), rowStart.end());
  column_.assign(column.begin(), column.end());
  orderNodes(rowStart, column);
  buildTree(rowStart, column);
  buildFronts();
  mapEntries(rowStart, column);
  orderLevels();
  planMemory();
}

void SparseBlockLu::orderNodes(std::span<const int> rowStart, std::span<const int> column) {
  using Pattern = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  Pattern pattern(nodes_, nodes_);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(column.size());
  for (int i = 0; i < nodes_; ++i) {
    for (int k = rowStart[i]; k < rowStart[i + 1]; ++k) triplets.emplace_back(i, column[k], 1.0);
  }
  pattern.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>{}(pattern, permutation);
  node_at_.resize(nodes_);
  position_.resize(nodes_);
  for (int k = 0; k < nodes_; ++k) node_at_[k] = permutation.indices()[k];
  for (int k = 0; k < nodes_; ++k) position_[node_at_[k]] = k;
}

void SparseBlockLu::buildTree(std::span<const int> rowStart, std::span<const int> column) {
  // Children come right before their parent in a postorder; the nodes are renumbered to it.
  findParents(rowStart, column);
  const std::vector<int> postorder = computePostorder(tree_parent_);
  std::vector<int> reordered(nodes_);
  for (int k = 0; k < nodes_; ++k) reordered[k] = node_at_[postorder[k]];
  node_at_ = std::move(reordered);
  for (int k = 0; k < nodes_; ++k) position_[node_at_[k]] = k;
  findParents(rowStart, column);

  // Structure of each column of L: its own entries and those of its children.
  tree_struct_.assign(nodes_, {});
  const auto children = childrenOf(tree_parent_);
  std::vector<int> mark(nodes_, -1);
  for (int k = 0; k < nodes_; ++k) {
    auto& structure = tree_struct_[k];
    mark[k] = k;
    const auto visit = [&](int row) {
      if (row > k && mark[row] != k) {
        mark[row] = k;
        structure.push_back(row);
      }
    };
    const int node = node_at_[k];
    for (int e = rowStart[node]; e < rowStart[node + 1]; ++e) visit(position_[column[e]]);
    for (const int child : children[k]) {
      for (const int row : tree_struct_[child]) visit(row);
    }
    std::sort(structure.begin(), structure.end());
  }
}

void SparseBlockLu::findParents(std::span<const int> rowStart, std::span<const int> column) {
  // Elimination tree with path compression (Liu 1990).
  tree_parent_.assign(nodes_, -1);
  std::vector<int> ancestor(nodes_, -1);
  for (int k = 0; k < nodes_; ++k) {
    const int node = node_at_[k];
    for (int e = rowStart[node]; e < rowStart[node + 1]; ++e) {
      int i = position_[column[e]];
      while (i != -1 && i < k) {
        const int next = ancestor[i];
        ancestor[i] = k;
        if (next == -1) tree_parent_[i] = k;
        i = next;
      }
    }
  }
}

// A front (Duff and Reid, ACM TOMS 9, 1983) is a dense matrix of the columns that are eliminated together, its pivots, and of
// the rows that these reach, its border; what is left on the border, the Schur complement, is handed up to the parent in the
// tree. Columns of nearly equal structure share a front (relaxed supernodes), so that the work is that of dense kernels.
void SparseBlockLu::buildFronts() {
  const std::vector<Group> groups = groupColumns();
  fronts_.assign(groups.size(), {});
  border_nodes_.clear();
  std::vector<int> frontOf(nodes_, 0);
  for (std::size_t f = 0; f < groups.size(); ++f) {
    Front& front = fronts_[f];
    front.first = groups[f].first;
    front.pivots = groups[f].end - groups[f].first;
    // The last pivot column's structure is the border: every earlier column's rows are among the
    // pivots that follow it and the border.
    const auto& border = tree_struct_[groups[f].end - 1];
    front.border = static_cast<int>(border.size());
    front.borderBegin = static_cast<int>(border_nodes_.size());
    border_nodes_.insert(border_nodes_.end(), border.begin(), border.end());
    for (int k = groups[f].first; k < groups[f].end; ++k) frontOf[k] = static_cast<int>(f);
  }
  linkFronts(frontOf);
}

std::vector<SparseBlockLu::Group> SparseBlockLu::groupColumns() const {
  // A column joins the group before it when that is its child in the tree and the explicit zeros
  // stay few; equal structures cost none.
  const auto borderOf = [&](const Group& group) {
    return static_cast<long>(tree_struct_[group.end - 1].size());
  };
  const auto entries = [](long pivots, long border) { return pivots * (pivots + 2 * border); };
  std::vector<Group> groups;
  for (int k = 0; k < nodes_; ++k) {
    Group group{k, k + 1, 0};
    while (!groups.empty()) {
      const Group& last = groups.back();
      const int parent = tree_parent_[last.end - 1];
      if (parent < group.first || parent >= group.end) break;
      const long childPivots = last.end - last.first;
      const long pivots = group.end - group.first;
      const long border = borderOf(group);
      const long merged = entries(childPivots + pivots, border);
      const long separate = entries(childPivots, borderOf(last)) + entries(pivots, border);
      const long zeros = merged - separate + last.zeros + group.zeros;
      const bool small = childPivots + pivots <= kMergeAlways;
      if (!small && static_cast<double>(zeros) > kMergeZeroShare * static_cast<double>(merged)) {
        break;
      }
      group.first = last.first;
      group.zeros = zeros;
      groups.pop_back();
    }
    groups.push_back(group);
  }
  return groups;
}

// A front's parent is that of its first border row: all other rows of its border stand in that parent, too.
void SparseBlockLu::linkFronts(const std::vector<int>& frontOf) {
  border_in_parent_.assign(border_nodes_.size(), 0);
  std::vector<int> childCount(fronts_.size() + 1, 0);
  for (Front& front : fronts_) {
    if (front.border == 0) continue;
    front.parent = frontOf[border_nodes_[front.borderBegin]];
    ++childCount[front.parent + 1];
    for (int i = front.borderBegin; i < front.borderBegin + front.border; ++i) {
      border_in_parent_[i] = localIndex(fronts_[front.parent], border_nodes_[i]);
    }
  }
  std::partial_sum(childCount.begin(), childCount.end(), childCount.begin());
  children_.assign(childCount.back(), 0);
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    fronts_[f].childBegin = fronts_[f].childEnd = childCount[f];
  }
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    if (fronts_[f].parent >= 0) {
      children_[fronts_[fronts_[f].parent].childEnd++] = static_cast<int>(f);
    }
  }
}

int SparseBlockLu::localIndex(const Front& front, int k) const {
  if (k < front.first + front.pivots) return k - front.first;
  const auto begin = border_nodes_.begin() + front.borderBegin;
  return front.pivots + static_cast<int>(std::lower_bound(begin, begin + front.border, k) - begin);
}

// An entry (i, j) goes to the front that eliminates the earlier of both: found once, for any number of factorisations.
void SparseBlockLu::mapEntries(std::span<const int> rowStart, std::span<const int> column) {
  std::vector<int> frontOf(nodes_, 0);
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    for (int k = 0; k < fronts_[f].pivots; ++k) frontOf[fronts_[f].first + k] = static_cast<int>(f);
  }
  const auto ownerOf = [&](int i, int j) { return frontOf[std::min(i, j)]; };
  std::vector<int> count(fronts_.size() + 1, 0);
  for (int i = 0; i < nodes_; ++i) {
    for (int e = rowStart[i]; e < rowStart[i + 1]; ++e) {
      ++count[ownerOf(position_[i], position_[column[e]]) + 1];
    }
  }
  std::partial_sum(count.begin(), count.end(), count.begin());
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    fronts_[f].entryBegin = fronts_[f].entryEnd = count[f];
  }
  entries_.assign(column.size(), {});
  for (int i = 0; i < nodes_; ++i) {
    for (int e = rowStart[i]; e < rowStart[i + 1]; ++e) {
      const int row = position_[i];
      const int col = position_[column[e]];
      Front& front = fronts_[ownerOf(row, col)];
      entries_[front.entryEnd++] = {e, localIndex(front, row), localIndex(front, col)};
    }
  }
}

bool SparseBlockLu::isLarge(const Front& front) {
  return front.pivots * front.border * front.border > kLargeFront;
}

// Fronts of one height above the leaves need nothing of each other: threads take them side by side, each front whole, and
// the order of the sums inside is that of one thread.
void SparseBlockLu::orderLevels() {
  std::vector<int> height(fronts_.size(), 0);
  int highest = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {  // children come before their parents
    highest = std::max(highest, height[f]);
    if (fronts_[f].parent >= 0) {
      int& above = height[fronts_[f].parent];
      above = std::max(above, height[f] + 1);
    }
  }
  level_start_.assign(static_cast<std::size_t>(highest) + 2, 0);
  for (const int h : height) ++level_start_[h + 1];
  std::partial_sum(level_start_.begin(), level_start_.end(), level_start_.begin());
  std::vector<int> next = level_start_;
  levels_.resize(fronts_.size());
  for (std::size_t f = 0; f < fronts_.size(); ++f) levels_[next[height[f]]++] = static_cast<int>(f);
}

void SparseBlockLu::planMemory() {
  const long square = static_cast<long>(block_size_) * block_size_;
  LinePlan plan;
  left_size_ = 0;
  right_size_ = 0;
  int largestBorder = 0;
  for (Front& front : fronts_) {
    front.leftOffset = left_size_;
    front.rightOffset = right_size_;
    left_size_ += square * (front.pivots + front.border) * front.pivots;
    right_size_ += square * front.pivots * front.border;
    largestBorder = std::max(largestBorder, front.border);
  }
  // What a level leaves is there at once; what it has taken is free after it.
  for (std::size_t l = 0; l + 1 < level_start_.size(); ++l) {
    const auto level = std::span(levels_).subspan(level_start_[l], level_start_[l + 1] - level_start_[l]);
    for (const int f : level) {
      fronts_[f].schurOffset = plan.take(square * fronts_[f].border * fronts_[f].border);
    }
    for (const int f : level) {
      for (int c = fronts_[f].childBegin; c < fronts_[f].childEnd; ++c) {
        const Front& child = fronts_[children_[c]];
        plan.give(child.schurOffset, square * child.border * child.border);
      }
    }
  }
  left_.resize(left_size_);
  right_.resize(right_size_);
  schur_.resize(plan.end());
  pivot_.resize(size());
  permuted_.resize(size());
  border_values_.resize(static_cast<std::size_t>(largestBorder) * block_size_);
}

// A pivot that is next to nothing against the matrix, of a direction that nothing holds, is replaced and counted: the solve
// goes on, and the residual of the problem tells whether it mattered.
int SparseBlockLu::factorize(std::span<const double> blocks, double relativeTiny, WorkTeam* team) {
  double largest = 0.0;
  for (const double value : blocks) largest = std::max(largest, std::abs(value));
  const double tiny = relativeTiny * std::max(largest, 1e-300);
  std::atomic<int> replaced{0};
  for (std::size_t l = 0; l + 1 < level_start_.size(); ++l) {
    const int first = level_start_[l], count = level_start_[l + 1] - first;
    const auto work = [&](std::size_t k) {
      const int found = eliminate(fronts_[levels_[first + static_cast<int>(k)]], blocks, tiny);
      if (found > 0) replaced.fetch_add(found, std::memory_order_relaxed);
    };
    if (team != nullptr) {
      team->forBlocks(static_cast<std::size_t>(count), work);
    } else {
      for (int k = 0; k < count; ++k) work(static_cast<std::size_t>(k));
    }
    // The fronts near the root are few and large: their products are shared by columns.
    for (int k = 0; k < count; ++k) {
      const Front& front = fronts_[levels_[first + k]];
      if (!isLarge(front)) continue;
      const auto share = [&](std::size_t begin, std::size_t end) {
        subtractSchur(front, static_cast<int>(begin), static_cast<int>(end - begin));
      };
      const auto columns = static_cast<std::size_t>(front.border * block_size_);
      if (team != nullptr) {
        team->forRange(columns, kSharedColumns, share);
      } else {
        share(0, columns);
      }
    }
  }
  return replaced.load(std::memory_order_relaxed);
}

void SparseBlockLu::assemble(const Front& front, std::span<const double> blocks) {
  const int bs = block_size_;
  const int p = front.pivots * bs;
  const int b = front.border * bs;
  const int m = p + b;
  double* left = left_.data() + front.leftOffset;
  double* right = right_.data() + front.rightOffset;
  double* schur = schur_.data() + front.schurOffset;
  std::fill_n(left, static_cast<long>(m) * p, 0.0);
  std::fill_n(right, static_cast<long>(p) * b, 0.0);
  std::fill_n(schur, static_cast<long>(b) * b, 0.0);
  for (int e = front.entryBegin; e < front.entryEnd; ++e) {
    const Entry& entry = entries_[e];
    const double* block = blocks.data() + static_cast<long>(entry.block) * bs * bs;
    const bool inLeft = entry.column < front.pivots;
    double* target =
        inLeft ? left + entry.row * bs + static_cast<long>(entry.column) * bs * m
               : right + entry.row * bs + static_cast<long>(entry.column - front.pivots) * bs * p;
    const int ld = inLeft ? m : p;
    for (int j = 0; j < bs; ++j) {
      for (int i = 0; i < bs; ++i) target[i + static_cast<long>(j) * ld] = block[i * bs + j];
    }
  }
  for (int c = front.childBegin; c < front.childEnd; ++c) addChild(front, fronts_[children_[c]]);
}

void SparseBlockLu::addChild(const Front& front, const Front& child) {
  const int bs = block_size_;
  const int p = front.pivots * bs;
  const int b = front.border * bs;
  const int m = p + b;
  double* left = left_.data() + front.leftOffset;
  double* right = right_.data() + front.rightOffset;
  double* schur = schur_.data() + front.schurOffset;
  const double* from = schur_.data() + child.schurOffset;
  const int* place = border_in_parent_.data() + child.borderBegin;
  const int childSize = child.border * bs;
  for (int cj = 0; cj < child.border; ++cj) {
    const bool inLeft = place[cj] < front.pivots;
    for (int j = 0; j < bs; ++j) {
      const double* source = from + static_cast<long>(cj * bs + j) * childSize;
      const long column = inLeft ? place[cj] * bs + j : (place[cj] - front.pivots) * bs + j;
      for (int ci = 0; ci < child.border; ++ci, source += bs) {
        double* target = nullptr;
        if (inLeft) {
          target = left + column * m + place[ci] * bs;
        } else if (place[ci] < front.pivots) {
          target = right + column * p + place[ci] * bs;
        } else {
          target = schur + column * b + (place[ci] - front.pivots) * bs;
        }
        for (int i = 0; i < bs; ++i) target[i] += source[i];
      }
    }
  }
}

int SparseBlockLu::eliminate(const Front& front, std::span<const double> blocks, double tiny) {
  assemble(front, blocks);
  const int p = front.pivots * block_size_;
  const int b = front.border * block_size_;
  double* left = left_.data() + front.leftOffset;
  double* right = right_.data() + front.rightOffset;
  int* pivot = pivot_.data() + static_cast<long>(front.first) * block_size_;
  const int replaced = dense::factorizeFront(p + b, p, left, b, right, pivot, tiny);
  if (!isLarge(front)) subtractSchur(front, 0, b);
  return replaced;
}

/// What a front leaves to its parent: every number of it is one sum, so that columns may be taken
/// in any shares.
void SparseBlockLu::subtractSchur(const Front& front, int firstColumn, int columns) {
  const int p = front.pivots * block_size_;
  const int b = front.border * block_size_;
  dense::subtractProduct(b, columns, p, left_.data() + front.leftOffset + p, p + b,
                         right_.data() + front.rightOffset + static_cast<long>(firstColumn) * p, p,
                         schur_.data() + front.schurOffset + static_cast<long>(firstColumn) * b, b);
}

void SparseBlockLu::solve(std::span<double> x) {
  const int bs = block_size_;
  for (int k = 0; k < nodes_; ++k) {
    for (int i = 0; i < bs; ++i) permuted_[k * bs + i] = x[node_at_[k] * bs + i];
  }
  for (const Front& front : fronts_) substituteForward(front);
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) substituteBackward(*front);
  for (int k = 0; k < nodes_; ++k) {
    for (int i = 0; i < bs; ++i) x[node_at_[k] * bs + i] = permuted_[k * bs + i];
  }
}

void SparseBlockLu::substituteForward(const Front& front) {
  const int bs = block_size_;
  const int p = front.pivots * bs;
  const int b = front.border * bs;
  const int m = p + b;
  const double* left = left_.data() + front.leftOffset;
  const int* pivot = pivot_.data() + static_cast<long>(front.first) * bs;
  double* top = permuted_.data() + static_cast<long>(front.first) * bs;
  double* below = border_values_.data();
  std::fill_n(below, b, 0.0);
  for (int k = 0; k < p; ++k) std::swap(top[k], top[pivot[k]]);
  for (int k = 0; k < p; ++k) {
    const double value = top[k];
    const double* column = left + static_cast<long>(k) * m;
    for (int i = k + 1; i < p; ++i) top[i] = std::fma(-column[i], value, top[i]);
    for (int i = 0; i < b; ++i) below[i] = std::fma(column[p + i], value, below[i]);
  }
  for (int n = 0; n < front.border; ++n) {
    double* target =
        permuted_.data() + static_cast<long>(border_nodes_[front.borderBegin + n]) * bs;
    for (int i = 0; i < bs; ++i) target[i] -= below[n * bs + i];
  }
}

void SparseBlockLu::substituteBackward(const Front& front) {
  const int bs = block_size_;
  const int p = front.pivots * bs;
  const int m = p + front.border * bs;
  const double* left = left_.data() + front.leftOffset;
  const double* right = right_.data() + front.rightOffset;
  double* top = permuted_.data() + static_cast<long>(front.first) * bs;
  for (int n = 0; n < front.border; ++n) {
    const double* source =
        permuted_.data() + static_cast<long>(border_nodes_[front.borderBegin + n]) * bs;
    for (int i = 0; i < bs; ++i) {
      const double value = source[i];
      const double* column = right + static_cast<long>(n * bs + i) * p;
      for (int k = 0; k < p; ++k) top[k] = std::fma(-column[k], value, top[k]);
    }
  }
  for (int k = p - 1; k >= 0; --k) {
    const double* column = left + static_cast<long>(k) * m;
    const double value = top[k] / column[k];
    top[k] = value;
    for (int i = 0; i < k; ++i) top[i] = std::fma(-column[i], value, top[i]);
  }
}

}  // namespace msd_sim
