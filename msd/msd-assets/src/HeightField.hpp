#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace msd_assets {

/// A terrain z = h(x, y) on a regular grid of columns x rows samples, solid below.
///
/// Sample (i, j) lies at x = i·cellX, y = j·cellY (the shape frame's origin is sample (0, 0)).
/// Each cell is split along the diagonal from (i, j) to (i + 1, j + 1).
class HeightField {
 public:
  /// heights has columns·rows entries, x running fastest. Throws std::invalid_argument for fewer
  /// than 2 x 2 samples, a wrong count, a cell size <= 0, or heights and sides that are not finite
  /// or beyond 1e9 m.
  HeightField(std::uint32_t columns, std::uint32_t rows, double cellX, double cellY,
              std::vector<double> heights);

  [[nodiscard]] std::uint32_t columns() const { return columns_; }
  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] double cellX() const { return cell_x_; }  ///< [m]
  [[nodiscard]] double cellY() const { return cell_y_; }  ///< [m]
  [[nodiscard]] std::span<const double> heights() const { return heights_; }
  [[nodiscard]] double minHeight() const { return min_height_; }  ///< [m]
  [[nodiscard]] double maxHeight() const { return max_height_; }  ///< [m]
  [[nodiscard]] Eigen::Vector3d sample(std::uint32_t i, std::uint32_t j) const {
    return {i * cell_x_, j * cell_y_, heights_[static_cast<std::size_t>(j) * columns_ + i]};
  }

 private:
  std::uint32_t columns_;
  std::uint32_t rows_;
  double cell_x_;
  double cell_y_;
  std::vector<double> heights_;
  double min_height_;
  double max_height_;
};

}  // namespace msd_assets
