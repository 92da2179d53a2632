#pragma once

#include <cstdint>

#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"

namespace msd_sim {

/// How a contact of a round surface goes on between two tests (docs/theory/collision.md, K-11). The
/// surface lies at its rounding from a core (the centre of a ball, the axis of a capsule), and the
/// core turns with the body.
enum class FollowMode : std::uint8_t {
  kStay,   ///< anchors and normal stay with their bodies
  kFace,   ///< a face of body 0 against cores of body 1: the normal stays with body 0
  kCores,  ///< one point: the normal is the line between the cores
};

/// What a lane needs to follow; parallel to ContactBundle. Body axes, from the bodies' centres.
template <int kPoints>
struct alignas(64) ContactFollow {
  /// Only a single point has cores that slide.
  static constexpr int kSlides = kPoints > 1 ? 1 : 3;

  double mode[kBundleLanes];               ///< FollowMode as a number
  double core0[kPoints][3][kBundleLanes];  ///< core of body 0; kFace: a point of the face [m]
  double core1[kPoints][3][kBundleLanes];  ///< core of body 1 [m]
  double slide0[kSlides][kBundleLanes];    ///< along which the core may move, unit or zero
  double slide1[kSlides][kBundleLanes];
};

}  // namespace msd_sim
