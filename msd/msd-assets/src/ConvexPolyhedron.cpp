#include "msd-assets/src/ConvexPolyhedron.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/HullBuilder.hpp"

namespace msd_assets {

namespace {

constexpr std::size_t kMaxFeatures = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t kLanes = 8;

/// One side of a polygon, as found when walking around it.
struct Side {
  std::uint16_t from;
  std::uint16_t to;
  std::uint16_t face;
  std::uint32_t slot;  ///< position in the list of all sides
};

std::vector<Side> collectSides(std::span<const std::vector<std::uint16_t>> polygons) {
  std::vector<Side> sides;
  for (std::size_t f = 0; f < polygons.size(); ++f) {
    const std::vector<std::uint16_t>& polygon = polygons[f];
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      sides.push_back({polygon[k], polygon[(k + 1) % polygon.size()], static_cast<std::uint16_t>(f),
                       static_cast<std::uint32_t>(sides.size())});
    }
  }
  // The two sides of an edge end up beside each other, the one of the lower face first.
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    const auto key = [](const Side& s) {
      return std::array{std::min(s.from, s.to), std::max(s.from, s.to), s.face};
    };
    return key(a) < key(b);
  });
  return sides;
}

/// Sides of all polygons, each edge counted from both faces; past the limit nothing is built.
void checkFeatureCounts(std::size_t vertices, std::size_t sides) {
  if (vertices > kMaxFeatures || sides / 2 > kMaxFeatures) {
    check::refuse("ConvexPolyhedron.points",
                  fmt::format("a hull of {} vertices and {} edges", vertices, sides / 2),
                  fmt::format("at most {} of each", kMaxFeatures));
  }
}

/// max n·v over all vertices: the outermost one sets a face's plane, so that none is in front of
/// it.
double greatestProjection(const Eigen::Vector3d& n, const std::vector<double>& xs,
                          const std::vector<double>& ys, const std::vector<double>& zs) {
  using Map = Eigen::Map<const Eigen::ArrayXd>;
  const auto size = static_cast<Eigen::Index>(xs.size());
  return (n.x() * Map{xs.data(), size} + n.y() * Map{ys.data(), size} +
          n.z() * Map{zs.data(), size})
      .maxCoeff();
}

}  // namespace

ConvexPolyhedron::ConvexPolyhedron(std::vector<Eigen::Vector3d> vertices,
                                   std::span<const std::vector<std::uint16_t>> polygons,
                                   std::span<const Eigen::Vector3d> normals,
                                   std::size_t weldedPoints)
    : vertices_{std::move(vertices)}, welded_points_{weldedPoints} {
  const std::size_t padded = (vertices_.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded; ++i) {
    const Eigen::Vector3d& v = vertices_[i < vertices_.size() ? i : 0];
    xs_.push_back(v.x());
    ys_.push_back(v.y());
    zs_.push_back(v.z());
    bounding_radius_ = std::max(bounding_radius_, v.norm());
  }

  for (std::size_t f = 0; f < polygons.size(); ++f) {
    faces_.push_back({normals[f], greatestProjection(normals[f], xs_, ys_, zs_),
                      static_cast<std::uint32_t>(face_vertices_.size()),
                      static_cast<std::uint32_t>(polygons[f].size())});
    face_vertices_.insert(face_vertices_.end(), polygons[f].begin(), polygons[f].end());
  }

  const std::vector<Side> sides = collectSides(polygons);
  face_edges_.resize(sides.size());
  for (std::size_t i = 0; i + 1 < sides.size(); i += 2) {
    const Side& first = sides[i];
    const Side& second = sides[i + 1];
    const auto edge = static_cast<std::uint16_t>(edges_.size());
    face_edges_[first.slot] = edge;
    face_edges_[second.slot] = edge;
    edges_.push_back({first.from, first.to, first.face, second.face});
  }
  listPlanes();
  listVertexFaces();
}

void ConvexPolyhedron::listPlanes() {
  const std::size_t padded = (faces_.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded; ++i) {
    const Face& face = faces_[i < faces_.size() ? i : 0];
    plane_xs_.push_back(face.normal.x());
    plane_ys_.push_back(face.normal.y());
    plane_zs_.push_back(face.normal.z());
    plane_offsets_.push_back(face.offset);
  }
}

void ConvexPolyhedron::listVertexFaces() {
  first_face_.assign(vertices_.size() + 1, 0);
  for (const std::uint16_t v : face_vertices_) ++first_face_[v + 1u];
  std::partial_sum(first_face_.begin(), first_face_.end(), first_face_.begin());
  vertex_faces_.resize(face_vertices_.size());
  std::vector<std::uint32_t> next(first_face_.begin(), first_face_.end() - 1);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    for (const std::uint16_t v : faceVertices(faces_[f]))
      vertex_faces_[next[v]++] = static_cast<std::uint16_t>(f);
  }
}

ConvexPolyhedron ConvexPolyhedron::fromPoints(std::span<const Eigen::Vector3d> points) {
  const HullPoints hullPoints = makeHullPoints(points);
  const std::vector<HullFace> faces = buildHullFaces(hullPoints);

  std::size_t sides = 0;
  std::vector<std::uint32_t> vertexOf(hullPoints.grid.size(), 0);
  for (const HullFace& face : faces) {
    sides += face.corners.size();
    for (const std::uint32_t corner : face.corners) vertexOf[corner] = 1;
  }
  std::vector<Eigen::Vector3d> vertices;
  for (std::size_t i = 0; i < vertexOf.size(); ++i) {
    if (vertexOf[i] == 0) continue;
    vertexOf[i] = static_cast<std::uint32_t>(vertices.size());
    vertices.push_back(points[hullPoints.source[i]]);
  }
  checkFeatureCounts(vertices.size(), sides);

  std::vector<std::vector<std::uint16_t>> polygons;
  std::vector<Eigen::Vector3d> normals;
  for (const HullFace& face : faces) {
    std::vector<std::uint16_t>& polygon = polygons.emplace_back();
    for (const std::uint32_t corner : face.corners) {
      polygon.push_back(static_cast<std::uint16_t>(vertexOf[corner]));
    }
    normals.push_back(face.normal);
  }
  return {std::move(vertices), polygons, normals, hullPoints.weldedPoints};
}

ConvexPolyhedron ConvexPolyhedron::box(const Eigen::Vector3d& halfExtents) {
  static constexpr const char* kNames[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    check::positiveLength(fmt::format("ConvexPolyhedron.halfExtents.{}", kNames[i]),
                          halfExtents[i]);
  }
  // Corner 4i + 2j + k lies at (±x, ±y, ±z), minus first.
  std::vector<Eigen::Vector3d> vertices;
  vertices.reserve(8);
  for (int corner = 0; corner < 8; ++corner) {
    vertices.push_back({(corner & 4) != 0 ? halfExtents.x() : -halfExtents.x(),
                        (corner & 2) != 0 ? halfExtents.y() : -halfExtents.y(),
                        (corner & 1) != 0 ? halfExtents.z() : -halfExtents.z()});
  }
  const std::vector<std::vector<std::uint16_t>> polygons{{0, 1, 3, 2}, {0, 2, 6, 4}, {0, 4, 5, 1},
                                                         {1, 5, 7, 3}, {2, 3, 7, 6}, {4, 6, 7, 5}};
  const std::vector<Eigen::Vector3d> normals{{-1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, -1.0, 0.0},
                                             {0.0, 0.0, 1.0},  {0.0, 1.0, 0.0},  {1.0, 0.0, 0.0}};
  return {std::move(vertices), polygons, normals, 0};
}

}  // namespace msd_assets
