#include "msd-assets/src/HullPoints.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/IndexTable.hpp"

namespace msd_assets {

namespace {

__extension__ using Wide = __int128;

constexpr int kGridBits = 51;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// p·s - q·r of numbers below 2^53: below 2^107, exact.
Wide minor(std::int64_t p, std::int64_t q, std::int64_t r, std::int64_t s) {
  return static_cast<Wide>(p) * s - static_cast<Wide>(q) * r;
}

struct WideVector {
  Wide x;
  Wide y;
  Wide z;
};

WideVector cross(const GridPoint& u, const GridPoint& v) {
  return {minor(u.y, u.z, v.y, v.z), minor(u.z, u.x, v.z, v.x), minor(u.x, u.y, v.x, v.y)};
}

GridPoint minus(const GridPoint& p, const GridPoint& q) {
  return {p.x - q.x, p.y - q.y, p.z - q.z};
}

/// Sign of m·w where m has 107 and w 53 bits: each m is split into high·2^64 + low, so that both
/// partial sums fit 128 bits.
int exactDotSign(const WideVector& m, const GridPoint& w) {
  Wide high = 0;
  Wide low = 0;
  const auto add = [&](Wide component, std::int64_t factor) {
    high += (component >> 64) * factor;
    low += static_cast<Wide>(static_cast<std::uint64_t>(component)) * factor;
  };
  add(m.x, w.x);
  add(m.y, w.y);
  add(m.z, w.z);
  high += low >> 64;
  if (high != 0) return high > 0 ? 1 : -1;
  return static_cast<std::uint64_t>(low) != 0 ? 1 : 0;
}

struct Bounds {
  Eigen::Vector3d lower;
  Eigen::Vector3d upper;
};

Bounds checkedBounds(std::span<const Eigen::Vector3d> points) {
  Bounds bounds{points.front(), points.front()};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!check::isPoint(points[i])) {
      check::refuse(fmt::format("ConvexPolyhedron.points[{}]", i), check::text(points[i]) + " m",
                    check::coordinateRange());
    }
    bounds.lower = bounds.lower.cwiseMin(points[i]);
    bounds.upper = bounds.upper.cwiseMax(points[i]);
  }
  return bounds;
}

std::vector<GridPoint> snap(std::span<const Eigen::Vector3d> points, const Eigen::Vector3d& centre,
                            double gridPerMetre) {
  std::vector<GridPoint> grid;
  grid.reserve(points.size());
  for (const Eigen::Vector3d& p : points) {
    const Eigen::Vector3d local = (p - centre) * gridPerMetre;
    grid.push_back({std::llrint(local.x()), std::llrint(local.y()), std::llrint(local.z())});
  }
  return grid;
}

/// Keeps, in order, every point that is farther than `distance` from those kept before it. Kept
/// points are chained per cell of a lattice of twice the distance, so that the ball about a point
/// meets eight cells at most.
void weld(const std::vector<GridPoint>& given, double distance, HullPoints& result) {
  const std::int64_t cell = std::max<std::int64_t>(2, 2 * std::llrint(std::ceil(distance)));
  const auto cellOf = [cell](std::int64_t c) {
    return (c + (std::int64_t{1} << (kGridBits + 1))) / cell;  // offset: never negative
  };
  const auto keyOf = [&](std::uint32_t kept) {
    const GridPoint& p = result.grid[kept];
    return std::array<std::uint64_t, 3>{static_cast<std::uint64_t>(cellOf(p.x)),
                                        static_cast<std::uint64_t>(cellOf(p.y)),
                                        static_cast<std::uint64_t>(cellOf(p.z))};
  };
  using Table = IndexTable<decltype(keyOf)>;
  Table heads{64, keyOf};
  std::vector<std::uint32_t> next;
  const auto hasNear = [&](const GridPoint& p) {
    const std::int64_t reach = cell / 2;
    for (int corner = 0; corner < 8; ++corner) {
      const std::array<std::uint64_t, 3> key{
          static_cast<std::uint64_t>(cellOf(p.x + ((corner & 1) != 0 ? reach : -reach))),
          static_cast<std::uint64_t>(cellOf(p.y + ((corner & 2) != 0 ? reach : -reach))),
          static_cast<std::uint64_t>(cellOf(p.z + ((corner & 4) != 0 ? reach : -reach)))};
      for (std::uint32_t k = heads.find(key); k != Table::kNone; k = next[k]) {
        if (difference(result.grid[k], p).norm() <= distance) return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (hasNear(given[i])) {
      ++result.weldedPoints;
      continue;
    }
    const auto kept = static_cast<std::uint32_t>(result.grid.size());
    result.grid.push_back(given[i]);
    result.source.push_back(static_cast<std::uint32_t>(i));
    const std::uint32_t head = heads.find(keyOf(kept));
    if (head == Table::kNone) {
      next.push_back(Table::kNone);
      heads.insert(kept);
    } else {  // the head stays first; the newcomer goes second
      next.push_back(next[head]);
      next[head] = kept;
    }
  }
}

/// Index of the point with the greatest value of a measure; the first of equals.
template <class Measure>
std::uint32_t farthest(const std::vector<GridPoint>& points, Measure measure) {
  std::uint32_t best = 0;
  double greatest = -1.0;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const double value = measure(points[i]);
    if (value > greatest) {
      greatest = value;
      best = i;
    }
  }
  return best;
}

[[noreturn]] void refuseFlat(std::size_t given, int rank, double thickness, double diameter) {
  static constexpr const char* kKinds[] = {"all coincide", "lie on a line", "lie in a plane"};
  throw std::invalid_argument{fmt::format(
      "ConvexPolyhedron.points = {} points that {} (rank {}, thickness {:g} m at a diameter of "
      "{:g} m): expected at least 4 points of rank 3 with a thickness of at least {:g} of the "
      "diameter",
      given, kKinds[rank], rank, thickness, diameter, tolerances::kMinThickness)};
}

/// Four points that span space: the ends of a longest line, the point farthest from that line, the
/// point farthest from that plane. The distances found on the way are the thickness per rank.
std::array<std::uint32_t, 4> findSimplex(const HullPoints& points, std::size_t given) {
  const std::vector<GridPoint>& grid = points.grid;
  const double least = tolerances::kMinThickness * points.diameter;
  const double diameter = points.diameter * points.unit;
  const std::uint32_t p0 =
      farthest(grid, [](const GridPoint& p) { return difference({0, 0, 0}, p).squaredNorm(); });
  const std::uint32_t p1 =
      farthest(grid, [&](const GridPoint& p) { return difference(grid[p0], p).squaredNorm(); });
  const double length = difference(grid[p0], grid[p1]).norm();
  if (length < least || length == 0.0) refuseFlat(given, 0, length * points.unit, diameter);

  const Eigen::Vector3d axis = difference(grid[p0], grid[p1]) / length;
  const auto fromLine = [&](const GridPoint& p) {
    return axis.cross(difference(grid[p0], p)).norm();
  };
  const std::uint32_t p2 = farthest(grid, fromLine);
  const double width = fromLine(grid[p2]);
  if (width < least) refuseFlat(given, 1, width * points.unit, diameter);

  const Eigen::Vector3d normal = triangleNormal(grid[p0], grid[p1], grid[p2]).normalized();
  double above = 0.0;
  double below = 0.0;
  for (const GridPoint& p : grid) {
    const double height = normal.dot(difference(grid[p0], p));
    above = std::max(above, height);
    below = std::min(below, height);
  }
  const double thickness = above - below;
  if (thickness < least) refuseFlat(given, 2, thickness * points.unit, diameter);
  const std::uint32_t p3 = farthest(
      grid, [&](const GridPoint& p) { return std::abs(normal.dot(difference(grid[p0], p))); });
  return {p0, p1, p2, p3};
}

}  // namespace

int orientation(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
  const Eigen::Vector3d u = difference(a, b);
  const Eigen::Vector3d v = difference(a, c);
  const Eigen::Vector3d w = difference(a, d);
  // The differences are exact. Three levels of rounding (product, subtraction, sum of products)
  // over the sum of magnitudes bound the error by less than 8 epsilon.
  const double det = w.x() * (u.y() * v.z() - u.z() * v.y()) +
                     w.y() * (u.z() * v.x() - u.x() * v.z()) +
                     w.z() * (u.x() * v.y() - u.y() * v.x());
  const double magnitude = std::abs(w.x()) * (std::abs(u.y() * v.z()) + std::abs(u.z() * v.y())) +
                           std::abs(w.y()) * (std::abs(u.z() * v.x()) + std::abs(u.x() * v.z())) +
                           std::abs(w.z()) * (std::abs(u.x() * v.y()) + std::abs(u.y() * v.x()));
  if (std::abs(det) > 8.0 * kEpsilon * magnitude) return det > 0.0 ? 1 : -1;
  return exactDotSign(cross(minus(b, a), minus(c, a)), minus(d, a));
}

Eigen::Vector3d triangleNormal(const GridPoint& a, const GridPoint& b, const GridPoint& c) {
  const WideVector n = cross(minus(b, a), minus(c, a));
  return {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)};
}

HullPoints makeHullPoints(std::span<const Eigen::Vector3d> points) {
  if (points.empty()) {
    check::refuse("ConvexPolyhedron.points", "0 points (rank 0, thickness 0 m)",
                  "at least 4 points of rank 3");
  }
  constexpr std::size_t kMaxPoints = 0x7FFFFFFF;  // qhull counts in int
  if (points.size() > kMaxPoints) {
    check::refuse("ConvexPolyhedron.points", fmt::format("{} points", points.size()),
                  fmt::format("at most {} points", kMaxPoints));
  }
  const Bounds bounds = checkedBounds(points);
  const Eigen::Vector3d extent = bounds.upper - bounds.lower;
  const double longest = extent.maxCoeff();
  if (longest == 0.0) refuseFlat(points.size(), 0, 0.0, 0.0);
  check::size("ConvexPolyhedron.points: longest side of the bounds", longest);

  // Half the longest side, with room for the rounding of the middle, fills the grid.
  const int exponent = std::ilogb(longest);
  HullPoints result;
  result.unit = std::ldexp(1.0, exponent - kGridBits);
  result.diameter = extent.norm() / result.unit;
  const double farthestCoordinate =
      std::max(bounds.lower.cwiseAbs().maxCoeff(), bounds.upper.cwiseAbs().maxCoeff());
  result.noise = kEpsilon * farthestCoordinate / result.unit;
  const Eigen::Vector3d centre = bounds.lower + 0.5 * extent;
  const std::vector<GridPoint> grid = snap(points, centre, std::ldexp(1.0, kGridBits - exponent));
  weld(grid, tolerances::kWeld * result.diameter, result);
  result.simplex = findSimplex(result, points.size());
  return result;
}

}  // namespace msd_assets
