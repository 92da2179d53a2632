#pragma once

#include <cstdint>
#include <limits>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_sim {

/// One polytope seen from another: p_A = rotation * p_B + translation.
struct RelativePose {
  Matrix3D rotation;
  Vector3D translation;

  [[nodiscard]] RelativePose inverse() const {
    return {rotation.transpose(), -(rotation.transpose() * translation)};
  }
};

/// A face of a polytope as a separating axis.
struct FaceAxis {
  static constexpr std::uint16_t kUnknown = 0xFFFFu;
  double separation{-std::numeric_limits<double>::infinity()};  ///< of the other polytope [m]
  std::uint16_t face{0};
  std::uint16_t vertex{kUnknown};          ///< of the other polytope: the nearest
  Coordinate deepest{Coordinate::Zero()};  ///< the same in the owner's frame [m]
};

/// Two edges as a separating axis.
struct EdgeAxis {
  double separation{-std::numeric_limits<double>::infinity()};  ///< [m]
  std::uint16_t a{0};
  std::uint16_t b{0};
  Vector3D normal{Vector3D::Zero()};  ///< unit, A's frame, from A to B
};

/// min over the vertices v of `p` of n·v, both in p's frame.
[[nodiscard]] double leastAlong(const msd_assets::ConvexPolyhedron& p, const Vector3D& n);

/// Separation of `other` from one face of `owner`: the distance of its nearest vertex from the plane.
[[nodiscard]] double faceSeparation(const msd_assets::ConvexPolyhedron& owner, std::uint16_t face,
                                    const msd_assets::ConvexPolyhedron& other,
                                    const RelativePose& otherInOwner);

/// What is asked of a search for the best face.
struct FaceSearch {
  std::uint16_t hint{0};  ///< face to begin with
  double floor{-std::numeric_limits<double>::infinity()};  ///< what separates by no more is of no interest [m]
  double enough{std::numeric_limits<double>::infinity()};  ///< what separates by more ends the search [m]
};

/// The face of `owner` from which `other` is separated most, if that is more than `floor`; else some face.
///
/// No face separates `other` by more than it does any one point of it: every face that is looked at brings such a
/// point, its own nearest, and the one for which the points known by then promise most is looked at next.
[[nodiscard]] FaceAxis findBestFace(const msd_assets::ConvexPolyhedron& owner,
                                    const msd_assets::ConvexPolyhedron& other,
                                    const RelativePose& otherInOwner, const FaceSearch& search);

/// The pair of edges with the largest separation, if it is larger than that of both best faces.
///
/// Edges that cannot be part of it are left out. Along a direction between the normals of an edge's two faces
/// the other polytope separates by no more than any one of its points does from the farther of the two planes,
/// as long as that is negative. And where two edges make the axis of least overlap their nearest points
/// are no more than `reach` [m] apart, if that is no less than the overlap along the best face: an edge of A
/// must come that near to the plane of B's best face, an edge of B to that of A's.
[[nodiscard]] EdgeAxis findBestEdges(const msd_assets::ConvexPolyhedron& a, const FaceAxis& faceA,
                                     const msd_assets::ConvexPolyhedron& b, const FaceAxis& faceB,
                                     const RelativePose& bInA, double reach, double enough);

}  // namespace msd_sim
