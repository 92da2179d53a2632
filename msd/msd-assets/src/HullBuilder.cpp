#include "msd-assets/src/HullBuilder.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "msd-assets/src/Check.hpp"

namespace msd_assets {

namespace {

/// Coordinates of the points that a face is checked against, as arrays [grid units].
struct Cloud {
  Eigen::ArrayXd x;
  Eigen::ArrayXd y;
  Eigen::ArrayXd z;
};

/// No point stands in front of the plane of the face by more than the slack, and its own corners
/// not behind it by more either. A normal that is not a number fails.
bool isSupporting(const HullPoints& points, const Cloud& cloud, const HullFace& face,
                  double slack) {
  const GridPoint& first = points.grid[face.corners[0]];
  for (const std::uint32_t corner : face.corners) {
    const double height = face.normal.dot(difference(first, points.grid[corner]));
    if (!(std::abs(height) <= slack)) return false;
  }
  const Eigen::Vector3d anchor = difference({0, 0, 0}, first);
  const double greatest =
      (face.normal.x() * (cloud.x - anchor.x()) + face.normal.y() * (cloud.y - anchor.y()) +
       face.normal.z() * (cloud.z - anchor.z()))
          .maxCoeff();
  return greatest <= slack;
}

/// All distinct points; where that would take long, the corners of the surface.
Cloud makeCloud(const HullPoints& points, const std::vector<HullTriangle>& surface,
                std::size_t faceCount) {
  std::vector<bool> chosen(points.grid.size(), true);
  if (points.grid.size() > tolerances::kMaxPointChecks / faceCount) {
    chosen.assign(points.grid.size(), false);
    for (const HullTriangle& triangle : surface) {
      for (const std::uint32_t corner : triangle.corners) chosen[corner] = true;
    }
  }
  const auto size = std::count(chosen.begin(), chosen.end(), true);
  Cloud cloud{Eigen::ArrayXd{size}, Eigen::ArrayXd{size}, Eigen::ArrayXd{size}};
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]) continue;
    cloud.x[next] = static_cast<double>(points.grid[i].x);
    cloud.y[next] = static_cast<double>(points.grid[i].y);
    cloud.z[next] = static_cast<double>(points.grid[i].z);
    ++next;
  }
  return cloud;
}

/// V - E + F = 2 with every side matched by its reverse in exactly one other face.
bool isClosedSphere(std::size_t pointCount, const std::vector<HullFace>& faces) {
  std::vector<std::array<std::uint32_t, 2>> sides;
  std::vector<bool> used(pointCount, false);
  for (const HullFace& face : faces) {
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      const std::uint32_t from = face.corners[i];
      sides.push_back({from, face.corners[(i + 1) % face.corners.size()]});
      used[from] = true;
    }
  }
  std::sort(sides.begin(), sides.end());
  if (std::adjacent_find(sides.begin(), sides.end()) != sides.end()) return false;
  for (const auto& [from, to] : sides) {
    if (!std::binary_search(sides.begin(), sides.end(), std::array{to, from})) return false;
  }
  const auto vertices = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
  return vertices + faces.size() == sides.size() / 2 + 2;
}

/// Six times the volume, from a fan of tetrahedra per face [grid units³].
double sixfoldVolume(const HullPoints& points, const std::vector<HullFace>& faces) {
  const GridPoint& apex = points.grid[faces.front().corners.front()];
  double sum = 0.0;
  for (const HullFace& face : faces) {
    const GridPoint& a = points.grid[face.corners[0]];
    for (std::size_t i = 1; i + 1 < face.corners.size(); ++i) {
      const GridPoint& b = points.grid[face.corners[i]];
      const GridPoint& c = points.grid[face.corners[i + 1]];
      sum += triangleNormal(a, b, c).dot(difference(apex, a));
    }
  }
  return sum;
}

std::optional<std::vector<HullFace>> validOnly(const HullPoints& points,
                                               const std::vector<HullTriangle>& surface,
                                               std::optional<std::vector<HullFace>> faces) {
  if (faces && isValidHull(points, surface, *faces)) return faces;
  return std::nullopt;
}

std::optional<std::vector<HullFace>> findHullFaces(const HullPoints& points) {
  if (const auto surface = qhullTriangles(points)) {
    if (auto faces = validOnly(points, *surface, mergeCoplanar(points, *surface))) return faces;
  }
  const std::vector<HullTriangle> surface = exactHullTriangles(points);
  if (auto faces = validOnly(points, surface, mergeCoplanar(points, surface))) return faces;
  return validOnly(points, surface, triangleFaces(points, surface));
}

}  // namespace

bool isValidHull(const HullPoints& points, const std::vector<HullTriangle>& surface,
                 const std::vector<HullFace>& faces) {
  if (faces.size() < 4 || !isClosedSphere(points.grid.size(), faces)) return false;
  if (!(sixfoldVolume(points, faces) > 0.0)) return false;

  const Cloud cloud = makeCloud(points, surface, faces.size());
  const double slack = tolerances::kHullSlack * faceWidth(points);
  return std::all_of(faces.begin(), faces.end(), [&](const HullFace& face) {
    return isSupporting(points, cloud, face, slack);
  });
}

std::vector<HullFace> buildHullFaces(const HullPoints& points) {
  std::optional<std::vector<HullFace>> faces = findHullFaces(points);
  if (!faces) {
    throw std::invalid_argument{fmt::format(
        "ConvexPolyhedron.points = {} distinct points: expected points whose hull can be closed "
        "within {:g} m",
        points.grid.size(), tolerances::kHullSlack * faceWidth(points) * points.unit)};
  }
  std::sort(faces->begin(), faces->end(),
            [](const HullFace& a, const HullFace& b) { return a.corners < b.corners; });
  return *std::move(faces);
}

}  // namespace msd_assets
