#include "msd-assets/src/HeightField.hpp"

#include <algorithm>
#include <utility>

#include "msd-assets/src/Check.hpp"

namespace msd_assets {

namespace {

void checkGrid(std::uint32_t columns, std::uint32_t rows, std::size_t heights) {
  if (columns < 2) check::refuse("HeightField.columns", fmt::format("{}", columns), "at least 2");
  if (rows < 2) check::refuse("HeightField.rows", fmt::format("{}", rows), "at least 2");
  const std::uint64_t expected = std::uint64_t{columns} * rows;
  if (heights != expected) {
    check::refuse("HeightField.heights", fmt::format("{} values", heights),
                  fmt::format("columns x rows = {} x {} = {} values", columns, rows, expected));
  }
}

void checkCell(const char* name, double cell, std::uint32_t samples) {
  check::positiveLength(name, cell);
  if (!check::isCoordinate(cell * samples)) {
    check::refuse(name, fmt::format("{} m", cell),
                  fmt::format("{} samples within {:g} m", samples, tolerances::kMaxCoordinate));
  }
}

}  // namespace

HeightField::HeightField(std::uint32_t columns, std::uint32_t rows, double cellX, double cellY,
                         std::vector<double> heights)
    : columns_{columns},
      rows_{rows},
      cell_x_{cellX},
      cell_y_{cellY},
      heights_{std::move(heights)},
      min_height_{0.0},
      max_height_{0.0} {
  checkGrid(columns_, rows_, heights_.size());
  checkCell("HeightField.cellX", cell_x_, columns_);
  checkCell("HeightField.cellY", cell_y_, rows_);
  for (std::size_t i = 0; i < heights_.size(); ++i) {
    if (!check::isCoordinate(heights_[i])) {
      check::refuse(
          fmt::format("HeightField.heights[{}] (column {}, row {})", i, i % columns_, i / columns_),
          fmt::format("{} m", heights_[i]),
          fmt::format("a finite height of at most {:g} m", tolerances::kMaxCoordinate));
    }
  }
  const auto [lowest, highest] = std::minmax_element(heights_.begin(), heights_.end());
  min_height_ = *lowest;
  max_height_ = *highest;
}

}  // namespace msd_assets
