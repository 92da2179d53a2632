#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// One point of contact between two shapes, world frame.
struct ManifoldPoint {
  Coordinate pointA{Coordinate::Zero()};  ///< on A's surface [m]
  Coordinate pointB{Coordinate::Zero()};  ///< on B's surface [m]
  double gap{0.0};                        ///< normal·(pointB - pointA): < 0 penetrating [m]
  std::uint32_t feature{0};               ///< same number, same pair of features
};

/// What the normal is fixed to, so that a manifold can follow small motions of the bodies exactly.
enum class NormalOwner : std::uint8_t {
  kBodyA,    ///< a face of A: the normal and pointA's plane turn with A; pointB is a point of B
  kBodyB,    ///< a face of B
  kNeither,  ///< edge against edge, or round surfaces: good for small motions only
};

/// How two convex shapes touch, or are about to: up to four points that keep the contact patch.
/// Swapping A and B mirrors it: same points with A and B exchanged, opposite normal.
struct ContactManifold {
  static constexpr int kMaxPoints = 4;

  /// Unit, from A to B. Where count == 0: of convex shapes a direction along which they are apart
  /// by `separation`, or zero (K-21); of a shape near a surface the back of the nearest triangle,
  /// or zero (K-15).
  Vector3D normal{Vector3D::Zero()};
  std::array<ManifoldPoint, kMaxPoints> points{};
  int count{0};
  NormalOwner owner{NormalOwner::kNeither};
  /// A lower bound of the distance between the shapes when count == 0 [m]. They cannot touch before
  /// their relative motion (of any surface points) adds up to it.
  double separation{0.0};
};

}  // namespace msd_sim
