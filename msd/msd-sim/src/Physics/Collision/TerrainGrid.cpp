#include "msd-sim/src/Physics/Collision/TerrainGrid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/FloatBounds.hpp"

namespace msd_sim {

TerrainGrid::TerrainGrid(std::shared_ptr<const msd_assets::HeightField> field)
    : field_{std::move(field)} {
  std::uint32_t columns = cellColumns();
  std::uint32_t rows = cellRows();
  do {
    Level level;
    level.columns = (columns + 1) / 2;
    level.rows = (rows + 1) / 2;
    level.spans.resize(static_cast<std::size_t>(level.columns) * level.rows);
    for (std::uint32_t j = 0; j < level.rows; ++j) {
      for (std::uint32_t i = 0; i < level.columns; ++i) {
        Span span{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
        for (std::uint32_t b = 2 * j; b < std::min(2 * j + 2, rows); ++b) {
          for (std::uint32_t a = 2 * i; a < std::min(2 * i + 2, columns); ++a) {
            const Span part = levels_.empty()
                                  ? cellSpan(a, b)
                                  : levels_.back().spans[static_cast<std::size_t>(b) * columns + a];
            span = {std::min(span.lower, part.lower), std::max(span.upper, part.upper)};
          }
        }
        level.spans[static_cast<std::size_t>(j) * level.columns + i] = span;
      }
    }
    columns = level.columns;
    rows = level.rows;
    levels_.push_back(std::move(level));
  } while (columns > 1 || rows > 1);
}

TerrainGrid::Span TerrainGrid::cellSpan(std::uint32_t i, std::uint32_t j) const {
  const double h00 = field_->sample(i, j).z();
  const double h10 = field_->sample(i + 1, j).z();
  const double h01 = field_->sample(i, j + 1).z();
  const double h11 = field_->sample(i + 1, j + 1).z();
  return {roundDown(std::min({h00, h10, h01, h11})), roundUp(std::max({h00, h10, h01, h11}))};
}

Aabb TerrainGrid::blockBounds(int level, std::uint32_t i, std::uint32_t j) const {
  const Span span = level < 0
                        ? cellSpan(i, j)
                        : levels_[level].spans[static_cast<std::size_t>(j) * levels_[level].columns + i];
  const std::uint32_t cells = 1u << (level + 1);
  const std::uint32_t iEnd = std::min((i + 1) * cells, cellColumns());
  const std::uint32_t jEnd = std::min((j + 1) * cells, cellRows());
  return {{i * cells * field_->cellX(), j * cells * field_->cellY(), static_cast<double>(span.lower)},
          {iEnd * field_->cellX(), jEnd * field_->cellY(), static_cast<double>(span.upper)}};
}

TerrainGrid::Triangle TerrainGrid::triangle(std::uint32_t index) const {
  const std::uint32_t cell = index / 2;
  const std::uint32_t i = cell % cellColumns();
  const std::uint32_t j = cell / cellColumns();
  if ((index & 1u) == 0) {
    return {field_->sample(i, j), field_->sample(i + 1, j), field_->sample(i + 1, j + 1)};
  }
  return {field_->sample(i, j), field_->sample(i + 1, j + 1), field_->sample(i, j + 1)};
}

std::array<std::uint32_t, 3> TerrainGrid::cornerNumbers(std::uint32_t index) const {
  const std::uint32_t cell = index / 2;
  const std::uint32_t columns = field_->columns();
  const std::uint32_t first = cell / cellColumns() * columns + cell % cellColumns();
  const std::uint32_t across = first + columns + 1;
  if ((index & 1u) == 0) return {first, first + 1, across};
  return {first, across, first + columns};
}

std::uint32_t TerrainGrid::neighbour(std::uint32_t index, int side) const {
  const std::uint32_t cell = index / 2;
  const std::uint32_t i = cell % cellColumns();
  const std::uint32_t j = cell / cellColumns();
  if ((index & 1u) == 0) {
    if (side == 0) return j > 0 ? 2 * (cell - cellColumns()) + 1 : kNone;
    if (side == 1) return i + 1 < cellColumns() ? 2 * (cell + 1) + 1 : kNone;
    return index + 1;
  }
  if (side == 0) return index - 1;
  if (side == 1) return j + 1 < cellRows() ? 2 * (cell + cellColumns()) : kNone;
  return i > 0 ? 2 * (cell - 1) : kNone;
}

std::uint32_t TerrainGrid::findTriangle(double x, double y) const {
  const double u = x / field_->cellX();
  const double v = y / field_->cellY();
  if (!(u >= 0.0) || !(v >= 0.0) || !(u <= cellColumns()) || !(v <= cellRows())) return kNone;
  const std::uint32_t i = std::min(static_cast<std::uint32_t>(u), cellColumns() - 1);
  const std::uint32_t j = std::min(static_cast<std::uint32_t>(v), cellRows() - 1);
  const std::uint32_t cell = j * cellColumns() + i;
  return 2 * cell + (v - j > u - i ? 1u : 0u);
}

TerrainGrid::CellRange TerrainGrid::findCells(const Aabb& box) const {
  // One cell of slack on either side: rounding in the division must not lose a cell.
  const auto first = [](double x, double cell, std::uint32_t count) {
    const double k = std::floor(x / cell) - 1.0;
    return static_cast<std::uint32_t>(std::clamp(k, 0.0, static_cast<double>(count)));
  };
  const auto last = [](double x, double cell, std::uint32_t count) {
    const double k = std::floor(x / cell) + 2.0;
    return static_cast<std::uint32_t>(std::clamp(k, 0.0, static_cast<double>(count)));
  };
  return {first(box.lower.x(), field_->cellX(), cellColumns()),
          last(box.upper.x(), field_->cellX(), cellColumns()),
          first(box.lower.y(), field_->cellY(), cellRows()),
          last(box.upper.y(), field_->cellY(), cellRows())};
}

bool clipRay(const Aabb& box, const Coordinate& origin, const Vector3D& direction, double length,
             double& enter) {
  double lower = 0.0;
  double upper = length;
  for (int k = 0; k < 3; ++k) {
    if (direction[k] == 0.0) {
      if (origin[k] < box.lower[k] || origin[k] > box.upper[k]) return false;
      continue;
    }
    const double t0 = (box.lower[k] - origin[k]) / direction[k];
    const double t1 = (box.upper[k] - origin[k]) / direction[k];
    // Widened by what the two roundings above can take away.
    lower = std::max(lower, std::min(t0, t1) * (1.0 - 4e-16) - 1e-300);
    upper = std::min(upper, std::max(t0, t1) * (1.0 + 4e-16) + 1e-300);
  }
  enter = lower;
  return lower <= upper;
}

}  // namespace msd_sim
