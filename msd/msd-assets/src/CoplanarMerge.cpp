#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

#include "msd-assets/src/HullBuilder.hpp"

namespace msd_assets {

namespace {

/// Triangles in one plane: that of the largest of them, the seed.
struct Region {
  std::uint32_t seed;
  std::uint32_t triangleCount;
  Eigen::Vector3d normal;  ///< unit, of the seed
  std::vector<std::uint32_t> rim;
};

class Merger {
 public:
  Merger(const HullPoints& points, const std::vector<HullTriangle>& triangles)
      : grid_{points.grid},
        triangles_{triangles},
        tolerance_{faceWidth(points)},
        pinned_(points.grid.size(), false) {}

  std::optional<std::vector<HullFace>> merge() {
    if (!growRegions()) return std::nullopt;
    // Each pass dissolves a region or pins a point, so the passes come to an end.
    while (!traceRims() || !makeFaces()) {
    }
    return std::move(faces_);
  }

 private:
  [[nodiscard]] Eigen::Vector3d normalOf(std::uint32_t triangle) const {
    const auto& [a, b, c] = triangles_[triangle].corners;
    return triangleNormal(grid_[a], grid_[b], grid_[c]);
  }

  /// Largest triangle first, take in neighbours as long as their corners lie in its plane.
  bool growRegions() {
    std::vector<double> areas(triangles_.size());
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) areas[t] = normalOf(t).norm();
    std::vector<std::uint32_t> order(triangles_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return areas[a] != areas[b] ? areas[a] > areas[b] : a < b;
    });
    region_of_.assign(triangles_.size(), kNoTriangle);
    for (const std::uint32_t seed : order) {
      if (region_of_[seed] != kNoTriangle) continue;
      if (areas[seed] == 0.0) return false;
      startRegion(seed);
      growRegion();
    }
    return true;
  }

  void startRegion(std::uint32_t seed) {
    region_of_[seed] = static_cast<std::uint32_t>(regions_.size());
    regions_.push_back({seed, 1, normalOf(seed).normalized(), {}});
  }

  void growRegion() {
    Region& region = regions_.back();
    const auto index = static_cast<std::uint32_t>(regions_.size() - 1);
    const GridPoint anchor = grid_[triangles_[region.seed].corners[0]];
    const auto inPlane = [&](std::uint32_t corner) {
      return std::abs(region.normal.dot(difference(anchor, grid_[corner]))) <= tolerance_;
    };
    std::vector<std::uint32_t> queue{region.seed};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t other : triangles_[queue[i]].neighbours) {
        if (region_of_[other] != kNoTriangle) continue;
        const auto& corners = triangles_[other].corners;
        if (!std::all_of(corners.begin(), corners.end(), inPlane)) continue;
        region_of_[other] = index;
        ++region.triangleCount;
        queue.push_back(other);
      }
    }
  }

  /// Turns a region back into its triangles, each a region of its own.
  void dissolve(std::uint32_t index) {
    const std::uint32_t seed = regions_[index].seed;
    regions_[index].triangleCount = 1;
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      if (region_of_[t] == index && t != seed) startRegion(t);
    }
  }

  /// The closed line around each region. False when a region had to be dissolved because its rim
  /// is not one simple loop.
  bool traceRims() {
    struct RimSide {
      std::uint32_t region;
      std::uint32_t from;
      std::uint32_t to;
      bool operator<(const RimSide& other) const {
        return region != other.region ? region < other.region : from < other.from;
      }
    };
    std::vector<RimSide> sides;
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      for (unsigned k = 0; k < 3; ++k) {
        const HullTriangle& triangle = triangles_[t];
        if (region_of_[triangle.neighbours[k]] == region_of_[t]) continue;
        sides.push_back({region_of_[t], triangle.corners[k], triangle.corners[(k + 1) % 3]});
      }
    }
    std::sort(sides.begin(), sides.end());
    std::vector<std::uint32_t> tangled;
    auto begin = sides.begin();
    for (std::uint32_t r = 0; r < regions_.size(); ++r) {
      auto end = begin;
      while (end != sides.end() && end->region == r) ++end;
      std::vector<std::uint32_t>& rim = regions_[r].rim;
      rim.clear();
      const auto count = static_cast<std::size_t>(end - begin);
      bool closed = false;
      for (auto side = begin; !closed && side != end && rim.size() < count;) {
        rim.push_back(side->from);
        closed = side->to == rim.front();
        side = std::lower_bound(begin, end, RimSide{r, side->to, 0});
      }
      if (!closed || rim.size() != count) tangled.push_back(r);
      begin = end;
    }
    for (const std::uint32_t r : tangled) dissolve(r);
    return tangled.empty();
  }

  /// True for points where at least three regions meet, or that a triangle needs as its corner.
  void findCorners() {
    std::vector<std::uint32_t> rims(grid_.size(), 0);
    for (const Region& region : regions_) {
      for (const std::uint32_t point : region.rim) ++rims[point];
    }
    is_corner_.assign(grid_.size(), false);
    for (std::size_t i = 0; i < rims.size(); ++i) is_corner_[i] = rims[i] >= 3 || pinned_[i];
  }

  [[nodiscard]] double distanceToLine(std::uint32_t p, std::uint32_t a, std::uint32_t b) const {
    if (b < a) std::swap(a, b);  // both regions along a line must find the same number
    return triangleNormal(grid_[a], grid_[b], grid_[p]).norm() /
           difference(grid_[a], grid_[b]).norm();
  }

  /// The rim without the points that lie on the straight line between two corners.
  [[nodiscard]] std::vector<std::uint32_t> straighten(const std::vector<std::uint32_t>& rim) const {
    const std::size_t size = rim.size();
    std::size_t start = 0;
    while (start < size && !is_corner_[rim[start]]) ++start;
    if (start == size) return {};
    std::vector<std::uint32_t> corners;
    for (std::size_t i = 0; i < size;) {
      const std::uint32_t from = rim[(start + i) % size];
      std::size_t next = i + 1;
      while (!is_corner_[rim[(start + next) % size]]) ++next;
      const std::uint32_t to = rim[(start + next) % size];
      bool straight = from != to;
      for (std::size_t j = i + 1; straight && j < next; ++j) {
        straight = distanceToLine(rim[(start + j) % size], from, to) <= tolerance_;
      }
      corners.push_back(from);
      for (std::size_t j = i + 1; !straight && j < next; ++j) {
        corners.push_back(rim[(start + j) % size]);
      }
      i = next;
    }
    return corners;
  }

  /// No corner turns inwards by more than the tolerance, and the polygon winds once.
  [[nodiscard]] bool isConvex(const std::vector<std::uint32_t>& corners,
                              const Eigen::Vector3d& normal) const {
    const auto turnsLeft = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      const double doubleArea = normal.dot(triangleNormal(grid_[a], grid_[b], grid_[c]));
      return doubleArea >= -tolerance_ * difference(grid_[a], grid_[c]).norm();
    };
    const std::size_t size = corners.size();
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t b = corners[(i + 1) % size];
      const std::uint32_t c = corners[(i + 2) % size];
      if (!turnsLeft(corners[i], b, c) || !turnsLeft(corners[0], corners[i], b)) return false;
    }
    return true;
  }

  /// Polygons from rims. False when something had to change before it can be tried again.
  bool makeFaces() {
    findCorners();
    faces_.clear();
    std::vector<std::uint32_t> bad;
    bool pinned = false;
    for (std::uint32_t r = 0; r < regions_.size(); ++r) {
      const Region& region = regions_[r];
      std::vector<std::uint32_t> corners = straighten(region.rim);
      const bool single = region.triangleCount == 1;
      if (single && corners.size() < 3) {
        for (const std::uint32_t point : region.rim) pinned_[point] = true;
        pinned = true;
      } else if (!single && (corners.size() < 3 || !isConvex(corners, region.normal))) {
        bad.push_back(r);
      } else {
        std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()),
                    corners.end());
        faces_.push_back({std::move(corners), region.normal});
      }
    }
    for (const std::uint32_t r : bad) dissolve(r);
    return bad.empty() && !pinned;
  }

  const std::vector<GridPoint>& grid_;
  const std::vector<HullTriangle>& triangles_;
  double tolerance_;                      ///< [grid units]
  std::vector<bool> pinned_;              ///< by point: may not be dropped
  std::vector<bool> is_corner_;           ///< by point
  std::vector<std::uint32_t> region_of_;  ///< by triangle
  std::vector<Region> regions_;
  std::vector<HullFace> faces_;
};

}  // namespace

std::optional<std::vector<HullFace>> mergeCoplanar(const HullPoints& points,
                                                   const std::vector<HullTriangle>& triangles) {
  return Merger{points, triangles}.merge();
}

std::optional<std::vector<HullFace>> triangleFaces(const HullPoints& points,
                                                   const std::vector<HullTriangle>& triangles) {
  std::vector<HullFace> faces;
  faces.reserve(triangles.size());
  for (const HullTriangle& triangle : triangles) {
    const auto& [a, b, c] = triangle.corners;
    const Eigen::Vector3d normal = triangleNormal(points.grid[a], points.grid[b], points.grid[c]);
    if (normal.squaredNorm() == 0.0) return std::nullopt;
    HullFace face{{a, b, c}, normal.normalized()};
    std::rotate(face.corners.begin(), std::min_element(face.corners.begin(), face.corners.end()),
                face.corners.end());
    faces.push_back(std::move(face));
  }
  return faces;
}

}  // namespace msd_assets
