#pragma once

#include <cstdint>
#include <span>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"

namespace msd_sim {

/// The axis that separated, or came closest to separating, a pair of polytopes last time.
struct AxisCache {
  enum class Kind : std::uint8_t { kNone, kFaceA, kFaceB, kEdges };
  Kind kind{Kind::kNone};
  std::uint16_t a{0};  ///< face or edge of A
  std::uint16_t b{0};  ///< face or edge of B
  std::uint16_t faceA{0};  ///< best face of A last time: where to start looking
  std::uint16_t faceB{0};

  void set(Kind newKind, std::uint16_t newA, std::uint16_t newB) {
    kind = newKind;
    a = newA;
    b = newB;
  }
};

/// A convex polyhedron that stands somewhere, with its rotation matrix at hand.
struct PlacedPolytope {
  const msd_assets::ConvexPolyhedron* polyhedron{nullptr};
  Coordinate position{Coordinate::Zero()};  ///< of the polyhedron's frame [m]
  Matrix3D rotation{Matrix3D::Identity()};
};

/// Contact of two convex polyhedra by the separating axis test over all face normals and all pairs of
/// edges, with face clipping (Sutherland–Hodgman) or the closest points of two edges.
///
/// `reach`: the distance of the polytopes if it is known, else the margin.
///
/// `out` gets the points with gap <= margin; when there are none, `out[0].separation` is the largest
/// separation found along any axis. The axis of least penetration is exact; faces win ties against
/// edges, and of two faces that tie the larger one is the reference.
///
/// Returns the number of manifolds: 0 or 1; 2 where there is room for them, two edges touch first and
/// the margin is so wide that a face may touch as well before the next test; kNoFeature when the
/// shapes are nearer than the margin, but not where the best axis is: GJK knows then.
inline constexpr int kNoFeature = -1;
int collidePolytopes(const PlacedPolytope& a, const PlacedPolytope& b, double margin, double reach,
                     AxisCache& cache, std::span<ContactManifold> out);

/// The same for two boxes given by half extents (BoxManifold.cpp).
int collideBoxes(const Placement& a, const Vector3D& halfA, const Placement& b,
                 const Vector3D& halfB, double margin, std::span<ContactManifold> out);

}  // namespace msd_sim
