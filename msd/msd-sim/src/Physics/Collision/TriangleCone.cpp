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

/// Calls visit(triangle, k, number) once for every corner around corner `at` of `start`, the k-th of
/// a triangle there, until it returns false. Triangles follow each other forwards and then, where a border
/// comes before the start, or a side that mayCross(kind) refuses, backwards; each adds the corner that the one
/// before does not have.
template <class Cross, class Visit>
void walkRing(const TriangleBvh& surface, std::uint32_t start, int at, const Cross& mayCross, const Visit& visit) {
  constexpr int kMaxFan = 64;
  const std::array<std::uint32_t, 3> first = surface.cornerNumbers(start);
  const std::uint32_t apex = first[at];
  for (const int k : {(at + 1) % 3, (at + 2) % 3}) {
    if (!visit(start, k, first[k])) return;
  }
  for (const bool forwards : {true, false}) {
    std::uint32_t current = start;
    int corner = at;
    for (int step = 1; step < kMaxFan; ++step) {
      // Across the side that comes back to the apex, or across the one that leaves it.
      const int side = forwards ? (corner + 2) % 3 : corner;
      if (!mayCross(surface.sideKind(current, side))) break;
      current = surface.neighbour(current, side);
      if (current == TriangleBvh::kNone) break;
      if (current == start) return;
      const std::array<std::uint32_t, 3> numbers = surface.cornerNumbers(current);
      corner = 0;
      while (corner < 3 && numbers[corner] != apex) ++corner;
      if (corner == 3) break;
      const int k = forwards ? (corner + 2) % 3 : (corner + 1) % 3;
      if (!visit(current, k, numbers[k])) return;
    }
  }
}

/// Is corner `at` the highest place along m among all triangles around it?
bool isHighestOfFan(const TriangleBvh& surface, std::uint32_t start, int at, const Vector3D& m) {
  const Coordinate apex = surface.corner(surface.cornerNumbers(start)[at]);
  bool isHighest = true;
  const auto any = [](SideKind) { return true; };
  walkRing(surface, start, at, any, [&](std::uint32_t, int, std::uint32_t number) {
    const Vector3D e = surface.corner(number) - apex;
    const double rise = m.dot(e);
    isHighest = !(rise > 0.0 && rise > tolerance::kConeSlack * e.norm());
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
  double longest2 = 0.0;
  double top = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    height[k] = m.dot(triangle.corners[k]);
    longest2 = std::max(longest2, (triangle.corners[(k + 1) % 3] - triangle.corners[k]).squaredNorm());
    top = std::max(top, height[k]);
  }
  const double level = tolerance::kConeSlack * std::sqrt(longest2);
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
  const std::array<std::uint32_t, 3> own = surface.cornerNumbers(triangle.index);
  std::array<std::uint32_t, SurfaceCap::kMaxCorners> numbers;
  cap.count = 0;
  const auto add = [&](const Coordinate& p, std::uint32_t number, std::uint32_t id, int corner) {
    numbers[cap.count] = number;
    cap.corners[cap.count] = p;
    cap.triangles[cap.count] = id;
    cap.cornerOf[cap.count++] = static_cast<std::uint8_t>(corner);
  };
  // A corner with another number may lie at the same place.
  const auto isKnown = [&](const Coordinate& p) {
    for (int i = 0; i < cap.count; ++i) {
      if (cap.corners[i].x() == p.x() && cap.corners[i] == p) return true;
    }
    return false;
  };
  for (int k = 0; k < 3; ++k) add(triangle.corners[k], own[k], triangle.index, k);
  for (int at = 0; at < 3; ++at) {
    const Coordinate& apex = triangle.corners[at];
    // (K-18): what lies beyond a valley is no part of this ridge; a hull of both would fill the valley.
    const auto bendsAway = [](SideKind kind) { return kind != SideKind::kConcave; };
    walkRing(surface, triangle.index, at, bendsAway, [&](std::uint32_t id, int k, std::uint32_t number) {
      const auto end = numbers.begin() + cap.count;
      if (std::find(numbers.begin(), end, number) != end) return true;
      const Coordinate p = surface.corner(number) - origin;
      const double height = triangle.normal.dot(p) - triangle.offset;
      const bool rises = height > 0.0 && height > tolerance::kFlushAngle * (p - apex).norm();
      if (!rises && !isKnown(p)) add(p, number, id, k);
      return cap.count < SurfaceCap::kMaxCorners;
    });
  }
}

NormalVerdict judgeCapNormal(const TriangleBvh& surface, const SurfaceTriangle& triangle,
                             const SurfaceCap& cap, const Vector3D& m) {
  int highest = 0;
  double top = m.dot(cap.corners[0]);
  double longest2 = 0.0;
  for (int i = 1; i < cap.count; ++i) {
    const double height = m.dot(cap.corners[i]);
    if (height > top) {
      top = height;
      highest = i;
    }
    longest2 = std::max(longest2, (cap.corners[i] - cap.corners[0]).squaredNorm());
  }
  double own = m.dot(triangle.corners[0]);
  own = std::max(own, std::max(m.dot(triangle.corners[1]), m.dot(triangle.corners[2])));
  if (top <= own + tolerance::kConeSlack * std::sqrt(longest2)) {
    return judgeNormal(surface, triangle, m);
  }
  return isHighestOfFan(surface, cap.triangles[highest], cap.cornerOf[highest], m)
             ? NormalVerdict::kElsewhere
             : NormalVerdict::kFace;
}

}  // namespace msd_sim
