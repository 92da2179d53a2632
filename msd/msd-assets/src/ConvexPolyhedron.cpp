#include "msd-assets/src/ConvexPolyhedron.hpp"

#include <algorithm>
#include <array>
#include <cstring>
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

/// What is packed into one piece of memory.
struct ConvexPolyhedron::Lists {
  std::array<std::vector<double>, 3> coordinates;  ///< of the vertices, padded
  std::array<std::vector<double>, 4> planes;       ///< of the faces, padded
  std::vector<Edge> edges;
  std::vector<std::uint32_t> faceFirst;
  std::vector<std::uint16_t> faceVertices, faceEdges;
  std::vector<std::uint32_t> vertexFirst;
  std::vector<std::uint16_t> vertexFaces, vertexEdges;

  void listVertices(std::span<const Eigen::Vector3d> vertices);
  void listPlanes(std::span<const Face> faces);
  void listAroundVertices(std::size_t vertices);
};

void ConvexPolyhedron::Lists::listVertices(std::span<const Eigen::Vector3d> vertices) {
  const std::size_t padded = (vertices.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded; ++i) {
    const Eigen::Vector3d& v = vertices[i < vertices.size() ? i : 0];
    for (std::size_t c = 0; c < 3; ++c) coordinates[c].push_back(v[static_cast<Eigen::Index>(c)]);
  }
}

void ConvexPolyhedron::Lists::listPlanes(std::span<const Face> faces) {
  const std::size_t padded = (faces.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded; ++i) {
    const Face& face = faces[i < faces.size() ? i : 0];
    for (std::size_t c = 0; c < 3; ++c)
      planes[c].push_back(face.normal[static_cast<Eigen::Index>(c)]);
    planes[3].push_back(face.offset);
  }
}

// As many faces meet in a vertex as edges.
void ConvexPolyhedron::Lists::listAroundVertices(std::size_t vertices) {
  vertexFirst.assign(vertices + 1, 0);
  for (const std::uint16_t v : faceVertices) ++vertexFirst[v + 1u];
  std::partial_sum(vertexFirst.begin(), vertexFirst.end(), vertexFirst.begin());
  vertexFaces.resize(faceVertices.size());
  std::vector<std::uint32_t> next(vertexFirst.begin(), vertexFirst.end() - 1);
  for (std::size_t f = 0; f + 1 < faceFirst.size(); ++f) {
    for (std::uint32_t k = faceFirst[f]; k < faceFirst[f + 1]; ++k) {
      vertexFaces[next[faceVertices[k]]++] = static_cast<std::uint16_t>(f);
    }
  }
  vertexEdges.resize(faceVertices.size());
  next.assign(vertexFirst.begin(), vertexFirst.end() - 1);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    vertexEdges[next[edges[e].vertex0]++] = static_cast<std::uint16_t>(e);
    vertexEdges[next[edges[e].vertex1]++] = static_cast<std::uint16_t>(e);
  }
}

ConvexPolyhedron::ConvexPolyhedron(std::vector<Eigen::Vector3d> vertices,
                                   std::span<const std::vector<std::uint16_t>> polygons,
                                   std::span<const Eigen::Vector3d> normals,
                                   std::size_t weldedPoints)
    : vertices_{std::move(vertices)}, welded_points_{weldedPoints} {
  for (const Eigen::Vector3d& v : vertices_)
    bounding_radius_ = std::max(bounding_radius_, v.norm());
  Lists lists;
  lists.listVertices(vertices_);
  const auto& [xs, ys, zs] = lists.coordinates;
  for (std::size_t f = 0; f < polygons.size(); ++f) {
    lists.faceFirst.push_back(static_cast<std::uint32_t>(lists.faceVertices.size()));
    faces_.push_back({normals[f], greatestProjection(normals[f], xs, ys, zs),
                      lists.faceFirst.back(), static_cast<std::uint32_t>(polygons[f].size())});
    lists.faceVertices.insert(lists.faceVertices.end(), polygons[f].begin(), polygons[f].end());
  }
  lists.faceFirst.push_back(static_cast<std::uint32_t>(lists.faceVertices.size()));

  const std::vector<Side> sides = collectSides(polygons);
  lists.faceEdges.resize(sides.size());
  for (std::size_t i = 0; i + 1 < sides.size(); i += 2) {
    const Side& first = sides[i];
    const Side& second = sides[i + 1];
    const auto edge = static_cast<std::uint16_t>(lists.edges.size());
    lists.faceEdges[first.slot] = edge;
    lists.faceEdges[second.slot] = edge;
    lists.edges.push_back({first.from, first.to, first.face, second.face});
  }
  lists.listPlanes(faces_);
  lists.listAroundVertices(vertices_.size());
  pack(lists);
}

// What most tests read comes first: coordinates, planes, edges.
void ConvexPolyhedron::pack(const Lists& lists) {
  const auto counted = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  parts_.vertexCount = counted(vertices_);
  parts_.paddedVertices = counted(lists.coordinates[0]);
  parts_.faceCount = counted(faces_);
  parts_.paddedFaces = counted(lists.planes[0]);
  parts_.edgeCount = counted(lists.edges);
  std::vector<std::byte> bytes;
  const auto append = [&bytes]<class T>(const std::vector<T>& list) {
    bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto at = static_cast<std::uint32_t>(bytes.size());
    const auto added = std::as_bytes(std::span{list});
    bytes.insert(bytes.end(), added.begin(), added.end());
    return at;
  };
  for (const std::vector<double>& list : lists.coordinates) append(list);
  parts_.planes = append(lists.planes[0]);
  for (std::size_t c = 1; c < lists.planes.size(); ++c) append(lists.planes[c]);
  parts_.edges = append(lists.edges);
  parts_.faceFirst = append(lists.faceFirst);
  parts_.faceVertices = append(lists.faceVertices);
  parts_.faceEdges = append(lists.faceEdges);
  parts_.vertexFirst = append(lists.vertexFirst);
  parts_.vertexFaces = append(lists.vertexFaces);
  parts_.vertexEdges = append(lists.vertexEdges);
  lines_.resize((bytes.size() + sizeof(Line) - 1) / sizeof(Line));
  std::memcpy(lines_.data(), bytes.data(), bytes.size());
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
