#pragma once

#include <cstdint>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ContactCache.hpp"

namespace msd_sim {

/// One convex shape, mesh or terrain of a body, placed in the body's centre-of-mass frame. What
/// every step looks at stands first, in one cache line; what a test reads in the next.
struct alignas(64) Collider {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  std::uint32_t body{0};  ///< slot
  std::uint32_t nextOfBody{kNone};
  bool exists{false};
  bool moves{false};      ///< belongs to a body that can move (not static)
  bool isCentred{false};  ///< `local` is the body's own frame; written by addCollider
  std::int32_t leaf{-1};  ///< in the tree of moving or of static boxes
  std::uint32_t layer{1};
  std::uint32_t mask{0xFFFFFFFFu};
  double travelLimit{0.0};  ///< the fat box holds until the body's travel passes this (K-1) [m]
  double spareWidth{0.0};   ///< of the fat box, whatever the speed [m]
  double inner{0.0};        ///< radius of a ball about shape.centre within the shape [m]
  std::uint32_t firstPair{kNone};  ///< its pairs: 2 × pair + side, linked by CollisionPipeline
  alignas(64) Pose local{};  ///< of the shape in the body's frame, origin at the centre of mass
  CollisionShape shape{};
  ContactMaterial material{};

  /// From the beginning on, what most tests need no more than [B].
  static constexpr std::size_t kHotBytes = 256;
};

}  // namespace msd_sim
