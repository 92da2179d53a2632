#include "msd-sim/src/Physics/Collision/ContactFace.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

using Core = ConvexView::Core;
using Kind = ContactFace::Kind;

/// An edge of a box joins corners that differ in one bit: its axis and the two other bits name it.
std::uint16_t boxEdge(std::uint32_t corner0, std::uint32_t corner1) {
  const std::uint32_t axis = corner0 ^ corner1;
  return static_cast<std::uint16_t>((axis << 3) | (corner0 & corner1 & ~axis & 7u));
}

void extractBoxFace(const ConvexView& view, std::uint32_t index, ContactFace& out) {
  const std::uint32_t axis = index / 2;
  const bool positive = (index & 1u) != 0;
  const std::uint32_t bit = positive ? (1u << axis) : 0u;
  const std::uint32_t u = 1u << ((axis + 1) % 3);
  const std::uint32_t w = 1u << ((axis + 2) % 3);
  // 0, u, u + w, w runs counter-clockwise seen from the positive side.
  std::array<std::uint32_t, 4> ids{bit, bit | u, bit | u | w, bit | w};
  if (!positive) std::swap(ids[1], ids[3]);
  out.kind = Kind::kPolygon;
  out.count = 4;
  for (int i = 0; i < 4; ++i) {
    out.points[i] = corner(view, ids[i]);
    out.corners[i] = static_cast<std::uint16_t>(ids[i]);
    out.sides[i] = boxEdge(ids[i], ids[(i + 1) % 4]);
  }
  out.offset = view.extents[static_cast<Eigen::Index>(axis)];
}

void extractHullFace(const ConvexView& view, std::uint32_t index, ContactFace& out) {
  const auto corners = view.hull->faceVertices(index);
  const auto sides = view.hull->faceEdges(index);
  const std::size_t total = corners.size();
  const std::size_t count = std::min<std::size_t>(total, ContactFace::kMaxCorners);
  out.kind = Kind::kPolygon;
  out.count = static_cast<int>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i * total / count;
    out.points[i] = corner(view, corners[k]);
    out.corners[i] = corners[k];
    out.sides[i] = sides[k];
  }
  out.offset = view.hull->offset(index);
}

void extractTriangleFace(const ConvexView& view, bool isFront, ContactFace& out) {
  out.kind = Kind::kPolygon;
  out.count = 3;
  for (int i = 0; i < 3; ++i) {
    const int k = isFront ? i : 2 - i;
    out.points[i] = view.corners[k];
    out.corners[i] = static_cast<std::uint16_t>(k);
    out.sides[i] = static_cast<std::uint16_t>(isFront ? k : (k + 2) % 3);
  }
  out.offset = out.normal.dot(out.points[0]);
}

void extractSide(const ConvexView& view, const Vector3D& d, ContactFace& out) {
  const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double scale = radial > 0.0 ? view.extents.x() / radial : 0.0;
  out.kind = Kind::kSegment;
  out.count = 2;
  out.bend = view.extents.x();
  for (int i = 0; i < 2; ++i) {
    out.points[i] = {d.x() * scale, d.y() * scale, i == 0 ? -view.extents.z() : view.extents.z()};
    out.corners[i] = static_cast<std::uint16_t>(8 + i);
  }
  out.sides[0] = 8;
}

void extractPoint(const SupportVertex& vertex, const Vector3D& thickness, ContactFace& out) {
  out.kind = Kind::kPoint;
  out.count = 1;
  out.points[0] = vertex.point + thickness;
  out.corners[0] = static_cast<std::uint16_t>(vertex.id);
}

void extractCapsule(const ConvexView& view, const Vector3D& d, ContactFace& out) {
  const SupportVertex foremost = supportCore(view, d);
  extractPoint(foremost, view.radius * d, out);
  const Vector3D square{d.x(), d.y(), 0.0};
  const double sine = square.norm();
  if (sine < tolerance::kEdgeOnCosine) return;  // it stands upright on the other shape
  out.kind = Kind::kSegment;
  out.count = 2;
  // In the order of the ends, whichever is foremost, so that lying flat they do not change places.
  out.points[foremost.id] = foremost.point + view.radius * d;
  out.points[1 - foremost.id] = -foremost.point + (view.radius / sine) * square;
  out.corners[0] = 0;
  out.corners[1] = 1;
  out.sides[0] = 0;
  out.bend = view.radius;
  out.isCapsule = true;
  out.foremost = foremost.point;
  out.axis = {0.0, 0.0, foremost.id != 0 ? -1.0 : 1.0};
}

/// The edge at the farthest corner that falls off least along d.
void extractPolytopeEdge(const ConvexView& view, const Vector3D& d, ContactFace& out) {
  const SupportVertex tip = supportCore(view, d);
  extractPoint(tip, Vector3D::Zero(), out);
  double least = tolerance::kParallelSine;
  const auto consider = [&](std::uint32_t id, std::uint16_t side) {
    const Coordinate other = corner(view, id);
    const Vector3D e = other - tip.point;
    const double slope = -d.dot(e) / e.norm();
    if (!(slope < least)) return;
    least = slope;
    out.kind = Kind::kSegment;
    out.count = 2;
    out.points[1] = other;
    out.corners[1] = static_cast<std::uint16_t>(id);
    out.sides[0] = side;
  };
  switch (view.core) {
    case Core::kTriangle:
      for (std::uint32_t i = 0; i < 3; ++i) {
        if (i != tip.id) {
          consider(i, static_cast<std::uint16_t>((tip.id + 1) % 3 == i ? tip.id : i));
        }
      }
      break;
    case Core::kBox:
      for (std::uint32_t axis = 0; axis < 3; ++axis) {
        const std::uint32_t id = tip.id ^ (1u << axis);
        consider(id, boxEdge(tip.id, id));
      }
      break;
    case Core::kHull: {
      const auto edges = view.hull->edges();
      for (const std::uint16_t i : view.hull->vertexEdges(tip.id)) {
        consider(edges[i].vertex0 == tip.id ? edges[i].vertex1 : edges[i].vertex0, i);
      }
      break;
    }
    case Core::kPoint:
    case Core::kSegment:
    case Core::kCylinder:
    case Core::kPrism:
      break;
  }
}

}  // namespace

void extractEdge(const ConvexView& view, const Vector3D& d, ContactFace& out) {
  out.bend = 0.0;
  out.isCapsule = false;
  if (view.core == Core::kPoint) {
    extractPoint(supportCore(view, d), view.radius * d, out);
  } else if (view.core == Core::kSegment) {
    extractCapsule(view, d, out);
  } else if (view.core != Core::kCylinder) {
    extractPolytopeEdge(view, d, out);
  } else if (std::abs(d.z()) < tolerance::kParallelSine) {
    extractSide(view, d, out);
  } else {
    extractPoint(supportCore(view, d), Vector3D::Zero(), out);
    out.corners[0] = d.z() > 0.0 ? 11 : 10;
  }
}

void extractFace(const ConvexView& view, const FaceNormal& face, const Vector3D& d,
                 ContactFace& out) {
  out.normal = face.normal;
  out.bend = 0.0;
  out.isCapsule = false;
  switch (view.core) {
    case Core::kBox:
      extractBoxFace(view, face.index, out);
      return;
    case Core::kHull:
      extractHullFace(view, face.index, out);
      return;
    case Core::kTriangle:
      extractTriangleFace(view, face.index != 0, out);
      return;
    case Core::kCylinder:
      // Between cap and side the rim decides; both the disc and the side line hold its point.
      if (face.cosine * face.cosine < 0.5) {
        extractSide(view, d, out);
        return;
      }
      out.kind = Kind::kDisc;
      out.count = 1;
      out.points[0] = {0.0, 0.0, face.normal.z() * view.extents.z()};
      out.corners[0] = static_cast<std::uint16_t>(face.index);
      out.u = Vector3D::UnitX();
      out.w = Vector3D::UnitY();
      out.radius = view.extents.x();
      out.offset = view.extents.z();
      return;
    case Core::kSegment:
    case Core::kPoint:
    case Core::kPrism:
      extractEdge(view, d, out);
      return;
  }
}

void liftToCapsule(const ContactFace& segment, const Vector3D& d, Coordinate& p) {
  // In the plane of d and the axis, with x along the axis seen square to d: the cap's arc
  // y = sqrt(r² - x²) up to x = r·sin, then the line through that point with the axis' slope.
  const Vector3D r = p - segment.foremost;
  const double slope = segment.axis.dot(d);  // <= 0: the axis falls off from the foremost end
  const Vector3D flat = segment.axis - slope * d;
  const double cosine = flat.norm();
  if (!(cosine > 0.0)) return;
  const double x = flat.dot(r) / cosine;
  const double radius = segment.bend;
  const double turn = -radius * slope;
  const double y = x <= turn ? std::sqrt(std::max(radius * radius - x * x, 0.0))
                             : radius * cosine + (x - turn) * slope / cosine;
  p += (y - d.dot(r)) * d;
}

void transformFace(const Matrix3D& R, const Coordinate& t, ContactFace& face) {
  for (int i = 0; i < face.count; ++i) face.points[i] = R * face.points[i] + t;
  face.normal = R * face.normal;
  face.offset += face.normal.dot(t);
  face.u = R * face.u;
  face.w = R * face.w;
  face.foremost = R * face.foremost + t;
  face.axis = R * face.axis;
}

}  // namespace msd_sim
