#include "msd-sim/src/Physics/Collision/GJK.hpp"

#include <algorithm>
#include <limits>

#include "msd-sim/src/Physics/Collision/NormalRefinement.hpp"
#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

/// Is the vertex one of the simplex already? Then the search has come to its end. Corners are known
/// by their numbers; a point on a smooth surface has none, and is the same only where its place is.
bool holds(const Simplex& simplex, const SimplexVertex& vertex) {
  for (int i = 0; i < simplex.count; ++i) {
    const SimplexVertex& other = simplex.vertices[i];
    if (vertex.idA != other.idA || vertex.idB != other.idB) continue;
    const bool smooth =
        vertex.idA == SupportVertex::kSmooth || vertex.idB == SupportVertex::kSmooth;
    if (!smooth || vertex.w == other.w) return true;
  }
  return false;
}

}  // namespace

// Distance of the cores by Gilbert, Johnson and Keerthi (IEEE J. Robotics and Automation 4, 1988):
// v is the point of the simplex that is nearest to the origin of the Minkowski difference A − B,
// and every support point w in the direction −v bounds the distance from below by v·w/|v|, since
// all of A − B lies beyond that plane. It ends when the bound passes the limit (far), when it meets
// |v| (near), or when the simplex holds the origin (touching).
GjkOutcome runGjk(const ConvexPair& pair, const Vector3D& guess, double limit, Simplex& simplex) {
  GjkOutcome outcome;
  const bool isCurved = pair.a.isCurved() || pair.b.isCurved();
  const double relativeGap = isCurved ? tolerance::kGjkRelativeGap : 0.0;
  const double touching = tolerance::kTouching * pair.size;
  const double error = tolerance::kUlp * pair.size;
  const double noise = 8.0 * error;

  Vector3D v;
  if (simplex.count == 0) {
    simplex.vertices[0] = supportMinkowski(pair, -guess);
    simplex.count = 1;
    // The guess itself may already prove that the shapes are far apart.
    const double along = guess.dot(simplex.vertices[0].w);
    const double length2 = guess.squaredNorm();
    if (along > 0.0 && along * along > limit * limit * length2) {
      outcome.status = GjkOutcome::Status::kFar;
      outcome.lowerBound = along / std::sqrt(length2);
      outcome.v = guess;
      simplex.weights[0] = 1.0;
      return outcome;
    }
  }
  v = reduceSimplex(simplex, error);
  double length = v.norm();

  while (true) {
    if (simplex.count == 4 || length <= touching) {
      outcome.status = GjkOutcome::Status::kTouching;
      outcome.v = v;
      return outcome;
    }
    if (++outcome.iterations > kMaxGjkIterations) break;
    const SimplexVertex vertex = supportMinkowski(pair, -v);
    const double along = v.dot(vertex.w) / length;
    outcome.lowerBound = std::max(outcome.lowerBound, along);
    if (along > limit) {
      outcome.status = GjkOutcome::Status::kFar;
      outcome.v = v;
      return outcome;
    }
    // Polytopes end with a vertex that is there already; curved shapes never do, and stop by the
    // gap of both bounds.
    if (length - along <= relativeGap * length + noise || holds(simplex, vertex)) break;

    simplex.vertices[simplex.count++] = vertex;
    const SimplexFace face = findNearestFace(simplex, error);
    const double nextLength = face.count > 0 ? face.v.norm() : 0.0;
    if (face.count > 0 && !(nextLength < length)) {  // rounding has taken over
      --simplex.count;
      break;
    }
    keepFace(simplex, face);
    v = face.count > 0 ? face.v : Vector3D{Vector3D::Zero()};
    length = nextLength;
  }
  outcome.status = GjkOutcome::Status::kNear;
  outcome.v = v;
  return outcome;
}

// The corners of the last test, where these shapes have them now: mostly the answer already. What
// comes from a file may name corners that there are not.
void loadSimplex(const ConvexPair& pair, const ManifoldCache& cache, ManifoldCache::Kind kind,
                 Simplex& simplex) {
  simplex.count = 0;
  if (cache.kind != kind || pair.a.isCurved() || pair.b.isCurved()) return;
  const auto cornerCount = [](const ConvexView& view) -> std::uint32_t {
    constexpr std::array<std::uint32_t, 7> kCorners{1, 2, 3, 8, 0, 0, 0};
    return view.core == ConvexView::Core::kHull ? view.paddedCount
                                                : kCorners[static_cast<std::size_t>(view.core)];
  };
  for (int i = 0; i < cache.cornerCount; ++i) {
    if (cache.cornersA[i] >= cornerCount(pair.a) || cache.cornersB[i] >= cornerCount(pair.b)) {
      simplex.count = 0;
      return;
    }
    SimplexVertex& vertex = simplex.vertices[i];
    vertex.idA = cache.cornersA[i];
    vertex.idB = cache.cornersB[i];
    vertex.a = corner(pair.a, vertex.idA);
    vertex.b = pair.R_AB * corner(pair.b, vertex.idB) + pair.p_AB;
    vertex.w = vertex.a - vertex.b;
    simplex.count = i + 1;
  }
}

void storeSimplex(const Simplex& simplex, const Vector3D& axis, ManifoldCache::Kind kind,
                  ManifoldCache& cache) {
  cache.axis = axis;
  cache.kind = ManifoldCache::Kind::kAxis;
  cache.cornerCount = 0;
  // A full tetrahedron is no good start: the next run would begin inside it.
  if (simplex.count == 0 || simplex.count == 4) return;
  for (int i = 0; i < simplex.count; ++i) {
    const SimplexVertex& vertex = simplex.vertices[i];
    if (vertex.idA > 0xFFFFu || vertex.idB > 0xFFFFu) return;
    cache.cornersA[i] = static_cast<std::uint16_t>(vertex.idA);
    cache.cornersB[i] = static_cast<std::uint16_t>(vertex.idB);
  }
  cache.cornerCount = static_cast<std::uint8_t>(simplex.count);
  cache.kind = kind;
}

GJK::GJK(const CollisionShape& shapeA, const Pose& poseA, const CollisionShape& shapeB,
         const Pose& poseB)
    : pose_a_{poseA},
      pair_{makeConvexPair(makeConvexView(shapeA), poseA, makeConvexView(shapeB), poseB)},
      guess_{-pair_.p_AB} {
  if (guess_.squaredNorm() == 0.0) guess_ = Vector3D::UnitX();
}

void GJK::warmStart(const ManifoldCache& cache) {
  loadSimplex(pair_, cache, ManifoldCache::Kind::kSimplex, simplex_);
  if (cache.kind != ManifoldCache::Kind::kEmpty) guess_ = -cache.axis;
}

GjkOutcome GJK::run(double limit) {
  const GjkOutcome outcome = runGjk(pair_, guess_, limit, simplex_);
  iterations_ = outcome.iterations;
  return outcome;
}

bool GJK::intersects() {
  const double radii = pair_.a.radius + pair_.b.radius;
  const GjkOutcome outcome = run(radii);
  if (outcome.status == GjkOutcome::Status::kTouching) return true;
  if (outcome.status == GjkOutcome::Status::kFar) return false;
  return outcome.v.norm() <= radii + tolerance::kTouching * pair_.size;
}

DistanceResult GJK::distance() {
  const GjkOutcome outcome = run(std::numeric_limits<double>::infinity());
  DistanceResult result;
  Coordinate pointA = simplex_.pointA();
  Coordinate pointB = simplex_.pointB();
  if (outcome.status != GjkOutcome::Status::kTouching) {
    const double length = outcome.v.norm();
    Separation separation{outcome.v / -length, length, pointA, pointB};
    finishSeparation(pair_, separation);
    const Vector3D& n = separation.normal;
    pointA = separation.pointA;
    pointB = separation.pointB;
    if (separation.gap > 0.0) {
      result.distance = separation.gap;
      result.normal = pose_a_.orientation * n;
    }
  }
  result.pointA = pose_a_.toWorld(pointA);
  result.pointB = pose_a_.toWorld(pointB);
  return result;
}

}  // namespace msd_sim
