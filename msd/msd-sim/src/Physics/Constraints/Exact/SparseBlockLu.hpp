#pragma once

#include <span>
#include <vector>

namespace msd_sim {

class WorkTeam;

/// Multifrontal LU of a sparse matrix of square blocks with a symmetric block pattern.
///
///   A = P^T (L U) P  with a fill-reducing ordering P of the blocks (approximate minimum degree).
///
/// Rows are exchanged only among the pivot rows of one front, which is enough for the matrices of
/// this library: a positive definite part plus the unsymmetric coupling of sliding friction. The
/// analysis (ordering, elimination tree, fronts, memory plan) is kept and reused while the pattern
/// stays the same; `factorize` and `solve` allocate nothing then.
///
/// Fronts are eliminated level by level of their tree, leaves first. Those of a level do not depend
/// on each other, and a front adds its children in their order: a team may share the work, and the
/// bits are the same without one.
class SparseBlockLu {
 public:
  /// Prepares for matrices of `nodes` block rows with the block pattern (rowStart, column), which
  /// must be symmetric, sorted within a row, and hold every diagonal block. Does nothing when the
  /// pattern is the one already analysed.
  void analyze(int nodes, int blockSize, std::span<const int> rowStart,
               std::span<const int> column);

  /// Factorises A given by its blocks (row-major, in the order of the pattern). Pivots below
  /// `relativeTiny` times the largest entry are replaced; returns how many were. A team, if given,
  /// is not busy with another loop.
  int factorize(std::span<const double> blocks, double relativeTiny, WorkTeam* team = nullptr);

  /// x := A⁻¹ x.
  void solve(std::span<double> x);

  [[nodiscard]] int size() const { return nodes_ * block_size_; }

  /// Numbers stored in the factors, a measure of the fill.
  [[nodiscard]] long factorSize() const { return left_size_ + right_size_; }

 private:
  /// A front: pivot nodes [first, first + pivots) in elimination order, then `border` nodes.
  struct Front {
    int first{0};
    int pivots{0};       ///< nodes eliminated here
    int border{0};       ///< nodes that remain
    int parent{-1};      ///< front that takes the remainder
    int borderBegin{0};  ///< first entry in border_nodes_ and border_in_parent_
    int entryBegin{0};   ///< first of its entries of A
    int entryEnd{0};
    int childBegin{0};  ///< first of its children in children_
    int childEnd{0};
    long leftOffset{0};   ///< pivot columns, (pivots + border) × pivots
    long rightOffset{0};  ///< pivot rows, pivots × border
    long schurOffset{0};  ///< remainder, border × border, alive until the parent has taken it
  };

  /// Where a block of A goes.
  struct Entry {
    int block{0};
    int row{0};  ///< node position in the front
    int column{0};
  };

  /// Columns [first, end) that share a front, and the explicit zeros that costs (in blocks).
  struct Group {
    int first{0};
    int end{0};
    long zeros{0};
  };

  void orderNodes(std::span<const int> rowStart, std::span<const int> column);
  void buildTree(std::span<const int> rowStart, std::span<const int> column);
  void findParents(std::span<const int> rowStart, std::span<const int> column);
  void buildFronts();
  [[nodiscard]] std::vector<Group> groupColumns() const;
  void linkFronts(const std::vector<int>& frontOf);
  [[nodiscard]] int localIndex(const Front& front, int k) const;
  void mapEntries(std::span<const int> rowStart, std::span<const int> column);
  [[nodiscard]] static bool isLarge(const Front& front);
  void orderLevels();
  void planMemory();
  [[nodiscard]] int eliminate(const Front& front, std::span<const double> blocks, double tiny);
  void assemble(const Front& front, std::span<const double> blocks);
  void addChild(const Front& front, const Front& child);
  void substituteForward(const Front& front);
  void substituteBackward(const Front& front);
  void subtractSchur(const Front& front, int firstColumn, int columns);

  int nodes_{0};
  int block_size_{0};
  std::vector<int> row_start_;
  std::vector<int> column_;
  std::vector<int> position_;  ///< node -> place in the elimination order
  std::vector<int> node_at_;   ///< and back

  std::vector<int> tree_parent_;               ///< elimination tree, in elimination order
  std::vector<std::vector<int>> tree_struct_;  ///< rows below the diagonal of each column of L

  std::vector<Front> fronts_;
  std::vector<int> levels_;       ///< fronts, level by level
  std::vector<int> level_start_;  ///< first of each level in levels_, and the end
  std::vector<int> children_;
  std::vector<int> border_nodes_;
  std::vector<int> border_in_parent_;
  std::vector<Entry> entries_;

  long left_size_{0};
  long right_size_{0};
  std::vector<double> left_;
  std::vector<double> right_;
  std::vector<double> schur_;
  std::vector<int> pivot_;
  std::vector<double> permuted_;
  std::vector<double> border_values_;
};

}  // namespace msd_sim
