#include "ConvexOracle.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace msd_sim::test {

namespace {

using LongMatrix = Eigen::Matrix<long double, 3, 3>;

LongMatrix rotation(const Quaternion& q) {
  Eigen::Quaternion<long double> wide{static_cast<long double>(q.w()), q.x(), q.y(), q.z()};
  wide.normalize();
  return wide.toRotationMatrix();
}

void addBox(const Vector3D& half, OracleShape& out) {
  for (int k = 0; k < 8; ++k) {
    out.vertices.push_back({(k & 1) != 0 ? half.x() : -half.x(), (k & 2) != 0 ? half.y() : -half.y(),
                            (k & 4) != 0 ? half.z() : -half.z()});
  }
  for (int k = 0; k < 3; ++k) {
    out.faceNormals.push_back(LongVector::Unit(k));
    out.faceNormals.push_back(-LongVector::Unit(k));
    out.edges.push_back(LongVector::Unit(k));
  }
}

void addHull(const msd_assets::ConvexPolyhedron& hull, OracleShape& out) {
  for (const auto& v : hull.vertices()) out.vertices.push_back(v.cast<long double>());
  for (const auto& face : hull.faces()) {
    // The two sides that span the largest triangle with corner 0 give the best normal.
    const auto corners = hull.faceVertices(face);
    LongVector best = LongVector::Zero();
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
      const LongVector n = (out.vertices[corners[i]] - out.vertices[corners[0]])
                               .cross(out.vertices[corners[i + 1]] - out.vertices[corners[0]]);
      if (n.norm() > best.norm()) best = n;
    }
    out.faceNormals.push_back(best.normalized());
  }
  for (const auto& edge : hull.edges()) {
    out.edges.push_back((out.vertices[edge.vertex1] - out.vertices[edge.vertex0]).normalized());
  }
}

/// Minimises -gap from a start by turning the direction in ever smaller steps.
long double refine(const OracleShape& a, const OracleShape& b, LongVector n, long double best,
                   long double step) {
  const long double enough = 1e-17L * std::abs(best);
  for (int round = 0; step > 1e-12L && round < 300; ++round) {
    const LongVector u = (std::abs(n.x()) < 0.9L ? LongVector{LongVector::UnitX()}
                                                 : LongVector{LongVector::UnitY()})
                             .cross(n)
                             .normalized();
    const LongVector w = n.cross(u);
    bool hasImproved = false;
    for (int k = 0; k < 8; ++k) {
      const long double angle = 0.785398163397448309L * k;
      const LongVector trial =
          (n + step * (std::cos(angle) * u + std::sin(angle) * w)).normalized();
      const long double gap = gapAlong(a, b, trial);
      if (gap > best + enough) {
        best = gap;
        n = trial;
        hasImproved = true;
      }
    }
    if (!hasImproved) step *= 0.5L;
  }
  return best;
}

}  // namespace

OracleShape makeOracleShape(const CollisionShape& shape, const Pose& pose,
                            const Coordinate& reference) {
  OracleShape out;
  out.radius = 0.0L;
  const LongMatrix R = rotation(pose.orientation);
  const LongVector p = pose.position.cast<long double>() - reference.cast<long double>();
  switch (shape.kind) {
    case ShapeKind::kSphere:
      out.vertices.push_back(LongVector::Zero());
      out.radius = shape.radius;
      break;
    case ShapeKind::kCapsule:
      out.vertices.push_back({0.0L, 0.0L, -static_cast<long double>(shape.halfHeight)});
      out.vertices.push_back({0.0L, 0.0L, static_cast<long double>(shape.halfHeight)});
      out.edges.push_back(LongVector::UnitZ());
      out.radius = shape.radius;
      break;
    case ShapeKind::kBox:
      addBox(shape.halfExtents, out);
      break;
    case ShapeKind::kHull:
      addHull(*shape.polyhedron, out);
      break;
    default:
      out.isCylinder = true;
      out.cylinderRadius = shape.radius;
      out.halfHeight = shape.halfHeight;
      out.faceNormals = {LongVector::UnitZ(), -LongVector::UnitZ()};
      break;
  }
  for (LongVector& v : out.vertices) v = R * v + p;
  for (LongVector& n : out.faceNormals) n = R * n;
  for (LongVector& e : out.edges) e = R * e;
  out.centre = p;
  out.axis = R.col(2);
  return out;
}

long double OracleShape::support(const LongVector& direction) const {
  if (isCylinder) {
    const long double along = axis.dot(direction);
    const LongVector radial = direction - along * axis;
    return centre.dot(direction) + halfHeight * std::abs(along) + cylinderRadius * radial.norm();
  }
  long double greatest = -std::numeric_limits<long double>::infinity();
  for (const LongVector& v : vertices) greatest = std::max(greatest, v.dot(direction));
  return greatest + radius * direction.norm();
}

long double OracleShape::coreDistance(const LongVector& point) const {
  return surfaceDistance(point) + radius;
}

long double OracleShape::surfaceDistance(const LongVector& point) const {
  if (isCylinder) {
    const LongVector r = point - centre;
    const long double z = std::abs(axis.dot(r)) - halfHeight;
    const long double radial = (r - axis.dot(r) * axis).norm() - cylinderRadius;
    if (z > 0.0L && radial > 0.0L) return std::sqrt(z * z + radial * radial);
    return std::max(z, radial);
  }
  if (vertices.size() == 1) return (point - vertices[0]).norm() - radius;
  if (vertices.size() == 2) {
    const LongVector e = vertices[1] - vertices[0];
    const long double t = std::clamp((point - vertices[0]).dot(e) / e.squaredNorm(), 0.0L, 1.0L);
    return (point - vertices[0] - t * e).norm() - radius;
  }
  long double greatest = -std::numeric_limits<long double>::infinity();
  for (const LongVector& n : faceNormals) greatest = std::max(greatest, n.dot(point) - support(n));
  return greatest;
}

long double gapAlong(const OracleShape& a, const OracleShape& b, const LongVector& n) {
  return -b.support(-n) - a.support(n);
}

long double deepestGap(const OracleShape& a, const OracleShape& b) {
  long double best = -std::numeric_limits<long double>::infinity();
  const auto consider = [&](const LongVector& n) {
    best = std::max({best, gapAlong(a, b, n), gapAlong(a, b, -n)});
  };
  for (const LongVector& n : a.faceNormals) consider(n);
  for (const LongVector& n : b.faceNormals) consider(n);
  for (const LongVector& e : a.edges) {
    for (const LongVector& f : b.edges) {
      const LongVector n = e.cross(f);
      if (n.norm() > 1e-12L) consider(n.normalized());
    }
  }
  if (!a.isCylinder && !b.isCylinder) return best;

  // Round sides: a spiral of directions, the best of which are refined.
  constexpr int kSamples = 2000;
  struct Sample {
    long double gap;
    LongVector n;
  };
  std::vector<Sample> samples;
  for (int i = 0; i < kSamples; ++i) {
    const long double z = 1.0L - (2.0L * i + 1.0L) / kSamples;
    const long double angle = 2.399963229728653322L * i;
    const long double r = std::sqrt(1.0L - z * z);
    const LongVector n{r * std::cos(angle), r * std::sin(angle), z};
    samples.push_back({gapAlong(a, b, n), n});
  }
  // Sharp places that a spiral misses on needles and slabs: across both axes and edges.
  std::vector<LongVector> linesA = a.edges;
  std::vector<LongVector> linesB = b.edges;
  if (a.isCylinder) linesA.push_back(a.axis);
  if (b.isCylinder) linesB.push_back(b.axis);
  const auto addSample = [&](const LongVector& v) {
    if (v.norm() <= 1e-12L) return;
    const LongVector n = v.normalized();
    samples.push_back({gapAlong(a, b, n), n});
    samples.push_back({gapAlong(a, b, -n), -n});
  };
  for (const LongVector& e : linesA) {
    for (const LongVector& f : linesB) addSample(e.cross(f));
  }
  const auto addRadial = [&](const OracleShape& round, const OracleShape& other) {
    if (!round.isCylinder) return;
    std::vector<LongVector> points = other.vertices;
    points.push_back(other.centre);
    for (const LongVector& p : points) {
      const LongVector r = p - round.centre;
      addSample(r - round.axis.dot(r) * round.axis);
    }
    for (int k = 0; k < 64; ++k) {
      const LongVector u = round.axis.unitOrthogonal();
      const LongVector w = round.axis.cross(u);
      const long double angle = 0.0981747704246810387L * k;
      const LongVector d = std::cos(angle) * u + std::sin(angle) * w;
      for (const long double tilt : {0.0L, 1e-3L, -1e-3L, 0.03L, -0.03L}) {
        addSample(d + tilt * round.axis);
      }
    }
  };
  addRadial(a, b);
  addRadial(b, a);
  std::sort(samples.begin(), samples.end(),
            [](const Sample& p, const Sample& q) { return p.gap > q.gap; });
  const std::size_t kept = std::min<std::size_t>(samples.size(), 24);
  for (std::size_t i = 0; i < kept; ++i) {
    best = std::max(best, refine(a, b, samples[i].n, samples[i].gap, 0.05L));
  }
  return best;
}

}  // namespace msd_sim::test
