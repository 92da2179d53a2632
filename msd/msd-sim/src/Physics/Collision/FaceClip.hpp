#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/Physics/Collision/ContactFace.hpp"

namespace msd_sim {

/// A pair of surface points that face each other along the contact normal; A's frame.
struct ContactCandidate {
  Coordinate a;
  Coordinate b;
  double gap;             ///< normal·(b - a) [m]
  std::uint32_t feature;  ///< 16 bits for what it is on A, 16 for B
};

struct CandidateList {
  static constexpr int kCapacity = 2 * ContactFace::kMaxCorners + 8;

  std::array<ContactCandidate, kCapacity> items;
  int count{0};
  bool isRing{false};  ///< corners of one polygon, in order: only neighbours can coincide

  CandidateList() {}  // NOLINT(modernize-use-equals-default): leaves the array uninitialised
  void add(const ContactCandidate& candidate) {
    if (count < kCapacity) items[count++] = candidate;
  }
};

/// What a contact point is on one of the shapes: 2 bits of kind, 14 of number.
enum class FeatureKind : std::uint32_t { kFace = 0, kCorner = 1, kSide = 2, kRim = 3 };

[[nodiscard]] constexpr std::uint32_t featureCode(FeatureKind kind, std::uint32_t number) {
  return (static_cast<std::uint32_t>(kind) << 14) | (number & 0x3FFFu);
}
[[nodiscard]] constexpr std::uint32_t featurePair(std::uint32_t codeA, std::uint32_t codeB) {
  return (codeA << 16) | codeB;
}
/// The same pair of features seen with A and B exchanged.
[[nodiscard]] constexpr std::uint32_t swapFeature(std::uint32_t feature) {
  return (feature << 16) | (feature >> 16);
}

/// Two unit vectors that complete the unit vector n to a right-handed frame.
struct TangentFrame {
  explicit TangentFrame(const Vector3D& n);
  Vector3D t1;
  Vector3D t2;
};

/// The corners of the region in which two faces cover each other, seen along the unit normal n from A
/// to B: polygons by Sutherland and Hodgman's clipping, discs by their true circles. Adds nothing
/// where the faces do not cover each other or where one of them is a point.
void clipFaces(const ContactFace& a, const ContactFace& b, const Vector3D& n, double size,
               CandidateList& out);

}  // namespace msd_sim
