#include "msd-sim/src/Physics/Collision/EPA.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/EpaPolytope.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

/// Builds a tetrahedron with volume from the points at hand and further supports.
class TetrahedronBuilder {
 public:
  TetrahedronBuilder(const ConvexPair& pair, const Simplex& simplex)
      : pair_{pair}, flat_{1e3 * tolerance::kUlp * pair.size} {
    for (int i = 0; i < simplex.count; ++i) candidates_[candidate_count_++] = simplex.vertices[i];
  }

  /// False when the Minkowski difference has no volume as far as can be seen.
  bool build() { return addPoint() && addOffPoint() && addOffLine() && addOffPlane(); }

  [[nodiscard]] const std::array<SimplexVertex, 4>& vertices() const { return vertices_; }
  /// A direction in which the difference is flat, valid after build() failed.
  [[nodiscard]] Vector3D flatDirection() const { return flat_direction_; }

 private:
  bool addPoint() {
    vertices_[0] = candidate_count_ > 0 ? candidates_[0] : supportMinkowski(pair_, Vector3D::UnitX());
    return true;
  }

  template <class Measure>
  bool takeBest(int slot, const Measure& measure) {
    double best = flat_;
    int winner = -1;
    for (int i = 0; i < candidate_count_; ++i) {
      const double value = measure(candidates_[i].w);
      if (value > best) {
        best = value;
        winner = i;
      }
    }
    if (winner >= 0) vertices_[slot] = candidates_[winner];
    return winner >= 0;
  }

  bool addOffPoint() {
    const Vector3D origin = vertices_[0].w;
    const auto measure = [&](const Vector3D& w) { return (w - origin).norm(); };
    flat_direction_ = Vector3D::UnitX();
    if (takeBest(1, measure)) return true;
    candidate_count_ = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {1.0, -1.0}) {
        candidates_[0] = supportMinkowski(pair_, sign * Vector3D::Unit(axis));
        candidate_count_ = 1;
        if (takeBest(1, measure)) return true;
      }
    }
    return false;
  }

  bool addOffLine() {
    const Vector3D origin = vertices_[0].w;
    const Vector3D along = (vertices_[1].w - origin).normalized();
    const auto measure = [&](const Vector3D& w) { return (w - origin).cross(along).norm(); };
    int axis = 0;
    along.cwiseAbs().minCoeff(&axis);
    const Vector3D u = along.cross(Vector3D::Unit(axis)).normalized();
    const Vector3D w = along.cross(u);
    flat_direction_ = u;
    if (takeBest(2, measure)) return true;
    for (const Vector3D& d : {u, w, Vector3D{-u}, Vector3D{-w}, Vector3D{u + w}, Vector3D{-u - w},
                              Vector3D{u - w}, Vector3D{w - u}}) {
      candidates_[0] = supportMinkowski(pair_, d);
      candidate_count_ = 1;
      if (takeBest(2, measure)) return true;
    }
    return false;
  }

  bool addOffPlane() {
    const Vector3D origin = vertices_[0].w;
    const Vector3D n =
        (vertices_[1].w - origin).cross(vertices_[2].w - origin).normalized();
    const auto measure = [&](const Vector3D& w) { return std::abs(n.dot(w - origin)); };
    flat_direction_ = n;
    if (takeBest(3, measure)) return true;
    candidates_[0] = supportMinkowski(pair_, n);
    candidates_[1] = supportMinkowski(pair_, -n);
    candidate_count_ = 2;
    return takeBest(3, measure);
  }

  const ConvexPair& pair_;
  double flat_;
  std::array<SimplexVertex, 4> candidates_;
  int candidate_count_{0};
  std::array<SimplexVertex, 4> vertices_;
  Vector3D flat_direction_{Vector3D::UnitX()};
};

/// Witness points: the origin's projection on a face, in the face's barycentric coordinates. Returns
/// how far the projection lies outside the triangle.
double locateOnFace(const EpaPolytope& polytope, int index, const Vector3D& normal, double depth,
                    Separation& result) {
  Simplex face;
  face.count = 3;
  for (int i = 0; i < 3; ++i) {
    face.vertices[i] = polytope.vertex(polytope.face(index).vertices[i]);
    face.vertices[i].w -= depth * normal;
  }
  const double outside = reduceSimplex(face, 0.0).norm();
  result.pointA = face.pointA();
  result.pointB = face.pointB();
  return outside;
}

/// Several triangles may lie in the plane of the nearest face; one of them holds the projection.
void locateWitness(const EpaPolytope& polytope, int nearest, double size, Separation& result) {
  const double near = tolerance::kSameGap * size;
  const double depth = -result.gap;
  const double first = locateOnFace(polytope, nearest, result.normal, depth, result);
  if (first <= near) return;
  double least = first;
  Separation trial = result;
  for (int i = 0; i < polytope.faceCount() && least > near; ++i) {
    const EpaPolytope::Face& face = polytope.face(i);
    if (!face.isAlive || std::abs(face.offset - depth) > near ||
        face.normal.dot(result.normal) < tolerance::kFaceCosine) {
      continue;
    }
    const double outside = locateOnFace(polytope, i, result.normal, depth, trial);
    if (outside < least) {
      least = outside;
      result.pointA = trial.pointA;
      result.pointB = trial.pointB;
    }
  }
}

/// With no volume to grow, the flat direction is as good as any: the overlap along it is nil.
Separation separateFlat(const ConvexPair& pair, const Simplex& simplex, const Vector3D& direction) {
  Separation result;
  const double radii = pair.a.radius + pair.b.radius;
  const double forwards = pair.gapAlong(direction) + radii;
  const double backwards = pair.gapAlong(-direction) + radii;
  result.normal = forwards >= backwards ? direction : Vector3D{-direction};
  result.gap = std::max(forwards, backwards);
  if (simplex.count > 0) {
    result.pointA = simplex.pointA();
    result.pointB = simplex.pointB();
  }
  return result;
}

/// Grows the polytope until its nearest face is a face of the Minkowski difference, whose corners go
/// to `nearestFace`.
Separation grow(const ConvexPair& pair, const std::array<SimplexVertex, 4>& tetrahedron,
                Simplex& nearestFace, int& iterations) {
  const bool isCurved = pair.a.isCurved() || pair.b.isCurved();
  double enough = tolerance::kEpaGap * pair.size;
  EpaPolytope polytope{tetrahedron, pair.size};
  Separation best;
  double depth = std::numeric_limits<double>::infinity();
  int bestFace = 0;
  for (iterations = 0; iterations < kMaxEpaIterations; ++iterations) {
    const int nearest = polytope.findNearestFace();
    const EpaPolytope::Face& face = polytope.face(nearest);
    if (face.offset >= depth) break;  // no face can beat the depth already found
    const SimplexVertex vertex = supportMinkowski(pair, face.normal);
    const double reach = face.normal.dot(vertex.w);
    if (isCurved) {
      enough = std::clamp(tolerance::kEpaCurvedShare * face.offset,
                          tolerance::kEpaCurvedLeast * pair.size,
                          tolerance::kEpaCurvedMost * pair.size);
    }
    if (reach < depth + enough) {
      depth = std::min(depth, reach);
      best.normal = face.normal;
      bestFace = nearest;
    }
    if (reach - face.offset <= enough || polytope.holds(vertex)) break;
    if (!polytope.addVertex(vertex, nearest)) break;
  }
  best.gap = -depth;
  locateWitness(polytope, bestFace, pair.size, best);
  nearestFace.count = 3;
  for (int i = 0; i < 3; ++i) {
    nearestFace.vertices[i] = polytope.vertex(polytope.face(bestFace).vertices[i]);
  }
  return best;
}

}  // namespace

Separation runEpa(const ConvexPair& pair, Simplex& simplex, int& iterations) {
  TetrahedronBuilder builder{pair, simplex};
  iterations = 0;
  Separation separation;
  if (builder.build()) {
    separation = grow(pair, builder.vertices(), simplex, iterations);
  } else {
    separation = separateFlat(pair, simplex, builder.flatDirection());
    simplex.count = 0;
  }
  finishSeparation(pair, separation);
  return separation;
}

bool growFromFace(const ConvexPair& pair, const Vector3D& normal, Simplex& face,
                  Separation& separation) {
  const SimplexVertex far = supportMinkowski(pair, -normal);
  const std::array<SimplexVertex, 4> tetrahedron{face.vertices[0], face.vertices[1],
                                                 face.vertices[2], far};
  const auto w = [&](int i) -> const Vector3D& { return tetrahedron[i].w; };
  const Vector3D n = (w(1) - w(0)).cross(w(2) - w(0));
  const double volume = n.dot(w(3) - w(0));
  if (!(std::abs(volume) > 1e3 * tolerance::kUlp * n.norm() * pair.size)) return false;
  // The origin inside all four faces: signed volumes with the origin in place of a corner.
  const double v0 = w(1).dot(w(2).cross(w(3)));
  const double v1 = -w(0).dot(w(2).cross(w(3)));
  const double v2 = w(0).dot(w(1).cross(w(3)));
  const double v3 = -w(0).dot(w(1).cross(w(2)));
  const bool allPositive = v0 > 0.0 && v1 > 0.0 && v2 > 0.0 && v3 > 0.0;
  const bool allNegative = v0 < 0.0 && v1 < 0.0 && v2 < 0.0 && v3 < 0.0;
  if (!allPositive && !allNegative) return false;
  int iterations = 0;
  separation = grow(pair, tetrahedron, face, iterations);
  finishSeparation(pair, separation);
  return true;
}

EPA::EPA(const CollisionShape& shapeA, const Pose& poseA, const CollisionShape& shapeB,
         const Pose& poseB)
    : pose_a_{poseA},
      pair_{makeConvexPair(makeConvexView(shapeA), poseA, makeConvexView(shapeB), poseB)} {}

PenetrationResult EPA::computePenetration(const Simplex& simplex) {
  PenetrationResult result;
  Separation separation;
  Simplex nearest = simplex;
  const double error = tolerance::kUlp * pair_.size;
  const Vector3D v = nearest.count > 0 ? reduceSimplex(nearest, error) : Vector3D::Zero();
  const double apart = v.norm();
  if (nearest.count < 4 && apart > tolerance::kTouching * pair_.size) {
    // Only the thickness overlaps: the cores are apart, and the simplex is their nearest feature.
    separation = {v / -apart, apart, nearest.pointA(), nearest.pointB()};
    finishSeparation(pair_, separation);
  } else {
    separation = runEpa(pair_, nearest, result.iterations);
  }
  result.normal = pose_a_.orientation * separation.normal;
  result.depth = std::max(-separation.gap, 0.0);
  result.pointA = pose_a_.toWorld(separation.pointA);
  result.pointB = pose_a_.toWorld(separation.pointB);
  return result;
}

}  // namespace msd_sim
