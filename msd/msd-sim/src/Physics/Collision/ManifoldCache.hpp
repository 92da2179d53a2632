#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// What a pair of shapes remembers from one test to the next: where to start looking. It speeds up
/// the next test and never decides its outcome; a cleared or foreign cache is as good as a full one.
struct ManifoldCache {
  enum class Kind : std::uint8_t {
    kEmpty,
    kAxis,     ///< `axis` separated the pair, or was its contact normal
    kSimplex,  ///< and so did the corners in `cornersA`, `cornersB`
    kDeep,     ///< the pair overlapped; the corners are those of the nearest face of A - B
    kFaceA,    ///< SAT: the axis is the normal of face `cornersA[0]` of A
    kFaceB,    ///< SAT: of face `cornersB[0]` of B
    kEdges,    ///< SAT: the cross product of edges `cornersA[0]` and `cornersB[0]`
  };

  Vector3D axis{Vector3D::Zero()};  ///< unit, from A to B, in the frame of A
  std::array<std::uint16_t, 4> cornersA{};
  std::array<std::uint16_t, 4> cornersB{};
  Kind kind{Kind::kEmpty};
  std::uint8_t cornerCount{0};
};

static_assert(sizeof(ManifoldCache) <= 64);
static_assert(std::is_trivially_destructible_v<ManifoldCache>);

}  // namespace msd_sim
