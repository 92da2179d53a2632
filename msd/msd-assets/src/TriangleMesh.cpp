#include "msd-assets/src/TriangleMesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "msd-assets/src/Check.hpp"

namespace msd_assets {

namespace {

using Triangle = TriangleMesh::Triangle;
using Report = TriangleMesh::Report;

void checkInput(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> triangles) {
  if (vertices.empty() || vertices.size() >= TriangleMesh::kNoNeighbour) {
    check::refuse("TriangleMesh.vertices", fmt::format("{} vertices", vertices.size()),
                  "at least 3 and fewer than 2^32 - 1");
  }
  if (triangles.empty() || triangles.size() > tolerances::kMaxTriangles) {
    check::refuse("TriangleMesh.triangles", fmt::format("{} triangles", triangles.size()),
                  fmt::format("at least 1 and at most {}", tolerances::kMaxTriangles));
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!check::isPoint(vertices[i])) {
      check::refuse(fmt::format("TriangleMesh.vertices[{}]", i), check::text(vertices[i]) + " m",
                    check::coordinateRange());
    }
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t index : triangles[t]) {
      if (index < vertices.size()) continue;
      check::refuse(fmt::format("TriangleMesh.triangles[{}]", t),
                    fmt::format("({}, {}, {})", triangles[t][0], triangles[t][1], triangles[t][2]),
                    fmt::format("indices below the number of vertices, {}", vertices.size()));
    }
  }
}

/// Whether the height of a triangle over its longest side is more than rounding noise.
bool hasArea(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const double longest =
      std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return (b - a).cross(c - a).norm() > tolerances::kFlatTriangle * longest;
}

/// A side of a triangle, kept under its lower vertex.
struct Side {
  std::uint32_t higher;  ///< the other vertex
  std::uint32_t place;   ///< 3 · triangle + side
};

/// The sides of all triangles, grouped by their lower vertex and, within, sorted by the higher one:
/// sides of one edge stand together, in the order of the triangles.
struct SideTable {
  std::vector<std::uint32_t> first;  ///< by vertex: where its sides start; one more at the end
  std::vector<Side> sides;
};

SideTable groupSides(std::size_t vertexCount, std::span<const Triangle> triangles) {
  SideTable table;
  table.first.assign(vertexCount + 1, 0);
  const auto forEachSide = [&](auto visit) {
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t a = triangles[t][k];
        const std::uint32_t b = triangles[t][k == 2 ? 0 : k + 1];
        visit(std::min(a, b), Side{std::max(a, b), 3 * t + k});
      }
    }
  };
  forEachSide([&](std::uint32_t lower, const Side&) { ++table.first[lower + 1]; });
  for (std::size_t v = 0; v < vertexCount; ++v) table.first[v + 1] += table.first[v];
  std::vector<std::uint32_t> cursor(table.first.begin(), table.first.end() - 1);
  table.sides.resize(3 * triangles.size());
  forEachSide([&](std::uint32_t lower, const Side& side) { table.sides[cursor[lower]++] = side; });
  for (std::size_t v = 0; v < vertexCount; ++v) {
    std::sort(table.sides.begin() + table.first[v], table.sides.begin() + table.first[v + 1],
              [](const Side& a, const Side& b) {
                return a.higher != b.higher ? a.higher < b.higher : a.place < b.place;
              });
  }
  return table;
}

/// The first place where a defect was seen, for the report.
struct FirstPlaces {
  std::uint32_t border{TriangleMesh::kNoNeighbour};
  std::uint32_t nonManifold{TriangleMesh::kNoNeighbour};
  std::uint32_t flipped{TriangleMesh::kNoNeighbour};
};

void noteEdge(std::span<const Side> sides, std::span<const Triangle> triangles,
              std::vector<std::array<std::uint32_t, 3>>& neighbours, Report& report,
              FirstPlaces& first) {
  const std::uint32_t place = sides[0].place;
  if (sides.size() == 1) {
    ++report.borderEdges;
    first.border = std::min(first.border, place);
  } else if (sides.size() > 2) {
    ++report.nonManifoldEdges;
    first.nonManifold = std::min(first.nonManifold, place);
  } else {
    const std::uint32_t other = sides[1].place;
    neighbours[place / 3][place % 3] = other / 3;
    neighbours[other / 3][other % 3] = place / 3;
    // Neighbours of one orientation run along their edge in opposite directions.
    if (triangles[place / 3][place % 3] == triangles[other / 3][other % 3]) {
      ++report.flippedEdges;
      first.flipped = std::min(first.flipped, place);
    }
  }
}

FirstPlaces findNeighbours(std::size_t vertexCount, std::span<const Triangle> triangles,
                           std::vector<std::array<std::uint32_t, 3>>& neighbours, Report& report) {
  constexpr std::uint32_t kNone = TriangleMesh::kNoNeighbour;
  neighbours.assign(triangles.size(), {kNone, kNone, kNone});
  const SideTable table = groupSides(vertexCount, triangles);
  FirstPlaces first;
  for (std::size_t v = 0; v < vertexCount; ++v) {
    for (std::uint32_t i = table.first[v]; i < table.first[v + 1];) {
      std::uint32_t end = i + 1;
      while (end < table.first[v + 1] && table.sides[end].higher == table.sides[i].higher) ++end;
      noteEdge({table.sides.data() + i, end - i}, triangles, neighbours, report, first);
      i = end;
    }
  }
  return first;
}

/// Whether a closed surface encloses a negative volume, by more than rounding: tetrahedra from one
/// vertex to every triangle, with area x diameter as the scale.
bool enclosesNegativeVolume(std::span<const Eigen::Vector3d> vertices,
                            std::span<const Triangle> triangles) {
  const Eigen::Vector3d& apex = vertices[triangles[0][0]];
  double volume = 0.0;
  double area = 0.0;
  double reach = 0.0;
  for (const Triangle& t : triangles) {
    const Eigen::Vector3d arm = vertices[t[0]] - apex;
    const Eigen::Vector3d normal =
        (vertices[t[1]] - vertices[t[0]]).cross(vertices[t[2]] - vertices[t[0]]);
    volume += arm.dot(normal) / 6.0;
    area += 0.5 * normal.norm();
    reach = std::max(reach, arm.norm());
  }
  return volume < -tolerances::kNoVolume * area * reach;
}

std::string sidePlace(std::uint32_t place, std::span<const Triangle> triangles) {
  const Triangle& t = triangles[place / 3];
  const std::uint32_t k = place % 3;
  return fmt::format("triangle {}, vertices {} and {}", place / 3, t[k], t[(k + 1) % 3]);
}

/// "1 edge belongs", "2 edges belong".
std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void writeWarnings(const FirstPlaces& first, std::span<const Triangle> triangles, Report& report) {
  std::vector<std::string>& out = report.warnings;
  if (report.droppedTriangles > 0) {
    out.push_back(counted(report.droppedTriangles, "triangle without area was dropped.",
                          "triangles without area were dropped."));
  }
  if (report.borderEdges > 0) {
    out.push_back(fmt::format(
        "The surface is open: {} to one triangle only (first at {}); it encloses no volume.",
        counted(report.borderEdges, "edge belongs", "edges belong"),
        sidePlace(first.border, triangles)));
  }
  if (report.nonManifoldEdges > 0) {
    out.push_back(fmt::format("The surface branches: {} to more than two triangles (first at {}).",
                              counted(report.nonManifoldEdges, "edge belongs", "edges belong"),
                              sidePlace(first.nonManifold, triangles)));
  }
  if (report.flippedEdges > 0) {
    out.push_back(fmt::format(
        "The orientation is inconsistent: {} triangles that face opposite sides (first at {}).",
        counted(report.flippedEdges, "edge joins", "edges join"),
        sidePlace(first.flipped, triangles)));
  }
  if (report.insideOut) {
    out.emplace_back(
        "The surface is inside out: its triangles face inwards; mass is measured by the absolute "
        "value of the volume.");
  }
}

}  // namespace

TriangleMesh::TriangleMesh(std::vector<Eigen::Vector3d> vertices, std::vector<Triangle> triangles)
    : vertices_{std::move(vertices)}, triangles_{std::move(triangles)} {
  checkInput(vertices_, triangles_);
  const std::size_t given = triangles_.size();
  std::erase_if(triangles_, [&](const Triangle& t) {
    return !hasArea(vertices_[t[0]], vertices_[t[1]], vertices_[t[2]]);
  });
  report_.droppedTriangles = given - triangles_.size();
  if (triangles_.empty()) {
    check::refuse("TriangleMesh.triangles", fmt::format("{} triangles without area", given),
                  "at least one triangle with an area");
  }
  const FirstPlaces first = findNeighbours(vertices_.size(), triangles_, neighbours_, report_);
  report_.insideOut = isClosed() && enclosesNegativeVolume(vertices_, triangles_);
  writeWarnings(first, triangles_, report_);
}

}  // namespace msd_assets
