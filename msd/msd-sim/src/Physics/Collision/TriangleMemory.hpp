#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace msd_sim {

/// What a convex shape and a surface remember of each other from one test to the next
/// (docs/theory/collision.md, K-13): the triangles around, how long each of them cannot touch, and where the
/// search for the nearest points ended.
///
/// Travels are sums as BodyTravel has them, of both bodies [m].
struct TriangleMemory {
  static constexpr int kMost = 32;
  /// So much from the beginning holds the list of most pairs [B].
  static constexpr std::size_t kHotBytes = 512;

  /// The corners of the last simplex, to start from.
  struct Start {
    std::array<std::uint16_t, 3> corners{};  ///< on the shape
    std::uint8_t onTriangle{0};              ///< two bits each
    std::uint8_t count{0};
  };

  struct Entry {
    double bound{-std::numeric_limits<double>::infinity()};  ///< distance plus the travel it was found at
    std::uint32_t triangle{0};
    Start start;
  };

  /// Every triangle that comes as near as this less the travel is listed [m].
  double reach{-std::numeric_limits<double>::infinity()};
  std::uint32_t count{0};
  std::array<Entry, kMost> entries;

  [[nodiscard]] bool covers(double travel, double margin) const { return travel + margin <= reach; }
  void clear() {
    reach = -std::numeric_limits<double>::infinity();
    count = 0;
  }
};

static_assert(std::is_trivially_copyable_v<TriangleMemory>);

/// The memory of a pair, if it has one, and the travel at which it is tested.
struct SurfaceTrack {
  TriangleMemory* memory{nullptr};
  double travel{0.0};  ///< [m]
};

}  // namespace msd_sim
