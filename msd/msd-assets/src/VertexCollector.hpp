#pragma once

#include <Eigen/Core>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "msd-assets/src/IndexTable.hpp"

/// Private to the library.
namespace msd_assets {

/// Turns corners into indices: equal coordinates are one vertex, numbered in the order of first
/// appearance.
class VertexCollector {
 public:
  explicit VertexCollector(std::size_t expected) : table_{expected, KeyOf{&vertices_}} {}
  VertexCollector(const VertexCollector&) = delete;  // the table looks into the list beside it
  VertexCollector& operator=(const VertexCollector&) = delete;

  std::uint32_t add(const Eigen::Vector3d& p) {
    const Eigen::Vector3d canonical = p.array() + 0.0;  // -0 becomes +0
    const std::uint32_t known = table_.find(keyOf(canonical));
    if (known != Table::kNone) return known;
    const auto index = static_cast<std::uint32_t>(vertices_.size());
    vertices_.push_back(canonical);
    table_.insert(index);
    return index;
  }

  [[nodiscard]] std::vector<Eigen::Vector3d> take() { return std::move(vertices_); }

 private:
  static std::array<std::uint64_t, 3> keyOf(const Eigen::Vector3d& p) {
    return {std::bit_cast<std::uint64_t>(p.x()), std::bit_cast<std::uint64_t>(p.y()),
            std::bit_cast<std::uint64_t>(p.z())};
  }
  struct KeyOf {
    const std::vector<Eigen::Vector3d>* vertices;
    std::array<std::uint64_t, 3> operator()(std::uint32_t i) const { return keyOf((*vertices)[i]); }
  };
  using Table = IndexTable<KeyOf>;

  std::vector<Eigen::Vector3d> vertices_;
  Table table_;
};

}  // namespace msd_assets
