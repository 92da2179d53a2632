#pragma once

#include <cstdint>
#include <span>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/TriangleMemory.hpp"

namespace msd_sim {

/// Most manifolds that one pair of a convex shape and a surface gets.
inline constexpr int kMaxTriangleManifolds = 8;

/// Features of contacts with a surface name the first triangle of the flat region in their upper bits and the
/// place on the shape in the others.
inline constexpr int kTriangleShift = 8;
[[nodiscard]] constexpr std::uint32_t triangleOfFeature(std::uint32_t feature) {
  return feature >> kTriangleShift;
}

/// A convex shape (A) against a mesh or terrain (B). Writes one manifold per plane of contact, at most
/// min(out.size(), kMaxTriangleManifolds), those with the deepest points if there are more, in the
/// order of their first triangles. Returns their number; with none, out[0].separation is set.
///
/// Inner edges. A triangle inside a flat region touches with its face normal only. Elsewhere the
/// direction of least overlap counts if it is one of the surface's own normals there (TriangleCone.hpp);
/// if not, it is replaced by the face normal. So a box on a fine flat grid gets exactly the normal and
/// the four points that it gets on one large face.
///
/// One-sided. A triangle acts on a shape whose inner point (the centre; the mean of a hull's corners)
/// lies in front of its plane, and pushes to the front. A shape that has passed a thin sheet by more
/// than half is therefore let through, and the back of a thin closed body does not fight its front.
/// A terrain is solid below: an inner point under the ground is pushed up along the normal of the
/// triangle above it.
///
/// With a memory only those triangles are looked at whose distance the travel may have used up; the
/// contacts are the same up to rounding.
int collideConvexTriangles(const CollisionShape& convex, const Placement& poseA,
                           const CollisionShape& surface, const Placement& poseB, double margin,
                           std::span<ContactManifold> out, const SurfaceTrack& track = {});

}  // namespace msd_sim
