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

/// Is m on a side between the normals of the two faces that meet there?
bool isBetweenFaces(const TriangleBvh& surface, const SurfaceTriangle& triangle, int side,
                    const Vector3D& m) {
  const SideKind kind = triangle.sides[side];
  if (kind == SideKind::kFlush || kind == SideKind::kConcave) return false;
  if (kind == SideKind::kBorder) return m.dot(triangle.normal) >= -tolerance::kConeSlack;
  const Vector3D e =
      (triangle.corners[(side + 1) % 3] - triangle.corners[side]).normalized();
  const Vector3D other = faceNormal(surface.triangle(surface.neighbour(triangle.index, side)));
  // From the neighbour the side runs backwards; what points out of it there is -e × n.
  return m.dot(other.cross(e)) >= -tolerance::kConeSlack;
}

/// Index of the corner of `t` that lies at p, or -1.
int findCorner(const TriangleBvh::Triangle& t, const Coordinate& p) {
  for (int k = 0; k < 3; ++k) {
    if (t[k] == p) return k;
  }
  return -1;
}

/// Is corner `at` the highest place along m among all triangles around it? Walks the fan both ways,
/// in the surface's own coordinates, so that corners compare equal.
bool isHighestOfFan(const TriangleBvh& surface, std::uint32_t start, int at, const Vector3D& m) {
  constexpr int kMaxFan = 64;
  const Coordinate apex = surface.triangle(start)[at];
  const auto rises = [&](const Coordinate& other) {
    const Vector3D e = other - apex;
    return m.dot(e) > tolerance::kConeSlack * e.norm();
  };
  for (const bool forwards : {true, false}) {
    std::uint32_t current = start;
    int corner = at;
    for (int step = 0; step < kMaxFan; ++step) {
      const TriangleBvh::Triangle t = surface.triangle(current);
      if (rises(t[(corner + 1) % 3]) || rises(t[(corner + 2) % 3])) return false;
      // Across the side that leaves the apex, or across the one that comes back to it.
      const std::uint32_t next = surface.neighbour(current, forwards ? (corner + 2) % 3 : corner);
      if (next == TriangleBvh::kNone) break;
      if (next == start) return true;
      current = next;
      corner = findCorner(surface.triangle(current), apex);
      if (corner < 0) break;
    }
  }
  return true;
}

}  // namespace

SurfaceTriangle loadTriangle(const TriangleBvh& surface, std::uint32_t index,
                             const Coordinate& origin) {
  SurfaceTriangle result;
  result.index = index;
  const TriangleBvh::Triangle corners = surface.triangle(index);
  result.normal = faceNormal(corners);
  for (int k = 0; k < 3; ++k) {
    result.corners[k] = corners[k] - origin;
    result.sides[k] = surface.sideKind(index, k);
  }
  result.offset = result.normal.dot(result.corners[0]);
  return result;
}

bool isNormalAllowed(const TriangleBvh& surface, const SurfaceTriangle& triangle,
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
  if (count == 3) return m.dot(triangle.normal) > 0.0;
  for (int k = 0; k < 3; ++k) {
    if (count == 2 && isTop[k] && isTop[(k + 1) % 3]) return isBetweenFaces(surface, triangle, k, m);
    if (count == 1 && isTop[k]) {
      // A corner must not undercut a border's face either.
      return m.dot(triangle.normal) >= -tolerance::kConeSlack &&
             isHighestOfFan(surface, triangle.index, k, m);
    }
  }
  return false;
}

}  // namespace msd_sim
