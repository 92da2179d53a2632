#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"

namespace msd_sim {

/// Cholesky factorisation L Lᵀ of a sparse symmetric positive definite matrix made of small dense
/// blocks, one block row per node of a graph. The pattern is analysed once (minimum degree order);
/// the numbers may change as often as they like, without allocating.
class BlockFactor {
 public:
  /// A pair of nodes with a block of their own. The diagonal is there by itself.
  using Edge = std::pair<std::uint32_t, std::uint32_t>;

  /// An order of elimination that keeps the factor sparse: minimum degree, ties by number. Stops
  /// and returns an empty order when the multiply-adds exceed `mostWork`.
  static std::vector<std::uint32_t> findOrder(std::span<const std::uint32_t> sizes,
                                              std::span<const Edge> edges, double mostWork);

  /// Nodes in the order of elimination: node k has sizes[k] rows. Edges in any order.
  void analyse(std::span<const std::uint32_t> sizes, std::span<const Edge> edges);

  [[nodiscard]] std::size_t rowCount() const { return rows_; }

  /// Sets all blocks to zero.
  void clear();
  /// Block of rows i and columns k, i >= k, row by row. Only for pairs that analyse was given.
  [[nodiscard]] double* block(std::uint32_t i, std::uint32_t k);

  /// The same as a number that stays what it is while the pattern does, and what stands there.
  [[nodiscard]] std::uint32_t placeOf(std::uint32_t i, std::uint32_t k) {
    return static_cast<std::uint32_t>(block(i, k) - values_.data());
  }
  [[nodiscard]] double* at(std::uint32_t place) { return values_.data() + place; }

  /// Replaces the matrix by its factor. Pivots that are not positive become `kTinyPivot` of
  /// nothing: the caller keeps the diagonal positive.
  void factor();

  /// L y = b in place.
  void solveForward(std::span<double> b) const;
  /// Lᵀ x = y in place.
  void solveBackward(std::span<double> y) const;

  /// Right sides that are solved at once in vector lanes.
  static constexpr std::uint32_t kSeveral = 4;
  /// L Lᵀ x = b in place for kSeveral right sides: number i of right side k stands at [i * kSeveral
  /// + k].
  void solveSeveral(std::span<double> b) const;

 private:
  struct Column {
    std::uint32_t size;      ///< rows and columns of the diagonal block
    std::uint32_t firstRow;  ///< of the node in the system
    std::uint32_t panel;     ///< start of its numbers: the diagonal block, then the rows below it
    std::uint32_t below;     ///< first entry in below_ of the nodes under it
    std::uint32_t belowEnd;
    std::uint32_t update;  ///< first entry in updates_
  };

  static constexpr std::uint32_t kUniformSize = 3;  ///< rows of a ball joint

  template <std::uint32_t kSize>
  void factorAll();
  template <std::uint32_t kSize, std::uint32_t kRight>
  void forward(double* b) const;
  template <std::uint32_t kSize, std::uint32_t kRight>
  void backward(double* y) const;
  template <std::uint32_t kSize>
  void factorPanel(const Column& column, std::uint32_t rowsBelow);

  std::vector<Column> columns_;
  std::vector<std::uint32_t> below_;        ///< nodes under the diagonal, ascending
  std::vector<std::uint32_t> below_start_;  ///< where their rows begin in the panel, in rows
  std::vector<std::uint32_t> updates_;  ///< per column and pair (i, k) of its nodes: target block
  AlignedVector<double> values_;        ///< diagonal blocks hold the inverses of their triangles
  bool uniform_{false};                 ///< all blocks have kUniformSize rows
  std::size_t rows_{0};
};

}  // namespace msd_sim
