#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ContactFace.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/TriangleCone.hpp"
#include "msd-sim/src/Physics/Collision/TriangleGroups.hpp"
#include "msd-sim/src/Physics/Collision/TriangleMemory.hpp"

namespace msd_sim {

/// The face of the convex shape that looks at a plane of the surface; kept for the triangles that
/// follow in the same plane.
struct FacingFace {
  Vector3D normal{Vector3D::Zero()};  ///< of the plane it was made for
  ContactFace face;
  SupportVertex tip{};                ///< the point of the surface that is lowest over the plane
  double lowest{0.0};                 ///< its height: normal·tip [m]
  bool hasTip{false};                 ///< it is one of the face's corners
  bool isExtracted{false};            ///< `face` and what follows from it are known
  std::array<Coordinate, 4> rim;      ///< points that stand for a disc
  Aabb bounds{};                      ///< of all the points above, moved along the normal to the
                                      ///< plane through the origin

  [[nodiscard]] bool isDisc() const { return face.kind == ContactFace::Kind::kDisc; }
  [[nodiscard]] int pointCount() const { return isDisc() ? 4 : face.count; }
  [[nodiscard]] const Coordinate& point(int i) const { return isDisc() ? rim[i] : face.points[i]; }
  [[nodiscard]] std::uint32_t code(int i) const {
    return isDisc() ? featureCode(FeatureKind::kRim, static_cast<std::uint32_t>(i))
                    : featureCode(FeatureKind::kCorner, face.corners[i]);
  }
};

/// A convex shape against triangles of a surface, one after the other (ConvexTriangles.hpp).
///
/// Works in the surface's axes about the inner point of the convex shape. There the surface is the
/// first of the pair, so that normals point from it to the shape.
class SurfaceCollider {
 public:
  /// The shape stands at p_S, turned by R_S, in the surface's frame.
  SurfaceCollider(const CollisionShape& convex, const Matrix3D& R_S, const Coordinate& p_S,
                  const TriangleBvh& surface, double margin);

  /// Up to which distance a triangle that does not touch is measured, at least the margin [m].
  void measureUpTo(double distance) { sight_ = std::max(distance, margin_); }

  /// Returns a lower bound of the distance that the triangle acts over: more than the margin where it
  /// adds nothing, and not above the margin where it counts [m]. `start`: where to start looking; takes
  /// where the search ended.
  double addTriangle(std::uint32_t index, TriangleMemory::Start& start);
  /// The whole plane of one triangle: for a shape whose inner point is under a terrain.
  void addPlane(std::uint32_t index);
  /// Call after the last triangle.
  void finish();

  [[nodiscard]] const TriangleBvh& surface() const { return surface_; }
  [[nodiscard]] const Coordinate& origin() const { return origin_; }
  /// Writes the manifolds with the deepest points; returns their number.
  int write(const Placement& poseB, std::span<ContactManifold> out) const;

 private:
  /// Finds the point of the shape that is lowest over a plane.
  void look(const Vector3D& n);
  /// Finds the whole face that looks at a plane.
  void face(const Vector3D& n);
  /// Keeps a direction m from the surface to the shape that may separate other triangles too; `low` is where
  /// the shape begins along it.
  void keepAxis(const Vector3D& m, double low);
  /// How far the directions that were found for other triangles separate this one at least. The best of
  /// them stays as a guess.
  [[nodiscard]] double separationByAxes(const SurfaceTriangle& triangle);
  /// How far the shape is from a plane through a side of the triangle, square to it, where that is beyond
  /// the margin; else minus infinity.
  [[nodiscard]] double distanceBeside(const SurfaceTriangle& triangle) const;
  [[nodiscard]] bool isTipInside(const SurfaceTriangle& triangle, double depth) const;
  [[nodiscard]] bool mayHoldCorner(const SurfaceTriangle& triangle) const;

  void add(const SurfaceTriangle& triangle, const Vector3D& n, double offset, NormalOwner owner,
           CandidateList& list);
  [[nodiscard]] std::uint32_t nameFeature(std::uint32_t triangle, std::uint32_t feature) const;

  void addFaceContact(const SurfaceTriangle& triangle, double shortest = 0.0);
  void clipToTriangle(const SurfaceTriangle& triangle, CandidateList& list);
  [[nodiscard]] ContactCandidate findDeepestOver(const SurfaceTriangle& triangle);
  void adoptOrphan();
  double addSphereContact(const SurfaceTriangle& triangle);
  double addAnyContact(const SurfaceTriangle& triangle, TriangleMemory::Start& start);
  double separate(const SurfaceTriangle& triangle, TriangleMemory::Start& start,
                  Separation& separation, NormalVerdict& verdict);
  Separation separateDeep(const SurfaceTriangle& triangle, SurfaceCap& cap);

  const TriangleBvh& surface_;
  double margin_;
  double sight_;
  double size_;
  double radius_{0.0};
  ConvexPair pair_;        ///< a: the triangle at hand, b: the convex shape
  Coordinate origin_;      ///< inner point of the shape in the surface's frame [m]
  FacingFace facing_;
  KnownPlane known_;
  struct Axis {
    Vector3D m;  ///< unit, from the surface to the shape
    double low;  ///< of the shape along m [m]
  };
  static constexpr std::uint32_t kMaxAxes = 8;
  std::array<Axis, kMaxAxes> axes_;
  std::uint32_t axis_count_{0};
  Vector3D guess_{Vector3D::UnitZ()};  ///< a direction that separates the triangle at hand well
  TriangleGroups groups_;
  /// The shortest way out of a triangle that is cut, to its front: what counts if every triangle takes
  /// it for another one's.
  Separation spare_{Vector3D::UnitZ(), -std::numeric_limits<double>::infinity()};
  std::uint32_t spare_triangle_{TriangleBvh::kNone};
  /// The triangle that is cut deepest of those that left their way out to another one.
  std::uint32_t orphan_{TriangleBvh::kNone};
  double orphan_gap_{0.0};
};

}  // namespace msd_sim
