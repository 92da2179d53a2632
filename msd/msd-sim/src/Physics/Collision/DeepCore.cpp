#include "msd-sim/src/Physics/Collision/DeepCore.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

using Core = ConvexView::Core;

bool isSolid(const ConvexView& view) { return view.core == Core::kBox || view.core == Core::kHull; }
bool isThin(const ConvexView& view) {
  return view.core == Core::kPoint || view.core == Core::kSegment;
}

/// The segment p ± e in the solid's frame, and the best direction out of the solid so far.
struct Search {
  Coordinate p;
  Vector3D e;
  double gap{-std::numeric_limits<double>::infinity()};  ///< of the segment along `outward`
  Vector3D outward{Vector3D::UnitX()};
  bool isEdge{false};
  Coordinate onEdge{Coordinate::Zero()};  ///< a point of the edge and its direction
  Vector3D edge{Vector3D::Zero()};
};

void considerFace(const Vector3D& n, double offset, Search& search) {
  const double gap = n.dot(search.p) - std::abs(n.dot(search.e)) - offset;
  if (gap > search.gap) {
    search.gap = gap;
    search.outward = n;
    search.isEdge = false;
  }
}

/// The direction across the segment and an edge of the solid, if the edge supports the solid there.
void considerEdge(const Coordinate& from, const Vector3D& edge, double height, const Vector3D& n,
                  double slack, Search& search) {
  if (n.dot(from) < height - slack) return;
  const double gap = n.dot(search.p) - height;
  // A face that does as well gives a steadier normal.
  if (gap > search.gap + slack) {
    search.gap = gap;
    search.outward = n;
    search.isEdge = true;
    search.onEdge = from;
    search.edge = edge;
  }
}

void searchBox(const ConvexView& box, Search& search, double slack) {
  for (int k = 0; k < 3; ++k) {
    considerFace(Vector3D::Unit(k), box.extents[k], search);
    considerFace(-Vector3D::Unit(k), box.extents[k], search);
  }
  for (int k = 0; k < 3; ++k) {
    const Vector3D edge = Vector3D::Unit(k);
    const Vector3D cross = edge.cross(search.e);
    const double length = cross.norm();
    if (!(length > tolerance::kUlp * search.e.norm())) continue;
    for (const double sign : {1.0, -1.0}) {
      const Vector3D n = (sign / length) * cross;
      const Coordinate tip = supportCore(box, n).point;
      considerEdge(tip, edge, n.dot(tip), n, slack, search);
    }
  }
}

void searchHull(const ConvexView& view, Search& search, double slack) {
  const msd_assets::ConvexPolyhedron& hull = *view.hull;
  for (std::size_t f = 0; f < hull.faceCount(); ++f) considerFace(hull.normal(f), hull.offset(f), search);
  if (search.e.squaredNorm() == 0.0) return;
  for (const auto& edge : hull.edges()) {
    const Coordinate from = hull.vertex(edge.vertex0);
    const Vector3D along = hull.vertex(edge.vertex1) - from;
    // The direction n across both lies between the normals of the edge's faces exactly when the
    // segment's direction lies on opposite sides of them (crossing of arcs on the Gauss sphere).
    const Vector3D normal0 = hull.normal(edge.face0), normal1 = hull.normal(edge.face1);
    const double side0 = normal0.dot(search.e);
    const double side1 = normal1.dot(search.e);
    if (side0 * side1 > 0.0) continue;
    Vector3D n = along.cross(search.e);
    const double length = n.norm();
    if (!(length > tolerance::kUlp * along.norm() * search.e.norm())) continue;
    n /= length;
    if (n.dot(normal0 + normal1) < 0.0) n = -n;
    considerEdge(from, along, n.dot(from), n, slack, search);
  }
}

/// Nearest point on the line from + s·edge to the line p + t·e; returns t as well.
Coordinate crossLines(const Search& search, double& t) {
  const Vector3D r = search.p - search.onEdge;
  const double aa = search.edge.squaredNorm();
  const double bb = search.e.squaredNorm();
  const double ab = search.edge.dot(search.e);
  const double det = aa * bb - ab * ab;
  const double ra = r.dot(search.edge);
  const double rb = r.dot(search.e);
  const double s = det > 0.0 ? (ra * bb - rb * ab) / det : 0.0;
  t = det > 0.0 ? std::clamp((ra * ab - rb * aa) / det, -1.0, 1.0) : 0.0;
  return search.onEdge + s * search.edge;
}

}  // namespace

FaceNormal findNearestFace(const ConvexView& solid, const Coordinate& point, double& distance) {
  FaceNormal best;
  distance = -std::numeric_limits<double>::infinity();
  if (solid.core == Core::kBox) {
    int axis = 0;
    distance = (point.cwiseAbs() - solid.extents).maxCoeff(&axis);
    const bool positive = point[axis] >= 0.0;
    best.normal = (positive ? 1.0 : -1.0) * Vector3D::Unit(axis);
    best.index = static_cast<std::uint32_t>(2 * axis + (positive ? 1 : 0));
    return best;
  }
  for (std::size_t i = 0; i < solid.hull->faceCount(); ++i) {
    const double height = solid.hull->normal(i).dot(point) - solid.hull->offset(i);
    if (height > distance) {
      distance = height;
      best.index = static_cast<std::uint32_t>(i);
    }
  }
  best.normal = solid.hull->normal(best.index);
  return best;
}

bool separateDeepCore(const ConvexPair& pair, Separation& separation) {
  const bool thinIsA = isThin(pair.a) && isSolid(pair.b);
  const bool thinIsB = isThin(pair.b) && isSolid(pair.a);
  if (!thinIsA && !thinIsB) return false;
  const double slack = tolerance::kSameGap * pair.size;
  const ConvexView& solid = thinIsA ? pair.b : pair.a;
  Search search;
  if (thinIsA) {
    search.p = -(pair.R_AB.transpose() * pair.p_AB);
    search.e = pair.a.extents.z() * pair.R_AB.row(2).transpose();
  } else {
    search.p = pair.p_AB;
    search.e = pair.b.extents.z() * pair.R_AB.col(2);
  }
  if (solid.core == Core::kBox) {
    searchBox(solid, search, slack);
  } else {
    searchHull(solid, search, slack);
  }

  // Witness: the deepest point of the segment and its foot on the solid.
  double t = 0.0;
  if (search.isEdge) {
    crossLines(search, t);
  } else {
    const double slope = search.outward.dot(search.e);
    t = slope > slack ? -1.0 : (slope < -slack ? 1.0 : 0.0);
  }
  const Coordinate onThin = search.p + t * search.e;
  const Coordinate onSolid = onThin - search.gap * search.outward;
  separation.gap = search.gap;
  if (thinIsA) {
    separation.normal = -(pair.R_AB * search.outward);
    separation.pointA = pair.R_AB * onThin + pair.p_AB;
    separation.pointB = pair.R_AB * onSolid + pair.p_AB;
  } else {
    separation.normal = search.outward;
    separation.pointA = onSolid;
    separation.pointB = onThin;
  }
  return true;
}

}  // namespace msd_sim
