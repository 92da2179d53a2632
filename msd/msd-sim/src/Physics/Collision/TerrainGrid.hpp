#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "msd-assets/src/HeightField.hpp"
#include "msd-sim/src/DataTypes/Aabb.hpp"

namespace msd_sim {

/// A height field seen as numbered triangles, with a pyramid of least and greatest heights over its
/// cells for rays.
class TerrainGrid {
 public:
  using Triangle = std::array<Coordinate, 3>;

  explicit TerrainGrid(std::shared_ptr<const msd_assets::HeightField> field);

  [[nodiscard]] const msd_assets::HeightField& field() const { return *field_; }
  [[nodiscard]] std::uint32_t cellColumns() const { return field_->columns() - 1; }
  [[nodiscard]] std::uint32_t cellRows() const { return field_->rows() - 1; }
  [[nodiscard]] std::uint32_t triangleCount() const { return 2 * cellColumns() * cellRows(); }

  [[nodiscard]] Triangle triangle(std::uint32_t index) const;
  /// Numbers of its corners: row by row over the samples.
  [[nodiscard]] std::array<std::uint32_t, 3> cornerNumbers(std::uint32_t index) const;
  [[nodiscard]] Coordinate corner(std::uint32_t number) const {
    return field_->sample(number % field_->columns(), number / field_->columns());
  }
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t index, int side) const;

  /// The triangle above or below the place (x, y), or kNone outside the grid.
  [[nodiscard]] std::uint32_t findTriangle(double x, double y) const;

  /// Cells that a box covers: columns [i0, i1), rows [j0, j1).
  struct CellRange {
    std::uint32_t i0, i1, j0, j1;
  };
  [[nodiscard]] CellRange findCells(const Aabb& box) const;

  /// Calls test(triangle) for triangles near the ray origin + t·direction, 0 <= t <= length, nearer
  /// blocks first; test returns the length still of interest.
  template <class Test>
  void walkRay(const Coordinate& origin, const Vector3D& direction, double length,
               const Test& test) const;

  /// Calls test(triangle) for triangles that may lie within sqrt(limit2) of the point; test returns
  /// the squared distance still of interest.
  template <class Test>
  void walkNearest(const Coordinate& point, double limit2, const Test& test) const;

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

 private:
  struct Block {
    int level;  ///< -1: a cell
    std::uint32_t i, j;
  };
  /// Children of a block, those first that lie towards (towardsX, towardsY).
  template <class Push>
  void forEachChild(const Block& block, bool towardsX, bool towardsY, const Push& push) const;
  struct Span {
    float lower;
    float upper;
  };
  /// Heights over blocks of 2^(k + 1) cells a side.
  struct Level {
    std::uint32_t columns;
    std::uint32_t rows;
    std::vector<Span> spans;
  };

  [[nodiscard]] Span cellSpan(std::uint32_t i, std::uint32_t j) const;
  [[nodiscard]] Aabb blockBounds(int level, std::uint32_t i, std::uint32_t j) const;

  std::shared_ptr<const msd_assets::HeightField> field_;
  std::vector<Level> levels_;
};

/// Part of the ray origin + t·direction inside a box; false if it misses within [0, length].
[[nodiscard]] bool clipRay(const Aabb& box, const Coordinate& origin, const Vector3D& direction,
                           double length, double& enter);

template <class Push>
void TerrainGrid::forEachChild(const Block& block, bool towardsX, bool towardsY,
                               const Push& push) const {
  const std::uint32_t columns = block.level == 0 ? cellColumns() : levels_[block.level - 1].columns;
  const std::uint32_t rows = block.level == 0 ? cellRows() : levels_[block.level - 1].rows;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t di = towardsX ? 1 - (k & 1u) : (k & 1u);
    const std::uint32_t dj = towardsY ? 1 - (k >> 1) : (k >> 1);
    const Block child{block.level - 1, 2 * block.i + di, 2 * block.j + dj};
    if (child.i < columns && child.j < rows) push(child);
  }
}

template <class Test>
void TerrainGrid::walkRay(const Coordinate& origin, const Vector3D& direction, double length,
                          const Test& test) const {
  std::array<Block, 128> stack;
  int depth = 0;
  stack[depth++] = {static_cast<int>(levels_.size()) - 1, 0, 0};
  double limit = length;
  while (depth > 0) {
    const Block block = stack[--depth];
    double enter = 0.0;
    if (!clipRay(blockBounds(block.level, block.i, block.j), origin, direction, limit, enter)) {
      continue;
    }
    if (block.level < 0) {
      const std::uint32_t cell = block.j * cellColumns() + block.i;
      limit = test(2 * cell);
      limit = test(2 * cell + 1);
      continue;
    }
    // Farther children first onto the stack, so that nearer ones come off first.
    forEachChild(block, direction.x() > 0.0, direction.y() > 0.0,
                 [&](const Block& child) { stack[depth++] = child; });
  }
}

template <class Test>
void TerrainGrid::walkNearest(const Coordinate& point, double limit2, const Test& test) const {
  std::array<Block, 128> stack;
  int depth = 0;
  stack[depth++] = {static_cast<int>(levels_.size()) - 1, 0, 0};
  double limit = limit2;
  while (depth > 0) {
    const Block block = stack[--depth];
    const Aabb box = blockBounds(block.level, block.i, block.j);
    const Vector3D outside =
        (box.lower - point).cwiseMax(point - box.upper).cwiseMax(Vector3D::Zero());
    if (outside.squaredNorm() * (1.0 - 1e-14) > limit) continue;
    if (block.level < 0) {
      const std::uint32_t cell = block.j * cellColumns() + block.i;
      limit = test(2 * cell);
      limit = test(2 * cell + 1);
      continue;
    }
    const Coordinate centre = 0.5 * (box.lower + box.upper);
    forEachChild(block, point.x() < centre.x(), point.y() < centre.y(),
                 [&](const Block& child) { stack[depth++] = child; });
  }
}

}  // namespace msd_sim
