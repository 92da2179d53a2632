#include "msd-sim/src/Physics/Collision/TriangleCone.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

Vector3D faceNormal(const TriangleBvh::Triangle& t) {
  return (t[1] - t[0]).cross(t[2] - t[0]).normalized();
}

bool isInner(SideKind kind) { return kind == SideKind::kFlush || kind == SideKind::kConcave; }

/// On a side: is m between the normals of the two faces that meet there?
NormalVerdict judgeSide(const TriangleBvh& surface, const SurfaceTriangle& triangle, int side,
                        const Vector3D& m) {
  const SideKind kind = triangle.sides[side];
  if (isInner(kind)) return NormalVerdict::kFace;
  if (kind == SideKind::kBorder) {
    return m.dot(triangle.normal) >= -tolerance::kConeSlack ? NormalVerdict::kOwn
                                                            : NormalVerdict::kElsewhere;
  }
  const Vector3D e =
      (triangle.corners[(side + 1) % 3] - triangle.corners[side]).normalized();
  const Vector3D other = faceNormal(surface.triangle(surface.neighbour(triangle.index, side)));
  // From the neighbour the side runs backwards; what points out of it there is -e × n.
  return m.dot(other.cross(e)) >= -tolerance::kConeSlack ? NormalVerdict::kOwn
                                                         : NormalVerdict::kElsewhere;
}

/// Index of the corner of `t` that lies at p, or -1.
int findCorner(const TriangleBvh::Triangle& t, const Coordinate& p) {
  for (int k = 0; k < 3; ++k) {
    if (t[k] == p) return k;
  }
  return -1;
}

/// Calls visit(id, corners, k) for the triangles around corner `at` of `start`, k being the apex in
/// each, until it returns false. In the surface's own coordinates, so that corners compare equal.
template <class Visit>
void walkFan(const TriangleBvh& surface, std::uint32_t start, int at, const Visit& visit) {
  constexpr int kMaxFan = 64;
  const Coordinate apex = surface.triangle(start)[at];
  for (const bool forwards : {true, false}) {
    std::uint32_t current = start;
    int corner = at;
    for (int step = 0; step < kMaxFan; ++step) {
      const TriangleBvh::Triangle t = surface.triangle(current);
      if (!visit(current, t, corner)) return;
      // Across the side that comes back to the apex, or across the one that leaves it.
      const std::uint32_t next = surface.neighbour(current, forwards ? (corner + 2) % 3 : corner);
      if (next == TriangleBvh::kNone) break;
      if (next == start) return;
      current = next;
      corner = findCorner(surface.triangle(current), apex);
      if (corner < 0) break;
    }
  }
}

/// Is corner `at` the highest place along m among all triangles around it?
bool isHighestOfFan(const TriangleBvh& surface, std::uint32_t start, int at, const Vector3D& m) {
  bool isHighest = true;
  walkFan(surface, start, at, [&](std::uint32_t, const TriangleBvh::Triangle& t, int apex) {
    for (const int k : {(apex + 1) % 3, (apex + 2) % 3}) {
      const Vector3D e = t[k] - t[apex];
      isHighest = isHighest && !(m.dot(e) > tolerance::kConeSlack * e.norm());
    }
    return isHighest;
  });
  return isHighest;
}

}  // namespace

SurfaceTriangle loadTriangle(const TriangleBvh& surface, std::uint32_t index,
                             const Coordinate& origin, const KnownPlane& known) {
  SurfaceTriangle result;
  result.index = index;
  const TriangleBvh::Triangle corners = surface.triangle(index);
  double off = 0.0;
  double reach = 0.0;
  for (int k = 0; k < 3; ++k) {
    result.corners[k] = corners[k] - origin;
    result.sides[k] = surface.sideKind(index, k);
    off = std::max(off, std::abs(known.normal.dot(result.corners[k]) - known.offset));
    reach = std::max(reach, std::abs(corners[k].x()) + std::abs(corners[k].y()) +
                                std::abs(corners[k].z()));
  }
  // In the known plane up to the rounding of its own coordinates, and turned the same way.
  const Vector3D cross =
      (result.corners[1] - result.corners[0]).cross(result.corners[2] - result.corners[0]);
  if (off <= 2.0 * tolerance::kUlp * reach && known.normal.dot(cross) > 0.0) {
    result.normal = known.normal;
    result.offset = known.offset;
  } else {
    result.normal = cross.normalized();
    result.offset = result.normal.dot(result.corners[0]);
  }
  return result;
}

NormalVerdict judgeNormal(const TriangleBvh& surface, const SurfaceTriangle& triangle,
                          const Vector3D& m) {
  // Which corners are highest along m: three make the face, two a side, one a corner.
  std::array<double, 3> height;
  std::array<double, 3> reach;
  double top = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    height[k] = m.dot(triangle.corners[k]);
    reach[k] = (triangle.corners[(k + 1) % 3] - triangle.corners[k]).norm();
    top = std::max(top, height[k]);
  }
  const double level = tolerance::kConeSlack * std::max({reach[0], reach[1], reach[2]});
  std::array<bool, 3> isTop;
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    isTop[k] = height[k] >= top - level;
    count += isTop[k] ? 1 : 0;
  }
  if (count == 3) {
    return m.dot(triangle.normal) > 0.0 ? NormalVerdict::kFace : NormalVerdict::kElsewhere;
  }
  for (int k = 0; k < 3; ++k) {
    if (count == 2 && isTop[k] && isTop[(k + 1) % 3]) return judgeSide(surface, triangle, k, m);
    if (count == 1 && isTop[k]) {
      if (isHighestOfFan(surface, triangle.index, k, m)) return NormalVerdict::kOwn;
      return isInner(triangle.sides[k]) || isInner(triangle.sides[(k + 2) % 3])
                 ? NormalVerdict::kFace
                 : NormalVerdict::kElsewhere;
    }
  }
  return NormalVerdict::kElsewhere;
}

void gatherCap(const TriangleBvh& surface, const SurfaceTriangle& triangle,
               const Coordinate& origin, SurfaceCap& cap) {
  cap.count = 0;
  const auto add = [&](const Coordinate& p, std::uint32_t id, int corner) {
    const auto known = cap.corners.begin() + cap.count;
    if (cap.count == SurfaceCap::kMaxCorners || std::find(cap.corners.begin(), known, p) != known) {
      return;
    }
    cap.corners[cap.count] = p;
    cap.triangles[cap.count] = id;
    cap.cornerOf[cap.count++] = static_cast<std::uint8_t>(corner);
  };
  for (int k = 0; k < 3; ++k) add(triangle.corners[k], triangle.index, k);
  for (int at = 0; at < 3; ++at) {
    walkFan(surface, triangle.index, at,
            [&](std::uint32_t id, const TriangleBvh::Triangle& t, int apex) {
              for (const int k : {(apex + 1) % 3, (apex + 2) % 3}) {
                const Coordinate p = t[k] - origin;
                const double height = triangle.normal.dot(p) - triangle.offset;
                const bool rises = height > tolerance::kFlushAngle * (t[k] - t[apex]).norm();
                if (!rises) add(p, id, k);
              }
              return cap.count < SurfaceCap::kMaxCorners;
            });
  }
}

NormalVerdict judgeCapNormal(const TriangleBvh& surface, const SurfaceTriangle& triangle,
                             const SurfaceCap& cap, const Vector3D& m) {
  int highest = 0;
  double longest = 0.0;
  for (int i = 1; i < cap.count; ++i) {
    if (m.dot(cap.corners[i]) > m.dot(cap.corners[highest])) highest = i;
    longest = std::max(longest, (cap.corners[i] - cap.corners[0]).norm());
  }
  double own = m.dot(triangle.corners[0]);
  own = std::max(own, std::max(m.dot(triangle.corners[1]), m.dot(triangle.corners[2])));
  if (m.dot(cap.corners[highest]) <= own + tolerance::kConeSlack * longest) {
    return judgeNormal(surface, triangle, m);
  }
  return isHighestOfFan(surface, cap.triangles[highest], cap.cornerOf[highest], m)
             ? NormalVerdict::kElsewhere
             : NormalVerdict::kFace;
}

}  // namespace msd_sim
