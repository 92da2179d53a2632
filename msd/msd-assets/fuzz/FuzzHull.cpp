#include <cstring>
#include <vector>

#include "msd-assets/fuzz/FuzzChecks.hpp"
#include "msd-assets/src/HullBuilder.hpp"

namespace {

using Eigen::Vector3d;

template <class Number>
std::vector<double> numbers(const std::uint8_t* data, std::size_t size) {
  std::vector<double> result;
  for (std::size_t at = 0; at + sizeof(Number) <= size; at += sizeof(Number)) {
    Number value;
    std::memcpy(&value, data + at, sizeof(Number));
    result.push_back(static_cast<double>(value));
  }
  return result;
}

/// The first byte says how the others become coordinates: any double, any float, a lattice, a
/// lattice shaken by roundings, a lattice pressed flat or drawn out, or one far from the origin.
std::vector<Vector3d> makePoints(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return {};
  const unsigned mode = data[0] % 8;
  std::vector<double> c;
  if (mode == 0) {
    c = numbers<double>(data + 1, size - 1);
  } else if (mode == 1) {
    c = numbers<float>(data + 1, size - 1);
  } else {
    c = numbers<std::int8_t>(data + 1, size - 1);
  }
  std::vector<Vector3d> points;
  for (std::size_t i = 0; i + 2 < c.size(); i += 3) {
    Vector3d p{c[i], c[i + 1], c[i + 2]};
    const double shake = static_cast<double>(i * 2654435761u % 1024) - 512.0;
    if (mode == 3) p *= 1.0 + 2e-16 * shake;
    if (mode == 4) p += 1e-12 * shake * Vector3d{p.y(), p.z(), p.x()};
    if (mode == 5) p = {p.x(), p.y(), 3e-7 * p.z() + 0.3 * p.x()};
    if (mode == 6) p = {p.x(), 1e-5 * p.y(), 1e-5 * p.z() + p.x() / 3.0};
    if (mode == 7) p += Vector3d{1e6 / 3.0, -1e5, 1e4};
    points.push_back(p);
  }
  return points;
}

void checkHull(const msd_assets::ConvexPolyhedron& hull) {
  using msd_assets::fuzz::require;
  const auto vertices = hull.vertices();
  require(vertices.size() + hull.faces().size() == hull.edges().size() + 2, "Euler");
  Eigen::AlignedBox3d bounds;
  for (const Vector3d& v : vertices) bounds.extend(v);
  const double slack = 1e-12 * bounds.diagonal().norm() + 2e-14 * hull.boundingRadius();
  for (const auto& face : hull.faces()) {
    require(std::abs(face.normal.norm() - 1.0) < 1e-14, "unit normals");
    const Vector3d& anchor = vertices[hull.faceVertices(face)[0]];
    for (const Vector3d& v : vertices) {
      require(face.normal.dot(v - anchor) <= slack, "every vertex behind every face");
    }
    for (const std::uint16_t v : hull.faceVertices(face)) {
      require(std::abs(face.normal.dot(vertices[v] - anchor)) <= slack, "corners in their plane");
    }
  }
  for (const auto& edge : hull.edges()) {
    require(edge.face0 < edge.face1 && edge.vertex0 != edge.vertex1, "edges join two faces");
  }
}

/// The exact way, which fromPoints takes where qhull's hull is not convex enough: merging must
/// leave a valid hull, and so must the bare triangles.
void checkExactWay(const std::vector<Vector3d>& points) {
  using msd_assets::fuzz::require;
  const msd_assets::HullPoints distinct = msd_assets::makeHullPoints(points);
  const auto surface = msd_assets::exactHullTriangles(distinct);
  for (const auto& [corners, neighbours] : surface) {
    for (const msd_assets::GridPoint& p : distinct.grid) {
      require(orientation(distinct.grid[corners[0]], distinct.grid[corners[1]],
                          distinct.grid[corners[2]], p) <= 0,
              "no point in front of an exact triangle");
    }
  }
  const auto merged = msd_assets::mergeCoplanar(distinct, surface);
  const auto bare = msd_assets::triangleFaces(distinct, surface);
  require(merged && isValidHull(distinct, surface, *merged), "merged exact hull is valid");
  require(bare && isValidHull(distinct, surface, *bare), "bare exact hull is valid");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::vector<Vector3d> points = makePoints(data, size);
    const auto hull = std::make_shared<const msd_assets::ConvexPolyhedron>(
        msd_assets::ConvexPolyhedron::fromPoints(points));
    checkHull(*hull);
    checkExactWay(points);
    msd_assets::fuzz::checkMass(msd_assets::computeMassProperties(msd_assets::Hull{hull}));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
