#include <Eigen/Core>
#include <utility>

#include "msd-assets/src/HullTriangles.hpp"

namespace msd_assets {

namespace {

/// A triangle under construction with the points that lie in front of it; each such point belongs
/// to one triangle only.
struct Facet {
  HullTriangle triangle;
  std::vector<std::uint32_t> outside;
  std::uint32_t farthest{kNoTriangle};
  double farthestHeight{0.0};
  bool removed{false};
};

/// A side of the region that a new point sees: runs from `from` to `to`, `beyond` stays.
struct HorizonSide {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t beyond;
};

class Quickhull {
 public:
  explicit Quickhull(const HullPoints& points)
      : grid_{points.grid}, starting_at_(points.grid.size(), kNoTriangle) {
    makeSimplex(points.simplex);
  }

  std::vector<HullTriangle> build() {
    for (std::uint32_t f = 0; f < facets_.size(); ++f) {
      // New facets go to the end of the list: every facet is looked at once.
      if (!facets_[f].removed && !facets_[f].outside.empty()) addPoint(f);
    }
    return collect();
  }

 private:
  /// Strictly in front: a point in the plane of a facet does not see it. On a convex surface the
  /// strictly visible facets form a disc whose rim is a simple cycle.
  [[nodiscard]] bool sees(std::uint32_t point, const Facet& facet) const {
    const auto& [a, b, c] = facet.triangle.corners;
    return orientation(grid_[a], grid_[b], grid_[c], grid_[point]) > 0;
  }

  void makeSimplex(std::array<std::uint32_t, 4> s) {
    if (orientation(grid_[s[0]], grid_[s[1]], grid_[s[2]], grid_[s[3]]) > 0) std::swap(s[0], s[1]);
    // Corner 3 lies behind (0, 1, 2); each side of the base carries one more triangle.
    facets_.resize(4);
    facets_[0].triangle = {{s[0], s[1], s[2]}, {1, 2, 3}};
    facets_[1].triangle = {{s[1], s[0], s[3]}, {0, 3, 2}};
    facets_[2].triangle = {{s[2], s[1], s[3]}, {0, 1, 3}};
    facets_[3].triangle = {{s[0], s[2], s[3]}, {0, 2, 1}};
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < grid_.size(); ++i) {
      if (i != s[0] && i != s[1] && i != s[2] && i != s[3]) all.push_back(i);
    }
    distribute(all, 0);
  }

  /// Gives each point to the first facet from `first` on that it sees; the others lie inside.
  void distribute(const std::vector<std::uint32_t>& candidates, std::uint32_t first) {
    for (const std::uint32_t point : candidates) {
      for (std::uint32_t f = first; f < facets_.size(); ++f) {
        if (!sees(point, facets_[f])) continue;
        give(point, facets_[f]);
        break;
      }
    }
  }

  void give(std::uint32_t point, Facet& facet) const {
    const auto& [a, b, c] = facet.triangle.corners;
    const double height =
        triangleNormal(grid_[a], grid_[b], grid_[c]).dot(difference(grid_[a], grid_[point]));
    if (facet.farthest == kNoTriangle || height > facet.farthestHeight) {
      facet.farthest = point;
      facet.farthestHeight = height;
    }
    facet.outside.push_back(point);
  }

  /// The facets that the point sees, from `start` on, and the rim around them.
  void findVisible(std::uint32_t point, std::uint32_t start) {
    visible_.assign(1, start);
    horizon_.clear();
    facets_[start].removed = true;
    for (std::size_t i = 0; i < visible_.size(); ++i) {
      const HullTriangle triangle = facets_[visible_[i]].triangle;
      for (unsigned k = 0; k < 3; ++k) {
        const std::uint32_t other = triangle.neighbours[k];
        if (facets_[other].removed) continue;
        if (sees(point, facets_[other])) {
          facets_[other].removed = true;
          visible_.push_back(other);
        } else {
          horizon_.push_back({triangle.corners[k], triangle.corners[(k + 1) % 3], other});
        }
      }
    }
  }

  /// Replaces what the farthest point of facet f sees by a cone from the rim to the point.
  void addPoint(std::uint32_t f) {
    const std::uint32_t apex = facets_[f].farthest;
    findVisible(apex, f);
    const auto first = static_cast<std::uint32_t>(facets_.size());
    for (const HorizonSide& side : horizon_) {
      const auto index = static_cast<std::uint32_t>(facets_.size());
      starting_at_[side.from] = index;
      Facet& facet = facets_.emplace_back();
      facet.triangle = {{side.from, side.to, apex}, {side.beyond, kNoTriangle, kNoTriangle}};
      relink(facets_[side.beyond].triangle, side, index);
    }
    for (std::uint32_t i = first; i < facets_.size(); ++i) {
      const std::uint32_t following = starting_at_[facets_[i].triangle.corners[1]];
      facets_[i].triangle.neighbours[1] = following;
      facets_[following].triangle.neighbours[2] = i;
    }
    // A point that saw a removed facet and lies outside the new hull sees a new facet: its view
    // either ended inside the removed region or crossed the rim, and there it lies in front of the
    // facets on both sides, hence of the one put between them.
    for (const std::uint32_t old : visible_) {
      std::vector<std::uint32_t> orphans = std::exchange(facets_[old].outside, {});
      std::erase(orphans, apex);
      distribute(orphans, first);
    }
  }

  static void relink(HullTriangle& beyond, const HorizonSide& side, std::uint32_t index) {
    for (unsigned k = 0; k < 3; ++k) {
      if (beyond.corners[k] == side.to && beyond.corners[(k + 1) % 3] == side.from) {
        beyond.neighbours[k] = index;
      }
    }
  }

  [[nodiscard]] std::vector<HullTriangle> collect() const {
    std::vector<std::uint32_t> newIndex(facets_.size(), kNoTriangle);
    std::vector<HullTriangle> result;
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      if (facets_[f].removed) continue;
      newIndex[f] = static_cast<std::uint32_t>(result.size());
      result.push_back(facets_[f].triangle);
    }
    for (HullTriangle& triangle : result) {
      for (std::uint32_t& neighbour : triangle.neighbours) neighbour = newIndex[neighbour];
    }
    return result;
  }

  const std::vector<GridPoint>& grid_;
  std::vector<Facet> facets_;
  std::vector<std::uint32_t> starting_at_;  ///< by vertex: the new facet whose rim side starts here
  std::vector<std::uint32_t> visible_;
  std::vector<HorizonSide> horizon_;
};

}  // namespace

std::vector<HullTriangle> exactHullTriangles(const HullPoints& points) {
  return Quickhull{points}.build();
}

}  // namespace msd_assets
