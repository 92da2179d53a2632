#pragma once

#include <cstddef>
#include <cstdint>

namespace msd_sim {

/// How a contact of a round surface goes on between two tests (docs/theory/collision.md, K-11). The
/// surface lies at its rounding from a core (the centre of a ball, the axis of a capsule), and the
/// core turns with the body.
enum class FollowMode : std::uint8_t {
  kStay,   ///< anchors and normal stay with their bodies
  kFace,   ///< a face of body 0 against cores of body 1: the normal stays with body 0
  kCores,  ///< one point: the normal is the line between the cores
};

/// Kinds of contacts by their number of points: one, two (an edge on a face), up to four.
inline constexpr int kContactKinds = 3;
inline constexpr int kPointsOfKind[kContactKinds] = {1, 2, 4};

/// A point of a contact.
struct StoredPoint {
  double anchor0[3];  ///< on body 0, from its centre, body axes [m]
  double anchor1[3];  ///< on body 1 [m]
  double active;      ///< 1 where the point exists, else 0
  double unused;
};

/// What the points of a contact carry, in whole lines of eight numbers.
template <int kPoints>
struct StoredForces {
  double expected[kPoints][3];  ///< normal, tangents: per second of a substep [N]
  double mean[kPoints][3];      ///< on body 1 over the last step, world axes [N]
  double unused[kPoints == 4 ? 8 : kPoints == 2 ? 4 : 2];
};

/// What makes round surfaces follow; a single point alone has cores that slide. Body axes, from the
/// centres [m].
template <int kPoints>
struct StoredFollow {
  double core0[kPoints][3];  ///< core of body 0; kFace: a point of the face
  double core1[kPoints][3];  ///< core of body 1
};
template <>
struct StoredFollow<1> {
  double core0[1][3];
  double core1[1][3];
  double slide0[3];  ///< along which the core may move, unit or zero
  double slide1[3];
};

/// The numbers of a contact that persist from step to step, one record a contact. Body 0 owns the
/// normal (the face), body 1 the points (the vertices); where neither owns it (edge against edge,
/// round surfaces) body 0 is shape A's. Nothing but doubles, in the order in which the rows of a
/// step take them eight contacts at a time (ContactTable). Written by the narrowphase; forces by
/// the end of a step.
template <int kPoints>
struct alignas(64) StoredContact {
  double normal[3]{0.0, 0.0, 1.0};   ///< body 0 axes, from body 0 to body 1
  double tangent[3]{1.0, 0.0, 0.0};  ///< first tangent, body 0 axes
  double friction{0.0};              ///< of the pair [-]
  double restitution{0.0};           ///< of the pair [-]
  double size{1.0};                  ///< of the smaller body: the length scale [m]
  /// How round each body is about the point: what turns is a core, and the surface lies this far
  /// from it along the normal, whichever way the body has turned. 0: corner or face [m]
  double rounding0{0.0};
  double rounding1{0.0};
  double balls{0.0};  ///< 1 where both are balls about their centres, else 0
  double mode{0.0};   ///< FollowMode as a number
  double unused[3]{};
  StoredPoint points[kPoints]{};
  StoredForces<kPoints> forces{};
  StoredFollow<kPoints> follow{};

  // Where these begin, and how many numbers there are in all.
  static constexpr std::size_t kPointsAt = 16, kForcesAt = kPointsAt + 8 * kPoints;
  static constexpr std::size_t kFollowAt =
      kForcesAt + sizeof(StoredForces<kPoints>) / sizeof(double);
  static constexpr std::size_t kNumbers =
      kFollowAt + sizeof(StoredFollow<kPoints>) / sizeof(double);
  [[nodiscard]] const double* numbers() const { return normal; }
  [[nodiscard]] double* numbers() { return normal; }
};

}  // namespace msd_sim
