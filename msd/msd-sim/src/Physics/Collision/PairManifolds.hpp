#pragma once

#include <span>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldCache.hpp"
#include "msd-sim/src/Physics/Collision/TriangleMemory.hpp"

/// How two shapes touch, one function per kind of pair, one file each.
///
/// All of them write the points whose gap is at most `margin` [m] (>= 0; speculative points have a
/// positive gap), up to four that keep the patch, or none and a lower bound of the distance. The
/// normal points from the first shape to the second. No function allocates, throws or keeps state;
/// `cache` belongs to the pair.
///
/// Where two shapes coincide so that no direction is better than another, the normal is a fixed
/// direction of the first shape's frame.
namespace msd_sim {

using CollideFunction = void (*)(const CollisionShape& a, const Placement& poseA,
                                 const CollisionShape& b, const Placement& poseB, double margin,
                                 ManifoldCache& cache, ContactManifold& out);

void collideSphereSphere(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                         const Placement& poseB, double margin, ManifoldCache& cache,
                         ContactManifold& out);
void collideSphereCapsule(const CollisionShape& sphere, const Placement& poseA,
                          const CollisionShape& capsule, const Placement& poseB, double margin,
                          ManifoldCache& cache, ContactManifold& out);
void collideSphereBox(const CollisionShape& sphere, const Placement& poseA, const CollisionShape& box,
                      const Placement& poseB, double margin, ManifoldCache& cache,
                      ContactManifold& out);
void collideSphereCylinder(const CollisionShape& sphere, const Placement& poseA,
                           const CollisionShape& cylinder, const Placement& poseB, double margin,
                           ManifoldCache& cache, ContactManifold& out);
void collideSphereHull(const CollisionShape& sphere, const Placement& poseA, const CollisionShape& hull,
                       const Placement& poseB, double margin, ManifoldCache& cache,
                       ContactManifold& out);
void collideCapsuleCapsule(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                           const Placement& poseB, double margin, ManifoldCache& cache,
                           ContactManifold& out);
/// Capsule against box, hull or cylinder: the segment against the solid, two points where it lies on
/// a face or along an edge.
void collideCapsuleConvex(const CollisionShape& capsule, const Placement& poseA,
                          const CollisionShape& solid, const Placement& poseB, double margin,
                          ManifoldCache& cache, ContactManifold& out);
/// Cylinder against box, hull or cylinder, with true discs: up to four points of a rim on a face,
/// two where it lies on its side.
void collideCylinderConvex(const CollisionShape& cylinder, const Placement& poseA,
                           const CollisionShape& solid, const Placement& poseB, double margin,
                           ManifoldCache& cache, ContactManifold& out);
/// Boxes and hulls as the step wants them: the separating axis test, or GJK and EPA where they have
/// very many edges. The normal of a pair that is apart is a separating axis, and not always the
/// direction of the least distance as with collideShapes. Returns the number of manifolds, at most
/// kMaxPolyhedronManifolds (see PolytopeManifold.hpp).
inline constexpr int kMaxPolyhedronManifolds = 2;
int collidePolyhedra(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                     const Placement& poseB, double margin, ManifoldCache& cache,
                     std::span<ContactManifold> out);
/// Any convex shape against a half space.
void collideConvexPlane(const CollisionShape& convex, const Placement& poseA,
                        const CollisionShape& plane, const Placement& poseB, double margin,
                        ManifoldCache& cache, ContactManifold& out);

/// The function for a pair of convex shapes or a convex shape and a plane, with the order in which it
/// wants them. Null for pairs of two static-only shapes and for meshes and terrains (see
/// ConvexTriangles.hpp).
struct PairEntry {
  CollideFunction function{nullptr};
  bool isSwapped{false};
};
[[nodiscard]] PairEntry findPairFunction(ShapeKind a, ShapeKind b);

/// Any two shapes. Writes one manifold for convex pairs and planes, up to out.size() for meshes and
/// terrains, and returns their number. With no contact it returns 0 and out[0].separation is set;
/// two static-only shapes never touch (separation infinite). `track` is for meshes and terrains.
int collideShapes(const CollisionShape& a, const Placement& poseA, const CollisionShape& b,
                  const Placement& poseB, double margin, ManifoldCache& cache,
                  std::span<ContactManifold> out, const SurfaceTrack& track = {});

}  // namespace msd_sim
