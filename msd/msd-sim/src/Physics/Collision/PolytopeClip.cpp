#include "msd-sim/src/Physics/Collision/PolytopeClip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/PolytopeLanes.hpp"

namespace msd_sim {

using msd_assets::ConvexPolyhedron;

namespace {

// Polygons of more corners than this are cut off; a face of a hull of 65,535 vertices could have
// more, but the four points kept in the end would not differ visibly.
constexpr int kMaxCorners = 128;

struct Polygon {
  std::array<PatchPoint, kMaxCorners> corners;
  int count{0};
  void add(const Coordinate& position, double gap, std::uint32_t feature) {
    if (count < kMaxCorners) corners[static_cast<std::size_t>(count++)] = {position, gap, feature};
  }
};

/// The corner of `p` that lies farthest against n, in its own frame.
std::uint16_t lowestVertex(const ConvexPolyhedron& p, const Vector3D& n) {
  const double* x = p.xs().data();
  const double* y = p.ys().data();
  const double* z = p.zs().data();
  return static_cast<std::uint16_t>(
      lanes::findLeast(p.xs().size(), [&](std::size_t i) { return lanes::dotFromRight(i, x, y, z, n); }).place);
}

/// Of the faces at `vertex` the one that looks most against n: a face that looks more that way
/// elsewhere need not reach down to the deepest corner.
std::uint16_t incidentFace(const ConvexPolyhedron& p, const Vector3D& n, std::uint16_t vertex) {
  double best = std::numeric_limits<double>::infinity();
  std::uint16_t which = 0;
  for (const std::uint16_t i : p.vertexFaces(vertex)) {
    const double d = p.normal(i).dot(n);
    if (d < best) {
      best = d;
      which = i;
    }
  }
  return which;
}

// Keeps the part of `in` behind the plane n·x <= offset. A new corner is named by the side that cut
// it off and the incident corner it lies behind.
void clipPlane(const Polygon& in, const Vector3D& n, double offset, std::uint32_t side,
               Polygon& out) {
  out.count = 0;
  if (in.count == 0) return;
  const PatchPoint* previous = &in.corners[static_cast<std::size_t>(in.count - 1)];
  double dPrevious = n.dot(previous->position) - offset;
  for (int i = 0; i < in.count; ++i) {
    const PatchPoint& current = in.corners[static_cast<std::size_t>(i)];
    const double d = n.dot(current.position) - offset;
    if ((d <= 0.0) != (dPrevious <= 0.0)) {
      const double t = dPrevious / (dPrevious - d);
      const PatchPoint& inside = d <= 0.0 ? current : *previous;
      const std::uint32_t feature =
          ((side + 1) << 16) | (inside.feature & 0xFFFFu) | (d <= 0.0 ? 0x8000u : 0u);
      out.add(previous->position + t * (current.position - previous->position), 0.0, feature);
    }
    if (d <= 0.0) out.add(current.position, 0.0, current.feature);
    previous = &current;
    dPrevious = d;
  }
}

}  // namespace

int reducePatch(const PatchPoint* points, int count, const Vector3D& normal, PatchPoint* kept) {
  return reduceCorners(
      points, count,
      [](const PatchPoint& p, const PatchPoint& first) { return (p.position - first.position).squaredNorm(); },
      [&](const PatchPoint& first, const PatchPoint& second) {
        const Coordinate from = first.position;
        const Vector3D along = normal.cross(second.position - from);
        return [from, along](const PatchPoint& p) { return along.dot(p.position - from); };
      },
      kept);
}

double clipFaces(const PlacedPolytope& reference, const FaceAxis& axis, const PlacedPolytope& incident,
                 bool referenceIsA, double margin, ContactManifold& out) {
  const ConvexPolyhedron& r = *reference.polyhedron;
  const ConvexPolyhedron& i = *incident.polyhedron;
  const Vector3D n = reference.rotation * r.normal(axis.face);
  const double offset = n.dot(reference.position) + r.offset(axis.face);

  Polygon one, two;
  const Vector3D nIncident = incident.rotation.transpose() * n;
  const std::uint16_t deepest = axis.vertex == FaceAxis::kUnknown ? lowestVertex(i, nIncident) : axis.vertex;
  const std::uint16_t other = incidentFace(i, nIncident, deepest);
  for (const std::uint16_t v : i.faceVertices(other)) {
    one.add(incident.position + incident.rotation * i.vertex(v), 0.0, v);
  }
  Polygon* from = &one;
  Polygon* to = &two;
  const auto corners = r.faceVertices(axis.face);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Coordinate p = reference.position + reference.rotation * r.vertex(corners[k]);
    const Coordinate q = reference.position + reference.rotation * r.vertex(corners[k + 1 == corners.size() ? 0 : k + 1]);
    const Vector3D side = (q - p).cross(n);  // outward: faces are counter-clockwise
    clipPlane(*from, side, side.dot(p), static_cast<std::uint32_t>(k), *to);
    std::swap(from, to);
  }

  std::array<PatchPoint, kMaxCorners> close;
  int count = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < from->count; ++k) {
    PatchPoint& p = from->corners[static_cast<std::size_t>(k)];
    p.gap = n.dot(p.position) - offset;
    nearest = std::min(nearest, p.gap);
    if (p.gap <= margin) close[static_cast<std::size_t>(count++)] = p;
  }
  std::array<PatchPoint, ContactManifold::kMaxPoints> kept;
  out.count = reducePatch(close.data(), count, n, kept.data());
  out.normal = referenceIsA ? n : Vector3D{-n};
  out.owner = referenceIsA ? NormalOwner::kBodyA : NormalOwner::kBodyB;
  const std::uint32_t owner = referenceIsA ? 0u : 0x80000000u;
  for (int k = 0; k < out.count; ++k) {
    const PatchPoint& p = kept[static_cast<std::size_t>(k)];
    const Coordinate onPlane = p.position - p.gap * n;
    ManifoldPoint& point = out.points[static_cast<std::size_t>(k)];
    point.pointA = referenceIsA ? onPlane : p.position;
    point.pointB = referenceIsA ? p.position : onPlane;
    point.gap = p.gap;
    point.feature = p.feature ^ owner;
  }
  return nearest;
}

void contactEdges(const PlacedPolytope& a, std::uint16_t edgeA, const PlacedPolytope& b,
                  std::uint16_t edgeB, const Vector3D& normal, double margin,
                  ContactManifold& out) {
  const ConvexPolyhedron::Edge& ea = a.polyhedron->edges()[edgeA];
  const ConvexPolyhedron::Edge& eb = b.polyhedron->edges()[edgeB];
  const Coordinate p1 = a.position + a.rotation * a.polyhedron->vertex(ea.vertex0);
  const Coordinate q1 = a.position + a.rotation * a.polyhedron->vertex(ea.vertex1);
  const Coordinate p2 = b.position + b.rotation * b.polyhedron->vertex(eb.vertex0);
  const Coordinate q2 = b.position + b.rotation * b.polyhedron->vertex(eb.vertex1);
  const Vector3D d1 = q1 - p1, d2 = q2 - p2, r = p1 - p2;
  // Closest points of the two lines; the axis test has ruled out parallel edges.
  const double aa = d1.squaredNorm(), bb = d1.dot(d2), cc = d2.squaredNorm();
  const double d = d1.dot(r), e = d2.dot(r);
  const double det = aa * cc - bb * bb;
  const double s = std::clamp((bb * e - cc * d) / det, 0.0, 1.0);
  const double t = std::clamp((bb * s + e) / cc, 0.0, 1.0);
  ManifoldPoint& point = out.points[0];
  point.pointA = p1 + s * d1;
  point.pointB = p2 + t * d2;
  point.gap = normal.dot(point.pointB - point.pointA);
  point.feature = 0x40000000u | (static_cast<std::uint32_t>(edgeA) << 14) | edgeB;
  out.normal = normal;
  out.owner = NormalOwner::kNeither;
  out.count = point.gap <= margin ? 1 : 0;
}

}  // namespace msd_sim
