#include "msd-exe/src/Bench/PairDepth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/CollisionHandler.hpp"

namespace msd_exe {

namespace {

using msd_assets::ShapeKind;
using msd_sim::Coordinate;
using msd_sim::Matrix3D;
using msd_sim::Pose;
using msd_sim::Vector3D;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Directions whose angle has a sine below this count as parallel.
constexpr double kParallel = 1e-6;

void addDirection(std::vector<Vector3D>& list, const Vector3D& direction) {
  const Vector3D unit = direction.normalized();
  for (const Vector3D& known : list) {
    if (known.cross(unit).norm() < kParallel) return;
  }
  list.push_back(unit);
}

double segmentDistance(const Coordinate& p1, const Coordinate& q1, const Coordinate& p2,
                       const Coordinate& q2) {
  const Vector3D d1 = q1 - p1;
  const Vector3D d2 = q2 - p2;
  const Vector3D r = p1 - p2;
  const double a = d1.squaredNorm();
  const double e = d2.squaredNorm();
  const double b = d1.dot(d2);
  const double c = d1.dot(r);
  const double f = d2.dot(r);
  // Minimum of |r + s·d1 - t·d2| over 0 <= s, t <= 1: unconstrained in s, then clamped one by one.
  double s = 0.0;
  if (a > 0.0) {
    const double determinant = a * e - b * b;
    s = determinant > 1e-14 * a * e ? std::clamp((b * f - c * e) / determinant, 0.0, 1.0) : 0.0;
  }
  double t = e > 0.0 ? (b * s + f) / e : 0.0;
  if (t < 0.0 || t > 1.0 || e == 0.0) {
    t = std::clamp(t, 0.0, 1.0);
    s = a > 0.0 ? std::clamp((b * t - c) / a, 0.0, 1.0) : 0.0;
  }
  return (r + s * d1 - t * d2).norm();
}

/// A convex solid in world axes (or those of a mesh), ready for the separating-axis test.
struct PlacedPolytope {
  std::vector<Coordinate> vertices{};
  std::vector<Vector3D> normals{};
  std::vector<Vector3D> edges{};
};

PlacedPolytope place(const MeasuredShape& shape, const Pose& pose) {
  const Matrix3D rotation = pose.orientation.normalized().toRotationMatrix();
  PlacedPolytope placed;
  placed.vertices.reserve(shape.vertices.size());
  for (const Coordinate& v : shape.vertices)
    placed.vertices.emplace_back(rotation * v + pose.position);
  for (const Vector3D& n : shape.normals) placed.normals.emplace_back(rotation * n);
  for (const Vector3D& e : shape.edges) placed.edges.emplace_back(rotation * e);
  return placed;
}

/// Overlap of the projections on a unit axis: how far one must move along it to be clear.
double overlapAlong(const Vector3D& axis, const std::vector<Coordinate>& a,
                    const std::vector<Coordinate>& b) {
  double lowA = kInfinity;
  double highA = -kInfinity;
  double lowB = kInfinity;
  double highB = -kInfinity;
  for (const Coordinate& v : a) {
    const double d = axis.dot(v);
    lowA = std::min(lowA, d);
    highA = std::max(highA, d);
  }
  for (const Coordinate& v : b) {
    const double d = axis.dot(v);
    lowB = std::min(lowB, d);
    highB = std::max(highB, d);
  }
  return std::min(highA - lowB, highB - lowA);
}

/// Least overlap over the face normals of both and the products of their edges: the exact depth.
double separatingAxisDepth(const PlacedPolytope& a, const PlacedPolytope& b) {
  double least = kInfinity;
  for (const auto* normals : {&a.normals, &b.normals}) {
    for (const Vector3D& n : *normals) {
      least = std::min(least, overlapAlong(n, a.vertices, b.vertices));
      if (least <= 0.0) return least;
    }
  }
  for (const Vector3D& u : a.edges) {
    for (const Vector3D& v : b.edges) {
      const Vector3D axis = u.cross(v);
      const double length = axis.norm();
      if (length < kParallel) continue;
      least = std::min(least, overlapAlong(axis / length, a.vertices, b.vertices));
      if (least <= 0.0) return least;
    }
  }
  return least;
}

double pointPolygonDistance(const Coordinate& p, const std::vector<Coordinate>& corners,
                            const Vector3D& normal) {
  bool inside = true;
  double nearest = kInfinity;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Coordinate& a = corners[i];
    const Coordinate& b = corners[(i + 1) % corners.size()];
    inside = inside && normal.cross(b - a).dot(p - a) >= 0.0;
    nearest = std::min(nearest, segmentDistance(p, p, a, b));
  }
  return inside ? std::abs(normal.dot(p - corners[0])) : nearest;
}

double segmentPolygonDistance(const Coordinate& p, const Coordinate& q,
                              const std::vector<Coordinate>& corners, const Vector3D& normal) {
  const double heightP = normal.dot(p - corners[0]);
  const double heightQ = normal.dot(q - corners[0]);
  if (heightP * heightQ < 0.0) {
    const Coordinate crossing = p + heightP / (heightP - heightQ) * (q - p);
    bool inside = true;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vector3D side = corners[(i + 1) % corners.size()] - corners[i];
      inside = inside && normal.cross(side).dot(crossing - corners[i]) >= 0.0;
    }
    if (inside) return 0.0;
  }
  double nearest =
      std::min(pointPolygonDistance(p, corners, normal), pointPolygonDistance(q, corners, normal));
  for (std::size_t i = 0; i < corners.size(); ++i) {
    nearest =
        std::min(nearest, segmentDistance(p, q, corners[i], corners[(i + 1) % corners.size()]));
  }
  return nearest;
}

/// Part of the segment p + t (q - p), 0 <= t <= 1, inside all face planes: true if there is any.
bool meetsInterior(const MeasuredShape& polytope, const Coordinate& p, const Coordinate& q) {
  double enter = 0.0;
  double leave = 1.0;
  for (std::size_t i = 0; i < polytope.faceNormals.size(); ++i) {
    const double atP = polytope.faceNormals[i].dot(p) - polytope.faceOffsets[i];
    const double atQ = polytope.faceNormals[i].dot(q) - polytope.faceOffsets[i];
    if (atP >= 0.0 && atQ >= 0.0) return false;
    if (atP > 0.0) enter = std::max(enter, atP / (atP - atQ));
    if (atQ > 0.0) leave = std::min(leave, atP / (atP - atQ));
  }
  return enter < leave;
}

/// A thick segment against a box or hull, in the polytope's frame.
double roundPolytopeDepth(const MeasuredShape& round, const Pose& poseRound,
                          const MeasuredShape& polytope, const Pose& posePolytope) {
  const Vector3D half{0.0, 0.0, round.halfHeight};
  const Coordinate p = posePolytope.toLocal(poseRound.toWorld(-half));
  const Coordinate q = posePolytope.toLocal(poseRound.toWorld(half));
  if (meetsInterior(polytope, p, q)) {
    PlacedPolytope segment{.vertices = {p, q}};
    if (round.halfHeight > 0.0) segment.edges.emplace_back((q - p).normalized());
    const PlacedPolytope solid{polytope.vertices, polytope.normals, polytope.edges};
    return round.radius + std::max(0.0, separatingAxisDepth(solid, segment));
  }
  double nearest = kInfinity;
  std::vector<Coordinate> corners;
  for (std::size_t i = 0; i < polytope.faces.size(); ++i) {
    corners.clear();
    for (const std::uint16_t v : polytope.faces[i]) corners.push_back(polytope.vertices[v]);
    nearest = std::min(nearest, segmentPolygonDistance(p, q, corners, polytope.faceNormals[i]));
  }
  return round.radius - nearest;
}

double roundDepth(const MeasuredShape& a, const Pose& poseA, const MeasuredShape& b,
                  const Pose& poseB) {
  const Vector3D halfA{0.0, 0.0, a.halfHeight};
  const Vector3D halfB{0.0, 0.0, b.halfHeight};
  return a.radius + b.radius -
         segmentDistance(poseA.toWorld(-halfA), poseA.toWorld(halfA), poseB.toWorld(-halfB),
                         poseB.toWorld(halfB));
}

/// A triangle as a flat polytope: its own normal and the in-plane normals of its sides.
PlacedPolytope flatPolytope(const std::vector<Coordinate>& corners, const Vector3D& normal) {
  PlacedPolytope flat{.vertices = corners, .normals = {normal}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3D edge = (corners[(i + 1) % 3] - corners[i]).normalized();
    flat.edges.push_back(edge);
    flat.normals.emplace_back(normal.cross(edge));
  }
  return flat;
}

double meshDepth(const MeasuredShape& mesh, const Pose& poseMesh, const MeasuredShape& convex,
                 const Pose& poseConvex) {
  const Pose local = poseMesh.inverse() * poseConvex;
  const msd_sim::Aabb bounds = worldBounds(convex.collision(), local);
  const PlacedPolytope solid = place(convex, local);
  const Vector3D half{0.0, 0.0, convex.halfHeight};
  double deepest = 0.0;
  mesh.triangleTree.query(bounds, [&](std::uint32_t index, std::int32_t) {
    const auto& t = mesh.triangles[index];
    const std::vector<Coordinate> corners{mesh.vertices[t[0]], mesh.vertices[t[1]],
                                          mesh.vertices[t[2]]};
    const Vector3D cross = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if (cross.isZero(0.0)) return;
    const Vector3D normal = cross.normalized();
    if (convex.isRound()) {
      const double distance =
          segmentPolygonDistance(local.toWorld(-half), local.toWorld(half), corners, normal);
      deepest = std::max(deepest, convex.radius - distance);
    } else {
      deepest = std::max(deepest, separatingAxisDepth(solid, flatPolytope(corners, normal)));
    }
  });
  return deepest;
}

double engineDepth(const MeasuredShape& a, const Pose& poseA, const MeasuredShape& b,
                   const Pose& poseB) {
  const msd_sim::CollisionHandler handler{0.0};
  const auto result = handler.checkCollision(msd_sim::PlacedShape{a.collision(), poseA},
                                             msd_sim::PlacedShape{b.collision(), poseB});
  return result ? result->penetrationDepth : 0.0;
}

}  // namespace

MeasuredShape::MeasuredShape(const msd_assets::Shape& shape)
    : kind_{shape.kind()}, collision_{msd_sim::makeCollisionShape(shape)} {
  radius = collision_.radius;
  halfHeight = kind_ == ShapeKind::kCapsule ? collision_.halfHeight : 0.0;
  if (isPolytope()) {
    const auto polyhedron =
        kind_ == ShapeKind::kHull
            ? *shape.as<msd_assets::Hull>().polyhedron
            : msd_assets::ConvexPolyhedron::box(shape.as<msd_assets::Box>().halfExtents);
    vertices.assign(polyhedron.vertices().begin(), polyhedron.vertices().end());
    for (const auto& face : polyhedron.faces()) {
      addDirection(normals, face.normal);
      faceNormals.emplace_back(face.normal);
      faceOffsets.push_back(face.offset);
      const auto corners = polyhedron.faceVertices(face);
      faces.emplace_back(corners.begin(), corners.end());
    }
    for (const auto& edge : polyhedron.edges())
      addDirection(edges, vertices[edge.vertex1] - vertices[edge.vertex0]);
  } else if (isMesh()) {
    const msd_assets::TriangleMesh& surface = *shape.as<msd_assets::Mesh>().surface;
    vertices.assign(surface.vertices().begin(), surface.vertices().end());
    for (const auto& t : surface.triangles()) {
      triangles.push_back({t[0], t[1], t[2]});
      msd_sim::Aabb box;
      for (const std::uint32_t v : triangles.back()) box = box.merged({vertices[v], vertices[v]});
      triangleTree.insert(box, static_cast<std::uint32_t>(triangles.size() - 1));
    }
  }
}

bool MeasuredShape::isRound() const {
  return kind_ == ShapeKind::kSphere || kind_ == ShapeKind::kCapsule;
}
bool MeasuredShape::isPolytope() const {
  return kind_ == ShapeKind::kBox || kind_ == ShapeKind::kHull;
}

double pairDepth(const MeasuredShape& a, const Pose& poseA, const MeasuredShape& b,
                 const Pose& poseB) {
  if (a.isMesh() && (b.isRound() || b.isPolytope())) return meshDepth(a, poseA, b, poseB);
  if (b.isMesh() && (a.isRound() || a.isPolytope())) return meshDepth(b, poseB, a, poseA);
  if (a.isRound() && b.isRound()) return roundDepth(a, poseA, b, poseB);
  if (a.isRound() && b.isPolytope()) return roundPolytopeDepth(a, poseA, b, poseB);
  if (b.isRound() && a.isPolytope()) return roundPolytopeDepth(b, poseB, a, poseA);
  if (a.isPolytope() && b.isPolytope())
    return separatingAxisDepth(place(a, poseA), place(b, poseB));
  return engineDepth(a, poseA, b, poseB);
}

}  // namespace msd_exe
