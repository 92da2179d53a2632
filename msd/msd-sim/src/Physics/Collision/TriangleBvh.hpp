#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "msd-assets/src/HeightField.hpp"
#include "msd-assets/src/TriangleMesh.hpp"
#include "msd-sim/src/DataTypes/Aabb.hpp"
#include "msd-sim/src/Physics/Collision/TerrainGrid.hpp"

namespace msd_sim {

/// What a side of a triangle is on the surface, seen from the front.
enum class SideKind : std::uint8_t {
  kBorder,   ///< nothing beyond it
  kFlush,    ///< the surface goes on in the same plane
  kConvex,   ///< the surface bends away: a ridge
  kConcave,  ///< the surface bends towards the front: a valley
};

/// Where a ray meets a triangle, in the surface's frame.
struct TriangleHit {
  std::uint32_t triangle;
  double distance;  ///< in units of the ray's direction
  Vector3D normal;  ///< unit, front side
};

/// A static surface of triangles, ready for queries: a mesh with a tree of boxes over it, or a
/// terrain, whose grid is its own index.
///
/// Triangles are front side out: counter-clockwise from outside for a mesh, from above for a
/// terrain. Triangle 2c of a terrain is the one below the diagonal of cell c, 2c + 1 the one above.
class TriangleBvh {
 public:
  using Triangle = std::array<Coordinate, 3>;
  static constexpr std::uint32_t kNone = msd_assets::TriangleMesh::kNoNeighbour;

  explicit TriangleBvh(std::shared_ptr<const msd_assets::TriangleMesh> mesh);
  explicit TriangleBvh(std::shared_ptr<const msd_assets::HeightField> field);

  [[nodiscard]] std::uint32_t triangleCount() const { return triangle_count_; }
  [[nodiscard]] bool isTerrain() const { return mesh_ == nullptr; }
  /// Of a terrain only.
  [[nodiscard]] const TerrainGrid& terrain() const { return *terrain_; }
  [[nodiscard]] const Aabb& bounds() const { return bounds_; }
  /// Scale of tolerances on this surface: half the diagonal of its bounds [m].
  [[nodiscard]] double size() const { return size_; }

  [[nodiscard]] Triangle triangle(std::uint32_t index) const;
  /// Numbers of its corners: triangles side by side share them.
  [[nodiscard]] std::array<std::uint32_t, 3> cornerNumbers(std::uint32_t index) const {
    return mesh_ != nullptr ? mesh_->triangles()[index] : terrain_->cornerNumbers(index);
  }
  [[nodiscard]] Coordinate corner(std::uint32_t number) const {
    return mesh_ != nullptr ? mesh_->vertices()[number] : terrain_->corner(number);
  }
  /// Ask for what a look at a triangle reads before it is needed: first the numbers of its corners and
  /// neighbours, later the corners themselves.
  void fetchNumbers(std::uint32_t index) const;
  void fetchCorners(std::uint32_t index) const;
  /// The triangle beyond side k (from corner k to k + 1), or kNone.
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t index, int side) const;
  [[nodiscard]] SideKind sideKind(std::uint32_t index, int side) const;
  /// The corner of the triangle beyond a side that is not on the side. There must be one.
  [[nodiscard]] Coordinate oppositeCorner(std::uint32_t index, int side) const;
  /// The lowest number in the flat region that a triangle belongs to, itself if it stands alone.
  [[nodiscard]] std::uint32_t region(std::uint32_t index) const { return regions_[index]; }

  /// Calls visit(index) for every triangle whose bounds overlap `box`, in ascending order; bounds
  /// may count as up to 1/128 of those of the triangle's three nearest companions wider. Needs no memory
  /// beyond the stack, whatever the number found.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    std::array<std::uint32_t, kBatch> batch;
    std::uint32_t first = 0;
    while (true) {
      const Batch found = collect(box, first, batch);
      for (int i = 0; i < found.count; ++i) visit(batch[i]);
      if (!found.hasMore) return;
      first = batch[found.count - 1] + 1;
    }
  }

  /// The first triangle that the ray origin + t·direction, 0 <= t <= length, meets from either side;
  /// false if none. Shared sides have no gaps.
  [[nodiscard]] bool castRay(const Coordinate& origin, const Vector3D& direction, double length,
                             TriangleHit& hit) const;

  /// The triangle nearest to a point and the nearest point on it, no farther than `limit` [m].
  [[nodiscard]] bool findNearest(const Coordinate& point, double limit, std::uint32_t& triangle,
                                 Coordinate& nearest) const;

  /// Four children in one cache line. A leaf is one triangle, so that its box is its own and a query
  /// needs no look at the triangle itself. Boxes are stored in steps of the node's own size, rounded
  /// outwards, relative to `centre_`: lower = origin + step·2^exponent.
  struct alignas(64) Node {
    std::array<float, 3> origin;
    std::array<std::int8_t, 4> exponent;
    std::array<std::array<std::uint8_t, 4>, 3> lower;
    std::array<std::array<std::uint8_t, 4>, 3> upper;
    std::array<std::uint32_t, 4> child;  ///< node, or kLeaf | triangle; kNone: empty

    /// The step along an axis: a power of two.
    [[nodiscard]] float step(int axis) const {
      return std::bit_cast<float>(static_cast<std::uint32_t>(exponent[axis] + 127) << 23);
    }
  };
  static constexpr std::uint32_t kLeaf = 0x80000000u;
  static constexpr int kMaxDepth = 48;

 private:
  static constexpr int kBatch = 512;
  struct Batch {
    int count;
    bool hasMore;
  };

  [[nodiscard]] Batch collect(const Aabb& box, std::uint32_t first,
                              std::array<std::uint32_t, kBatch>& out) const;
  void classifySides();
  void findRegions();
  [[nodiscard]] SideKind computeSideKind(std::uint32_t index, int side) const;

  std::shared_ptr<const msd_assets::TriangleMesh> mesh_;
  std::shared_ptr<const TerrainGrid> terrain_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> side_kinds_;   ///< two bits a side
  std::vector<std::uint32_t> regions_;     ///< see region()
  Aabb bounds_;
  Coordinate centre_{Coordinate::Zero()};
  double size_{0.0};
  std::uint32_t triangle_count_{0};
};

/// Builds the nodes over a mesh by the surface area heuristic with bins.
void buildTriangleTree(const msd_assets::TriangleMesh& mesh, const Coordinate& centre,
                       std::vector<TriangleBvh::Node>& nodes);

/// Crossing of a ray with a triangle, from either side, without gaps between neighbours. Distance in
/// units of the direction.
[[nodiscard]] bool crossTriangle(const TriangleBvh::Triangle& triangle, const Coordinate& origin,
                                 const Vector3D& direction, double& distance);

/// Nearest point of a triangle; `feature`: 0 to 2 corner, 3 to 5 side, 6 inside.
[[nodiscard]] Coordinate nearestOnTriangle(const TriangleBvh::Triangle& triangle,
                                           const Coordinate& p, int& feature);

}  // namespace msd_sim
