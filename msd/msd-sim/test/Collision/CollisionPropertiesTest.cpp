// What must not matter, and what must follow: exchanging the shapes, moving or scaling the whole
// scene, small motions. Cases come from rapidcheck; its seed is fixed here so that a run repeats
// (set RC_PARAMS to look further).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "ConvexOracle.hpp"
#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Collision/HalfwayContacts.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/RoundContacts.hpp"

namespace msd_sim::test {
namespace {

const int kSeedIsFixed = ::setenv("RC_PARAMS", "seed=20261115 max_success=400", 0);

/// A random pair, half of the time moved to a small gap or overlap.
RandomPair drawPair() {
  PairGenerator generator{*rc::gen::arbitrary<std::uint64_t>()};
  const auto kindA = PairGenerator::convexKind(generator.integer(5));
  const auto kindB = PairGenerator::convexKind(generator.integer(5));
  RandomPair p = generator.pair(kindA, kindB, 30.0, 10.0);
  ManifoldCache cache;
  ContactManifold m;
  const double size = p.a.size + p.b.size;
  if (generator.integer(2) == 0 &&
      collideShapes(p.a, p.poseA, p.b, p.poseB, size, cache, {&m, 1}) > 0) {
    double least = m.points[0].gap;
    for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].gap);
    p.poseB.position += (generator.uniform(-0.02, 0.02) * size - least) * m.normal;
  }
  return p;
}

struct Outcome {
  ContactManifold manifold;
  double deepest{0.0};
  double margin{0.0};
  bool touches{false};
};

Outcome collide(const RandomPair& p, double margin) {
  Outcome outcome;
  ManifoldCache cache;
  outcome.margin = margin;
  outcome.touches =
      collideShapes(p.a, p.poseA, p.b, p.poseB, margin, cache, {&outcome.manifold, 1}) > 0;
  if (outcome.touches) {
    outcome.deepest = outcome.manifold.points[0].gap;
    for (int i = 1; i < outcome.manifold.count; ++i) {
      outcome.deepest = std::min(outcome.deepest, outcome.manifold.points[i].gap);
    }
  }
  return outcome;
}

double margin(const RandomPair& p) {
  return 0.02 * (p.a.size + p.b.size);
}

/// Distance from point k of `a` to the nearest point of `b`, both of its sides taken together.
double partnerDistance(const ContactManifold& a, int k, const ContactManifold& b) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < b.count; ++i) {
    least = std::min(least, (a.points[k].pointA - b.points[i].pointA).norm() +
                                (a.points[k].pointB - b.points[i].pointB).norm());
  }
  return least;
}

RC_GTEST_PROP(CollisionProperties, exchangingTheShapesMirrorsTheManifold, ()) {
  const RandomPair p = drawPair();
  const RandomPair q{p.b, p.a, p.poseB, p.poseA};
  const Outcome direct = collide(p, margin(p));
  Outcome mirrored = collide(q, margin(p));
  const double size = p.a.size + p.b.size;
  RC_ASSERT(direct.touches == mirrored.touches);
  if (!direct.touches) return;
  RC_ASSERT(std::abs(direct.deepest - mirrored.deepest) <= 3e-9 * size);
  if ((direct.manifold.normal + mirrored.manifold.normal).norm() > 1e-6) {
    RC_DISCARD("two ways out are equally short");
  }
  RC_ASSERT(direct.manifold.count == mirrored.manifold.count);
  for (int i = 0; i < mirrored.manifold.count; ++i) {
    std::swap(mirrored.manifold.points[i].pointA, mirrored.manifold.points[i].pointB);
  }
  for (int i = 0; i < direct.manifold.count; ++i) {
    RC_ASSERT(partnerDistance(direct.manifold, i, mirrored.manifold) <= 1e-9 * size);
  }
}

RC_GTEST_PROP(CollisionProperties, movingTheSceneMovesTheContacts, ()) {
  const RandomPair p = drawPair();
  PairGenerator generator{*rc::gen::arbitrary<std::uint64_t>()};
  const double size = p.a.size + p.b.size;
  Pose move;
  move.orientation = generator.orientation();
  move.position = 10.0 * size * generator.direction();
  const RandomPair q{p.a, p.b, move * p.poseA, move * p.poseB};
  const Outcome here = collide(p, margin(p));
  const Outcome there = collide(q, margin(p));
  if (std::abs(here.deepest - here.margin) < 1e-9 * size) RC_DISCARD("on the margin");
  RC_ASSERT(here.touches == there.touches);
  if (!here.touches) return;
  RC_ASSERT(std::abs(here.deepest - there.deepest) <= 3e-9 * size);
  if ((move.orientation * here.manifold.normal - there.manifold.normal).norm() > 1e-6) {
    RC_DISCARD("two ways out are equally short");
  }
  RC_ASSERT((move.orientation * here.manifold.normal - there.manifold.normal).norm() <= 1e-9);
  RC_ASSERT(here.manifold.count == there.manifold.count);
  ContactManifold moved = here.manifold;
  for (int i = 0; i < moved.count; ++i) {
    moved.points[i].pointA = move.toWorld(moved.points[i].pointA);
    moved.points[i].pointB = move.toWorld(moved.points[i].pointB);
  }
  for (int i = 0; i < moved.count; ++i) {
    RC_ASSERT(partnerDistance(moved, i, there.manifold) <= 1e-9 * size);
  }
}

CollisionShape scaled(const CollisionShape& shape, double factor) {
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return sphere(factor * shape.radius);
    case ShapeKind::kCapsule:
      return capsule(factor * shape.radius, factor * shape.halfHeight);
    case ShapeKind::kCylinder:
      return cylinder(factor * shape.radius, factor * shape.halfHeight);
    case ShapeKind::kBox:
      return box(factor * shape.halfExtents.x(), factor * shape.halfExtents.y(),
                 factor * shape.halfExtents.z());
    default: {
      std::vector<Vector3D> points;
      for (const Vector3D& v : shape.polyhedron->vertices()) points.push_back(factor * v);
      return hull(points);
    }
  }
}

RC_GTEST_PROP(CollisionProperties, scalingByAPowerOfTwoScalesEveryBit, ()) {
  RandomPair p = drawPair();
  p.a = scaled(p.a, 1.0);
  p.b = scaled(p.b, 1.0);
  const double factor = std::ldexp(1.0, *rc::gen::inRange(-8, 9));
  RandomPair q{scaled(p.a, factor), scaled(p.b, factor), p.poseA, p.poseB};
  q.poseA.position *= factor;
  q.poseB.position *= factor;
  const Outcome small = collide(p, margin(p));
  const Outcome large = collide(q, factor * margin(p));
  RC_ASSERT(small.manifold.count == large.manifold.count);
  if (!small.touches) {
    RC_ASSERT(factor * small.manifold.separation == large.manifold.separation);
    return;
  }
  RC_ASSERT(small.manifold.normal == large.manifold.normal);
  for (int i = 0; i < small.manifold.count; ++i) {
    const ManifoldPoint& s = small.manifold.points[i];
    const ManifoldPoint& l = large.manifold.points[i];
    RC_ASSERT(factor * s.gap == l.gap);
    RC_ASSERT(Vector3D{factor * s.pointA} == l.pointA);
    RC_ASSERT(Vector3D{factor * s.pointB} == l.pointB);
    RC_ASSERT(s.feature == l.feature);
  }
}

RC_GTEST_PROP(CollisionProperties, contactPointsLieOnBothSurfaces, ()) {
  const RandomPair p = drawPair();
  const Outcome outcome = collide(p, margin(p));
  const double size = p.a.size + p.b.size;
  const Coordinate& ref = p.poseA.position;
  const OracleShape a = makeOracleShape(p.a, p.poseA, ref);
  const OracleShape b = makeOracleShape(p.b, p.poseB, ref);
  for (int i = 0; i < outcome.manifold.count; ++i) {
    const ManifoldPoint& point = outcome.manifold.points[i];
    const LongVector onA = point.pointA.cast<long double>() - ref.cast<long double>();
    const LongVector onB = point.pointB.cast<long double>() - ref.cast<long double>();
    // Far ends of capsules that may shut like scissors lie between the surfaces (K-19), on one line
    // along the normal.
    const bool isFarEnd = p.a.kind == ShapeKind::kCapsule && p.b.kind == ShapeKind::kCapsule &&
                          point.gap > outcome.deepest + 1e-9 * size;
    if (!isFarEnd) {
      RC_ASSERT(std::abs(static_cast<double>(a.surfaceDistance(onA))) <= 1e-9 * size);
      RC_ASSERT(std::abs(static_cast<double>(b.surfaceDistance(onB))) <= 1e-9 * size);
    }
    const double along = outcome.manifold.normal.dot(point.pointB - point.pointA);
    RC_ASSERT(std::abs(along - point.gap) <= 1e-12 * size);
  }
}

RC_GTEST_PROP(CollisionProperties, gapChangesNoFasterThanTheSurfacesMove, ()) {
  // The greatest gap over all normals is a distance, or minus one: moving B by d and turning it by
  // phi about its origin changes it by at most |d| + |phi|·size.
  const RandomPair p = drawPair();
  PairGenerator generator{*rc::gen::arbitrary<std::uint64_t>()};
  const double size = p.a.size + p.b.size;
  RandomPair q = p;
  const double step = generator.logUniform(1e-9, 1e-2);
  q.poseB.position += step * size * generator.direction();
  const Vector3D angle = step * generator.direction();
  q.poseB.orientation = cayleyRotation(angle) * q.poseB.orientation;
  const Outcome before = collide(p, 0.1 * size);
  const Outcome after = collide(q, 0.1 * size);
  if (!before.touches || !after.touches) return;
  RC_ASSERT(std::abs(before.deepest - after.deepest) <= 2.0 * step * size + 3e-9 * size);
}

/// Bodies at rest on a large box: a tiny motion must leave the patch where it is.
RC_GTEST_PROP(CollisionProperties, restingContactsFollowSmallMotions, ()) {
  PairGenerator generator{*rc::gen::arbitrary<std::uint64_t>()};
  const CollisionShape floor = box(20, 20, 1);
  const CollisionShape shapes[] = {box(0.5, 0.3, 0.2), cylinder(0.4, 0.6),
                                   hull(boxCorners(0.5, 0.3, 0.2)), capsule(0.2, 0.5)};
  const CollisionShape& shape = shapes[generator.integer(4)];
  Pose pose = turned({0, 0, 1}, generator.uniform(-3.0, 3.0), generator.uniform(-5, 5),
                     generator.uniform(-5, 5), 0.0);
  if (shape.kind == ShapeKind::kCapsule) {
    pose.orientation =
        pose.orientation * turned({0, 1, 0}, 1.5707963267948966, 0, 0, 0).orientation;
  }
  pose.position.z() = -1e-4 - worldBounds(shape, pose).lower.z();
  RandomPair p{shape, floor, pose, at(0, 0, -1)};
  const Outcome before = collide(p, 0.01);
  const double step = generator.logUniform(1e-12, 1e-8);
  p.poseA.position += step * generator.direction();
  const Vector3D angle = step * generator.direction();
  p.poseA.orientation = cayleyRotation(angle) * p.poseA.orientation;
  const Outcome after = collide(p, 0.01);
  RC_ASSERT(before.manifold.count == after.manifold.count);
  RC_ASSERT((before.manifold.normal - after.manifold.normal).norm() <= 1e-12);
  for (int i = 0; i < before.manifold.count; ++i) {
    const ManifoldPoint& point = before.manifold.points[i];
    RC_ASSERT(point.feature == after.manifold.points[i].feature);
    // A flat disc moves its rim points a little once it tilts by a share of 1e-7.
    RC_ASSERT((point.pointA - after.manifold.points[i].pointA).norm() <= 0.1);
    RC_ASSERT(std::abs(point.gap - after.manifold.points[i].gap) <= 4e-8);
    if (shape.kind != ShapeKind::kCylinder) {
      RC_ASSERT((point.pointA - after.manifold.points[i].pointA).norm() <= 4e-8);
    }
  }
}

/// Distance of two lines through points along directions, either of which may be zero.
double distanceOfLines(const Vector3D& between, const Vector3D& a, const Vector3D& b) {
  Vector3D left = between;
  for (int k = 0; k < 2000; ++k) {  // by turns: each direction takes out its own part
    left -= a.dot(left) * a;
    left -= b.dot(left) * b;
  }
  return left.norm();
}

/// The bodies of a pair of shapes, turning about their centres.
SolverBodies turningBodies(const RandomPair& p, PairGenerator& generator) {
  SolverBodies bodies;
  bodies.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Pose& pose = i == 0 ? p.poseA : p.poseB;
    const Quaternion& q = pose.orientation;
    const double values[] = {q.w(), q.x(), q.y(), q.z()};
    std::copy_n(pose.position.data(), 3, bodies.pose[i].x);
    std::copy_n(values, 4, bodies.pose[i].q);
    bodies.pose[i].size = (i == 0 ? p.a : p.b).size;
    const Vector3D w = generator.uniform(1.0, 40.0) * generator.direction();
    std::copy_n(w.data(), 3, bodies.motion[i].w);
  }
  return bodies;
}

// A contact that follows its cores where nothing has moved must stay where the shapes are nearest
// (K-11), also when it was aimed at where they will be halfway through the step (K-12): the lines
// of axes and edges that hardly cross come nearest far beyond their ends.
TEST(CollisionProperties, coresThatFollowStartWhereTheShapesAreNearest) {
  constexpr double kStep = 1.0 / 60.0;
  PairGenerator generator{20261115};
  const ShapeKind others[] = {ShapeKind::kBox, ShapeKind::kCapsule, ShapeKind::kSphere};
  int slides = 0;
  double worst = 0.0;
  for (int k = 0; k < 12000; ++k) {
    RandomPair p = generator.pair(ShapeKind::kCapsule, others[k % 3], 4.0, 3.0);
    const double size = std::min(p.a.size, p.b.size);
    const Outcome far = collide(p, 2.0 * (p.a.size + p.b.size));
    if (!far.touches) continue;
    p.poseB.position += (generator.uniform(-1e-3, 1e-2) * size - far.deepest) * far.manifold.normal;
    Outcome near = collide(p, 0.02 * size);
    if (!near.touches || near.manifold.count != 1) continue;
    const Collider a{.body = 0, .shape = p.a}, b{.body = 1, .shape = p.b};
    if (k % 2 == 1) {
      const SolverBodies bodies = turningBodies(p, generator);
      const auto coming = [&](std::size_t i) {
        return kStep * vectorOf(bodies.motion[i].w).norm() * bodies.pose[i].size;
      };
      aimHalfway({a, p.poseA, coming(0)}, {b, p.poseB, coming(1)}, bodies, near.margin, {},
                 near.manifold);
      if (near.manifold.count != 1) continue;
    }
    const ManifoldPoint& point = near.manifold.points[0];
    const Vector3D& n = near.manifold.normal;
    const ContactRounding r = describeRounding(a, p.poseA, b, p.poseB, near.manifold).rounding;
    if (r.follow != FollowMode::kCores || (r.slideA.isZero(0.0) && r.slideB.isZero(0.0))) continue;
    ++slides;
    const double distance =
        distanceOfLines(point.pointB + r.b * n - (point.pointA - r.a * n), r.slideA, r.slideB);
    worst = std::max(worst, std::abs(distance - (near.deepest + r.a + r.b)) / size);
  }
  EXPECT_GT(slides, 1000);
  EXPECT_LT(worst, 1e-5);  // measured 5.2e-6; 0.9 where slides are not compared with the shapes
}

}  // namespace
}  // namespace msd_sim::test
