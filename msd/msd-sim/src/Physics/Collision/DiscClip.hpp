#pragma once

#include "msd-sim/src/Physics/Collision/FaceClip.hpp"

namespace msd_sim {

/// Writes pairs of points of two faces into a list, in the order A, B whatever the order in which the
/// faces were taken.
struct PairEmitter {
  Vector3D normal;  ///< from the first face to the second
  bool isSwapped;   ///< the first face belongs to B
  CandidateList* list;

  PairEmitter(const Vector3D& n, bool swapped, CandidateList& out)
      : normal{n}, isSwapped{swapped}, list{&out} {}

  [[nodiscard]] PairEmitter mirrored() const { return {-normal, !isSwapped, *list}; }

  void operator()(const Coordinate& first, const Coordinate& second, std::uint32_t codeFirst,
                  std::uint32_t codeSecond) const {
    const double gap = normal.dot(second - first);
    if (isSwapped) {
      list->add({second, first, gap, featurePair(codeSecond, codeFirst)});
    } else {
      list->add({first, second, gap, featurePair(codeFirst, codeSecond)});
    }
  }
};

/// Where the line through p along n meets the plane of a face.
[[nodiscard]] inline Coordinate projectToPlane(const ContactFace& face, const Coordinate& p,
                                               const Vector3D& n) {
  return p + ((face.offset - face.normal.dot(p)) / face.normal.dot(n)) * n;
}

/// Four points of a disc's rim that stand for it on a plane with normal `otherNormal`, n pointing from
/// the disc to the plane: fixed to the body while the disc lies flat; once it is tilted, the nearest of
/// them moves to where the rim is deepest.
[[nodiscard]] std::array<Coordinate, 4> chooseRimPoints(const ContactFace& disc,
                                                        const Vector3D& otherNormal,
                                                        const Vector3D& n);

/// Disc against disc, polygon, plane and segment. `n` points from the first to the second face; a
/// disc contributes up to four points of its rim, among them the deepest.
void clipDiscs(const ContactFace& first, const ContactFace& second, const Vector3D& n,
               const PairEmitter& emit);
void clipDiscToPolygon(const ContactFace& disc, const ContactFace& polygon, const Vector3D& n,
                       double size, const PairEmitter& emit);
void clipDiscToPlane(const ContactFace& disc, const ContactFace& plane, const Vector3D& n,
                     const PairEmitter& emit);
void clipSegmentToDisc(const ContactFace& disc, const ContactFace& segment, const Vector3D& n,
                       const PairEmitter& emit);

}  // namespace msd_sim
