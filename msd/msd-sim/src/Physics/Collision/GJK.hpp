#pragma once

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ConvexView.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldCache.hpp"
#include "msd-sim/src/Physics/Collision/SimplexSolver.hpp"

namespace msd_sim {

/// How near two convex shapes are to each other, world frame.
struct DistanceResult {
  double distance{0.0};               ///< between the surfaces; 0 when they touch or overlap [m]
  Vector3D normal{Vector3D::Zero()};  ///< unit, from A to B; zero when the shapes overlap
  Coordinate pointA{Coordinate::Zero()};  ///< nearest point of A [m]
  Coordinate pointB{Coordinate::Zero()};  ///< nearest point of B [m]
};

/// What a run of GJK on the cores of a pair ends with.
struct GjkOutcome {
  enum class Status : std::uint8_t {
    kFar,      ///< farther apart than the limit: only `lowerBound` is known
    kNear,     ///< apart: v is the shortest vector from B to A
    kTouching  ///< the cores touch or overlap: the simplex holds the origin
  };

  Status status{Status::kTouching};
  Vector3D v{Vector3D::Zero()};  ///< pointA - pointB in A's frame [m]; when far, a separating axis
  double lowerBound{0.0};        ///< of the distance of the cores [m]
  int iterations{0};
};

/// The point of the Minkowski difference A - B of the cores farthest along d.
[[nodiscard]] inline SimplexVertex supportMinkowski(const ConvexPair& pair, const Vector3D& d) {
  const SupportVertex a = supportCore(pair.a, d);
  const SupportVertex b = supportCore(pair.b, -(pair.R_AB.transpose() * d));
  SimplexVertex vertex;
  vertex.a = a.point;
  vertex.b.noalias() = pair.R_AB * b.point;
  vertex.b += pair.p_AB;
  vertex.w = vertex.a - vertex.b;
  vertex.idA = a.id;
  vertex.idB = b.id;
  return vertex;
}

/// Distance of the two cores. `simplex` may bring vertices of the pair to start from (count 0: none,
/// `guess` is then a direction from B to A to start with). Stops early once the distance is known to
/// exceed `limit` [m]. Ends after at most kMaxGjkIterations rounds.
inline constexpr int kMaxGjkIterations = 96;
[[nodiscard]] GjkOutcome runGjk(const ConvexPair& pair, const Vector3D& guess, double limit,
                                Simplex& simplex);

/// Fills a simplex from the corners that a cache of this kind remembers, as far as they fit the pair.
void loadSimplex(const ConvexPair& pair, const ManifoldCache& cache, ManifoldCache::Kind kind,
                 Simplex& simplex);
/// Remembers axis (from A to B, A's frame) and simplex.
void storeSimplex(const Simplex& simplex, const Vector3D& axis, ManifoldCache::Kind kind,
                  ManifoldCache& cache);

/// The algorithm of Gilbert, Johnson and Keerthi for two placed convex shapes: do they intersect,
/// how far are they apart, and where.
///
/// Polytopes, spheres and capsules end exactly on the nearest features; cylinders are finished by
/// the feature solver (NormalRefinement.hpp).
class GJK {
 public:
  /// The shapes must be convex and outlive the object.
  GJK(const CollisionShape& shapeA, const Pose& poseA, const CollisionShape& shapeB,
      const Pose& poseB);

  /// Start from what an earlier test of the same pair left behind.
  void warmStart(const ManifoldCache& cache);

  /// True when the shapes touch or overlap.
  [[nodiscard]] bool intersects();
  [[nodiscard]] DistanceResult distance();

  /// The simplex of the last run, in the frame of A: the nearest feature of the Minkowski difference
  /// of the cores A - B, or the simplex that holds the origin.
  [[nodiscard]] const Simplex& getSimplex() const { return simplex_; }
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] const ConvexPair& pair() const { return pair_; }

 private:
  GjkOutcome run(double limit);

  Pose pose_a_;
  ConvexPair pair_;
  Simplex simplex_;
  Vector3D guess_;
  int iterations_{0};
};

}  // namespace msd_sim
