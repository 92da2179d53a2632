#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "msd-sim/src/Physics/Collision/SurfaceCollider.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

/// The triangle of a terrain that the inner point is under, or kNone.
std::uint32_t findTriangleAbove(const TriangleBvh& triangles, const Coordinate& centre) {
  if (!triangles.isTerrain()) return TriangleBvh::kNone;
  const std::uint32_t at = triangles.terrain().findTriangle(centre.x(), centre.y());
  if (at == TriangleBvh::kNone) return at;
  return loadTriangle(triangles, at, centre, {}).offset > 0.0 ? at : TriangleBvh::kNone;
}

/// Lists the triangles within `spread` of a box; what is known of those listed before stays. False,
/// with an empty list, where they are too many.
bool listTriangles(const TriangleBvh& triangles, const Aabb& box, double spread, double travel,
                   TriangleMemory& memory) {
  const std::uint32_t oldCount = memory.count;
  std::array<TriangleMemory::Entry, TriangleMemory::kMost> old;
  std::copy_n(memory.entries.begin(), oldCount, old.begin());
  memory.clear();
  std::uint32_t count = 0, at = 0;
  triangles.query(box.expanded(spread), [&](std::uint32_t index) {  // both lists ascend
    while (at < oldCount && old[at].triangle < index) ++at;
    if (count < TriangleMemory::kMost) {
      TriangleMemory::Entry& entry = memory.entries[count];
      entry = {};
      entry.triangle = index;
      if (at < oldCount && old[at].triangle == index) entry = old[at];
    }
    ++count;
  });
  if (count > TriangleMemory::kMost) return false;
  memory.count = count;
  memory.reach = travel + spread;
  return true;
}

/// A lower bound of the distance of the triangles that do not touch, and the one it belongs to, if
/// it is listed.
struct Nearest {
  double distance;
  std::uint32_t triangle{TriangleBvh::kNone};

  void add(double other, std::uint32_t index) {
    if (other < distance) *this = {other, index};
  }
};

/// Looks at the listed triangles whose distance may be used up.
Nearest addListed(SurfaceCollider& collider, double margin, const SurfaceTrack& track) {
  Nearest nearest{track.memory->reach - track.travel};
  std::array<std::uint32_t, TriangleMemory::kMost> due;
  std::uint32_t dueCount = 0;
  for (std::uint32_t i = 0; i < track.memory->count; ++i) {
    const TriangleMemory::Entry& entry = track.memory->entries[i];
    if (entry.bound - track.travel > margin) {
      nearest.add(entry.bound - track.travel, entry.triangle);
    } else {
      collider.surface().fetchNumbers(entry.triangle);
      due[dueCount++] = i;
    }
  }
  for (std::uint32_t i = 0; i < dueCount; ++i) {
    collider.surface().fetchCorners(track.memory->entries[due[i]].triangle);
  }
  for (std::uint32_t i = 0; i < dueCount; ++i) {
    TriangleMemory::Entry& entry = track.memory->entries[due[i]];
    entry.bound = track.travel + collider.addTriangle(entry.triangle, entry.start);
    nearest.add(entry.bound - track.travel, entry.triangle);
  }
  return nearest;
}

}  // namespace

int collideConvexTriangles(const CollisionShape& convex, const Placement& poseA,
                           const CollisionShape& surface, const Placement& poseB, double margin,
                           std::span<ContactManifold> out, const SurfaceTrack& track) {
  if (out.empty()) return 0;
  const TriangleBvh& triangles = *surface.triangles;
  const Matrix3D R_S = poseB.rotation.transpose() * poseA.rotation;
  const Coordinate p_S = poseB.toLocal(poseA.position);
  SurfaceCollider collider{convex, R_S, p_S, triangles, margin};
  // Nothing within the margin: at least that far, or as far as the nearest triangle known of.
  Nearest nearest{margin};
  const std::uint32_t above = findTriangleAbove(triangles, collider.origin());
  if (above != TriangleBvh::kNone) {
    collider.addPlane(above);
  } else {
    // What goes on as it moves now finds its list again in the next step.
    const double spread = margin + std::max(tolerance::kTriangleSpread * convex.size, margin);
    const bool isListed =
        track.memory != nullptr && (track.memory->covers(track.travel, margin) ||
                                    listTriangles(triangles, worldBounds(convex, R_S, p_S), spread,
                                                  track.travel, *track.memory));
    if (isListed) {
      collider.measureUpTo(spread);
      const Nearest listed = addListed(collider, margin, track);
      nearest = {std::max(margin, listed.distance), listed.triangle};
    } else {
      TriangleMemory::Start start;
      triangles.query(worldBounds(convex, R_S, p_S).expanded(margin), [&](std::uint32_t index) {
        start.count = 0;
        collider.addTriangle(index, start);
      });
    }
    collider.finish();
  }
  const int count = collider.write(poseB, out);
  if (count == 0) {
    out[0].count = 0;
    out[0].separation = std::max(nearest.distance, 0.0);
    if (nearest.triangle != TriangleBvh::kNone) {
      out[0].normal = -(poseB.rotation *
                        loadTriangle(triangles, nearest.triangle, collider.origin(), {}).normal);
    }
  }
  return count;
}

}  // namespace msd_sim
