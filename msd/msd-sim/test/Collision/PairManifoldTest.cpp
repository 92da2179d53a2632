// How pairs of shapes touch where the answer is known: points, gaps, normals, whose normal it is.
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <string>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kPi = std::numbers::pi;

ContactManifold collide(const CollisionShape& a, const Pose& poseA, const CollisionShape& b,
                        const Pose& poseB, double margin = 0.0) {
  ManifoldCache cache;
  ContactManifold manifold;
  collideShapes(a, poseA, b, poseB, margin, cache, {&manifold, 1});
  return manifold;
}

double deepestGap(const ContactManifold& m) {
  double least = m.points[0].gap;
  for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].gap);
  return least;
}

/// Is there a contact point near (x, y)?
bool hasPointAt(const ContactManifold& m, double x, double y) {
  for (int i = 0; i < m.count; ++i) {
    if (std::hypot(m.points[i].pointA.x() - x, m.points[i].pointA.y() - y) < 1e-9) return true;
  }
  return false;
}

TEST(SphereSphere, gapIsDistanceOfCentresMinusRadii) {
  const ContactManifold m = collide(sphere(1.0), at(0, 0, 0), sphere(0.5), at(0, 1.2, 0));
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, -0.3, 1e-15);
  EXPECT_EQ(m.normal, Vector3D(0, 1, 0));
  EXPECT_NEAR(m.points[0].pointA.y(), 1.0, 1e-15);
  EXPECT_NEAR(m.points[0].pointB.y(), 0.7, 1e-15);
}

TEST(SphereSphere, concentricSpheresGetAFixedNormal) {
  const ContactManifold m = collide(sphere(1.0), at(1, 1, 1), sphere(0.5), at(1, 1, 1));
  ASSERT_EQ(m.count, 1);
  EXPECT_DOUBLE_EQ(m.points[0].gap, -1.5);
  EXPECT_DOUBLE_EQ(m.normal.norm(), 1.0);
}

TEST(SphereSphere, noPointBeyondTheMarginButTheDistance) {
  const ContactManifold m = collide(sphere(1.0), at(0, 0, 0), sphere(1.0), at(2.5, 0, 0), 0.4);
  EXPECT_EQ(m.count, 0);
  EXPECT_DOUBLE_EQ(m.separation, 0.5);
  EXPECT_EQ(collide(sphere(1.0), at(0, 0, 0), sphere(1.0), at(2.5, 0, 0), 0.6).count, 1);
}

TEST(SphereCapsule, touchesTheSideAndTheCaps) {
  const CollisionShape rod = capsule(0.5, 1.0);
  const ContactManifold side = collide(sphere(1.0), at(1.4, 0, 0.3), rod, at(0, 0, 0));
  EXPECT_NEAR(side.points[0].gap, -0.1, 1e-15);
  EXPECT_NEAR((side.normal - Vector3D(-1, 0, 0)).norm(), 0.0, 1e-15);
  const ContactManifold cap = collide(sphere(1.0), at(0, 0, 2.4), rod, at(0, 0, 0));
  EXPECT_NEAR(cap.points[0].gap, -0.1, 1e-15);
  EXPECT_NEAR((cap.normal - Vector3D(0, 0, -1)).norm(), 0.0, 1e-15);
}

TEST(SphereBox, faceEdgeAndCornerRegions) {
  const CollisionShape cube = box(1, 1, 1);
  const CollisionShape ball = sphere(0.5);
  const ContactManifold face = collide(ball, at(0.3, 0.2, 1.4), cube, at(0, 0, 0));
  EXPECT_NEAR(face.points[0].gap, -0.1, 1e-15);
  EXPECT_EQ(face.normal, Vector3D(0, 0, -1));
  EXPECT_EQ(face.owner, NormalOwner::kBodyB);
  const ContactManifold edge = collide(ball, at(1.3, 0.0, 1.3), cube, at(0, 0, 0), 1.0);
  EXPECT_NEAR(edge.points[0].gap, 0.3 * std::sqrt(2.0) - 0.5, 1e-15);
  EXPECT_EQ(edge.owner, NormalOwner::kNeither);
  const ContactManifold corner = collide(ball, at(1.2, 1.2, 1.2), cube, at(0, 0, 0), 1.0);
  EXPECT_NEAR(corner.points[0].gap, 0.2 * std::sqrt(3.0) - 0.5, 1e-15);
}

TEST(SphereBox, centreInsideLeavesThroughTheNearestFace) {
  const ContactManifold m = collide(sphere(0.25), at(0.2, -0.9, 0.1), box(1, 1, 1), at(0, 0, 0));
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, -0.1 - 0.25, 1e-15);
  EXPECT_EQ(m.normal, Vector3D(0, 1, 0));  // from the sphere into the box
  EXPECT_NEAR(m.points[0].pointB.y(), -1.0, 1e-15);
}

TEST(SphereHull, agreesWithTheBoxOfTheSameShape) {
  const CollisionShape cube = box(0.5, 0.75, 1.0);
  const CollisionShape asHull = hull(boxCorners(0.5, 0.75, 1.0));
  PairGenerator generator{9};
  for (int i = 0; i < 2000; ++i) {
    const Pose ball =
        at(generator.uniform(-2, 2), generator.uniform(-2, 2), generator.uniform(-2, 2));
    Pose solid = at(0.1, 0.2, 0.3);
    solid.orientation = generator.orientation();
    const ContactManifold m = collide(sphere(0.4), ball, cube, solid, 0.3);
    const ContactManifold h = collide(sphere(0.4), ball, asHull, solid, 0.3);
    ASSERT_EQ(m.count, h.count) << i;
    if (m.count == 0) continue;
    EXPECT_NEAR(m.points[0].gap, h.points[0].gap, 1e-14) << i;
    EXPECT_NEAR((m.normal - h.normal).norm(), 0.0, 1e-9) << i;
  }
}

TEST(SphereCylinder, capSideAndRim) {
  const CollisionShape can = cylinder(1.0, 0.5);
  const CollisionShape ball = sphere(0.25);
  const ContactManifold cap = collide(ball, at(0.4, 0.3, 0.7), can, at(0, 0, 0));
  EXPECT_NEAR(cap.points[0].gap, -0.05, 1e-15);
  EXPECT_EQ(cap.normal, Vector3D(0, 0, -1));
  EXPECT_EQ(cap.owner, NormalOwner::kBodyB);
  const ContactManifold side = collide(ball, at(0, 1.2, 0.1), can, at(0, 0, 0));
  EXPECT_NEAR(side.points[0].gap, -0.05, 1e-15);
  EXPECT_NEAR((side.normal - Vector3D(0, -1, 0)).norm(), 0.0, 1e-15);
  const ContactManifold rim = collide(ball, at(1.1, 0, 0.6), can, at(0, 0, 0));
  EXPECT_NEAR(rim.points[0].gap, 0.1 * std::sqrt(2.0) - 0.25, 1e-15);
}

TEST(CapsuleCapsule, crossingCapsulesTouchInOnePoint) {
  const CollisionShape rod = capsule(0.25, 1.0);
  const ContactManifold m = collide(rod, at(0, 0, 0), rod, turned({1, 0, 0}, kPi / 2, 0.4, 0, 0));
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, -0.1, 1e-15);
  EXPECT_NEAR((m.normal - Vector3D(1, 0, 0)).norm(), 0.0, 1e-15);
}

TEST(CapsuleCapsule, parallelCapsulesTouchAtTheEndsOfTheCommonStretch) {
  const CollisionShape rod = capsule(0.25, 1.0);
  const ContactManifold m = collide(rod, at(0, 0, 0), rod, at(0.4, 0, 0.5));
  ASSERT_EQ(m.count, 2);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].gap, -0.1, 1e-15);
  EXPECT_NEAR(std::min(m.points[0].pointA.z(), m.points[1].pointA.z()), -0.5, 1e-15);
  EXPECT_NEAR(std::max(m.points[0].pointA.z(), m.points[1].pointA.z()), 1.0, 1e-15);
}

TEST(CapsuleCapsule, scissorsThatMayShutTouchAtBothEnds) {
  const CollisionShape rod = capsule(0.25, 1.0);
  // Upper ends 0.5 m apart, touching; the lower ones stand open by 2 sin 0.2.
  const double angle = 0.2;
  const Pose open = turned({0, 1, 0}, -angle, 0.5 + std::sin(angle), 0, 1.0 - std::cos(angle));
  const ContactManifold still = collide(rod, at(0, 0, 0), rod, open, 0.1);
  ASSERT_EQ(still.count, 1);
  EXPECT_NEAR(still.points[0].gap, 0.0, 1e-12);
  const ContactManifold shutting = collide(rod, at(0, 0, 0), rod, open, 0.5);
  ASSERT_EQ(shutting.count, 2);
  EXPECT_NEAR(shutting.points[0].gap, 0.0, 1e-12);
  EXPECT_NEAR(shutting.points[1].gap, 2.0 * std::sin(angle), 0.05);
  EXPECT_NEAR((shutting.normal - still.normal).norm(), 0.0, 1e-15);
}

TEST(CapsuleCapsule, endToEndTouchInOnePoint) {
  const CollisionShape rod = capsule(0.25, 1.0);
  const ContactManifold m = collide(rod, at(0, 0, 0), rod, at(0, 0, 2.4));
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, -0.1, 1e-15);
}

TEST(CapsuleBox, lyingOnAFaceGivesTwoPoints) {
  const CollisionShape rod = capsule(0.25, 0.5);
  const Pose lying = turned({0, 1, 0}, kPi / 2, 0.1, 0.2, 1.2);
  const ContactManifold m = collide(rod, lying, box(1, 1, 1), at(0, 0, 0));
  ASSERT_EQ(m.count, 2);
  EXPECT_EQ(m.owner, NormalOwner::kBodyB);
  EXPECT_NEAR((m.normal - Vector3D(0, 0, -1)).norm(), 0.0, 1e-15);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].gap, -0.05, 1e-15);
  EXPECT_NEAR(std::abs(m.points[0].pointA.x() - m.points[1].pointA.x()), 1.0, 1e-12);
}

TEST(CapsuleBox, overhangingRodIsClippedAtTheEdge) {
  const CollisionShape rod = capsule(0.25, 1.0);
  const Pose lying = turned({0, 1, 0}, kPi / 2, 0.8, 0.0, 1.2);
  const ContactManifold m = collide(rod, lying, box(1, 1, 1), at(0, 0, 0));
  ASSERT_EQ(m.count, 2);
  EXPECT_TRUE(hasPointAt(m, -0.2, 0.0));
  EXPECT_TRUE(hasPointAt(m, 1.0, 0.0));
}

TEST(CapsuleBox, standingUprightGivesOnePoint) {
  const ContactManifold m =
      collide(capsule(0.25, 0.5), at(0, 0, 1.7), box(1, 1, 1), at(0, 0, 0), 2.0);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, -0.05, 1e-15);
}

TEST(BoxBox, stackedBoxesTouchInFourCorners) {
  const ContactManifold m =
      collide(box(1, 1, 1), at(0, 0, 0), box(0.5, 0.25, 0.5), at(0.1, 0.2, 1.49));
  ASSERT_EQ(m.count, 4);
  EXPECT_EQ(m.normal, Vector3D(0, 0, 1));
  EXPECT_EQ(m.owner, NormalOwner::kBodyA);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(m.points[i].gap, -0.01, 1e-15);
  for (const double x : {-0.4, 0.6}) {
    for (const double y : {-0.05, 0.45}) EXPECT_TRUE(hasPointAt(m, x, y));
  }
}

TEST(BoxBox, speculativePointsHavePositiveGaps) {
  const ContactManifold m =
      collide(box(1, 1, 1), at(0, 0, 0), box(1, 1, 1), at(0.5, 0.25, 2.01), 0.02);
  ASSERT_EQ(m.count, 4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(m.points[i].gap, 0.01, 1e-15);
}

TEST(BoxBox, turnedBoxOnBoxKeepsFourPointsOfTheOctagon) {
  const ContactManifold m =
      collide(box(1, 1, 1), at(0, 0, 0), box(1, 1, 1), turned({0, 0, 1}, kPi / 4, 0, 0, 1.99));
  ASSERT_EQ(m.count, 4);
  // The octagon's corners lie at (±1, ±(sqrt 2 - 1)) and mirrored: the patch must reach all sides.
  double spread = 0.0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(m.points[i].gap, -0.01, 1e-14);
    for (int j = 0; j < 4; ++j) {
      spread = std::max(spread, (m.points[i].pointA - m.points[j].pointA).norm());
    }
  }
  EXPECT_NEAR(spread, 2.0 * std::hypot(1.0, std::sqrt(2.0) - 1.0), 1e-12);
}

TEST(BoxBox, crossingEdgesTouchInOnePoint) {
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  const ContactManifold m = collide(cube, turned({0, 0, 1}, kPi / 4, 0, 0, 0), cube,
                                    turned({0, 1, 0}, kPi / 4, std::sqrt(2.0) - 0.01, 0, 0));
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, -0.01, 1e-14);
  EXPECT_EQ(m.owner, NormalOwner::kNeither);
  EXPECT_NEAR((m.normal - Vector3D(1, 0, 0)).norm(), 0.0, 1e-14);
}

TEST(CylinderBox, standingCylinderTouchesWithFourPointsOfItsRim) {
  const ContactManifold m =
      collide(cylinder(0.5, 1.0), at(0.1, 0.2, 1.99), box(2, 2, 1), at(0, 0, 0));
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR((m.normal - Vector3D(0, 0, -1)).norm(), 0.0, 1e-15);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(m.points[i].gap, -0.01, 1e-14);
    EXPECT_NEAR(std::hypot(m.points[i].pointA.x() - 0.1, m.points[i].pointA.y() - 0.2), 0.5, 1e-14);
  }
  double spread = 0.0;  // well spread: opposite points of the rim are among them
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      spread = std::max(spread, (m.points[i].pointA - m.points[j].pointA).norm());
    }
  }
  EXPECT_NEAR(spread, 1.0, 1e-12);
}

TEST(CylinderBox, tiltedCylinderTouchesDeepestAtItsLowestRimPoint) {
  // A tilt by t lowers the rim by h·cos t + r·sin t below the centre.
  const double tilt = 0.2;
  const double r = 0.5;
  const double h = 1.0;
  const double reach = h * std::cos(tilt) + r * std::sin(tilt);
  for (const double turn : {0.0, 0.3, 0.785, 1.1}) {
    Pose pose = at(0.1, 0.2, 1.0 + reach - 0.01);
    pose.orientation = Quaternion{Eigen::AngleAxisd(turn, Vector3D::UnitZ())} *
                       Quaternion{Eigen::AngleAxisd(tilt, Vector3D::UnitY())};
    const ContactManifold m = collide(cylinder(r, h), pose, box(2, 2, 1), at(0, 0, 0));
    ASSERT_GE(m.count, 1);
    EXPECT_NEAR(deepestGap(m), -0.01, 1e-13) << turn;
  }
}

TEST(CylinderBox, overhangingCylinderIsClippedToTheTrueDisc) {
  // The disc reaches over the edge x = 2: the patch ends on the chord where circle and edge cross.
  const ContactManifold m =
      collide(cylinder(0.5, 1.0), at(1.9, 0.0, 1.99), box(2, 2, 1), at(0, 0, 0));
  ASSERT_EQ(m.count, 4);
  const double half = std::sqrt(0.25 - 0.01);
  EXPECT_TRUE(hasPointAt(m, 2.0, half));
  EXPECT_TRUE(hasPointAt(m, 2.0, -half));
  EXPECT_TRUE(hasPointAt(m, 1.4, 0.0));
}

TEST(CylinderBox, lyingCylinderTouchesAlongALineOfTwoPoints) {
  const Pose lying = turned({1, 0, 0}, kPi / 2, 0.0, 0.1, 1.49);
  const ContactManifold m = collide(cylinder(0.5, 1.0), lying, box(2, 2, 1), at(0, 0, 0));
  ASSERT_EQ(m.count, 2);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].gap, -0.01, 1e-14);
  EXPECT_NEAR(std::abs(m.points[0].pointA.y() - m.points[1].pointA.y()), 2.0, 1e-12);
}

TEST(CylinderCylinder, coaxialStackTouchesOnTheSmallerDisc) {
  const ContactManifold m =
      collide(cylinder(1.0, 0.5), at(0, 0, 0), cylinder(0.5, 0.5), at(0.1, 0, 0.99));
  ASSERT_EQ(m.count, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(m.points[i].gap, -0.01, 1e-14);
    EXPECT_NEAR(std::hypot(m.points[i].pointB.x() - 0.1, m.points[i].pointB.y()), 0.5, 1e-12);
  }
}

TEST(CylinderCylinder, parallelSidesTouchAlongTheCommonStretch) {
  const ContactManifold m =
      collide(cylinder(0.5, 1.0), at(0, 0, 0), cylinder(0.5, 1.0), at(0.99, 0, 0.5));
  ASSERT_EQ(m.count, 2);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].gap, -0.01, 1e-13);
  EXPECT_NEAR(std::abs(m.points[0].pointA.z() - m.points[1].pointA.z()), 1.5, 1e-9);
}

TEST(ConvexPlane, everyShapeRestsAsOnALargeBox) {
  const CollisionShape floor = plane({0, 0, 1}, 0.0);
  const CollisionShape slab = box(50, 50, 1);
  PairGenerator generator{21};
  for (int i = 0; i < 2000; ++i) {
    const CollisionShape shape = generator.shape(PairGenerator::convexKind(i % 5), 1.0, 3.0);
    Pose pose = at(generator.uniform(-5, 5), generator.uniform(-5, 5), 0.0);
    pose.orientation = i % 2 == 0 ? Quaternion{Quaternion::Identity()} : generator.orientation();
    pose.position.z() = generator.uniform(-0.01, 0.01) - worldBounds(shape, pose).lower.z();
    const ContactManifold m = collide(shape, pose, floor, at(0, 0, 0), 0.02);
    const ContactManifold s = collide(shape, pose, slab, at(0, 0, -1), 0.02);
    ASSERT_GT(m.count, 0) << i;
    ASSERT_GT(s.count, 0) << i;
    EXPECT_EQ(m.normal, Vector3D(0, 0, -1));
    EXPECT_NEAR(deepestGap(m), deepestGap(s), 1e-12) << i;
    // A corner between two others in the same line may be left out on either way.
    EXPECT_GE(m.count + 1, s.count) << i;
    EXPECT_EQ(m.owner, NormalOwner::kBodyB);
  }
}

TEST(ConvexPlane, orderOfShapesMirrorsTheManifold) {
  const CollisionShape floor = plane({0, 0, 1}, 0.5);
  const CollisionShape cube = box(1, 1, 1);
  const ContactManifold m = collide(cube, at(0, 0, 1.45), floor, at(0, 0, 0));
  const ContactManifold w = collide(floor, at(0, 0, 0), cube, at(0, 0, 1.45));
  ASSERT_EQ(m.count, 4);
  ASSERT_EQ(w.count, 4);
  EXPECT_EQ(w.normal, Vector3D(0, 0, 1));
  EXPECT_EQ(w.owner, NormalOwner::kBodyA);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(m.points[i].pointA, w.points[i].pointB);
}

TEST(CollideShapes, twoStaticOnlyShapesNeverTouch) {
  ManifoldCache cache;
  ContactManifold m;
  const CollisionShape floor = plane({0, 0, 1}, 0.0);
  EXPECT_EQ(collideShapes(floor, at(0, 0, 0), floor, at(0, 0, 0), 1.0, cache, {&m, 1}), 0);
  EXPECT_TRUE(std::isinf(m.separation));
}

/// Expects the same normal and the same points in the same order, to rounding. Measured over
/// 600,000 pairs: normals 1.1e-14, gaps 7e-16, points 3e-9, these where the way along a line of
/// contact is flat.
void expectSame(const ContactManifold& m, const ContactManifold& other, double size,
                const std::string& which) {
  ASSERT_EQ(m.count, other.count) << which;
  if (m.count == 0) return;
  EXPECT_LE((m.normal - other.normal).norm(), 1e-12) << which;
  for (int i = 0; i < m.count; ++i) {
    EXPECT_NEAR(m.points[i].gap, other.points[i].gap, 1e-12 * size) << which;
    EXPECT_LE((m.points[i].pointA - other.points[i].pointA).norm(), 1e-7 * size) << which;
  }
}

RandomPair anyPair(PairGenerator& generator) {
  const ShapeKind kindA = PairGenerator::convexKind(generator.integer(5));
  const ShapeKind kindB = PairGenerator::convexKind(generator.integer(5));
  return generator.pair(kindA, kindB, 5.0, 3.0);
}

TEST(CollideShapes, cacheNeverChangesTheOutcome) {
  PairGenerator generator{33};
  for (int i = 0; i < 100000; ++i) {
    const RandomPair p = anyPair(generator);
    const double size = p.a.size + p.b.size;
    ManifoldCache cache;
    ContactManifold cold;
    ContactManifold warm;
    collideShapes(p.a, p.poseA, p.b, p.poseB, 0.05 * size, cache, {&cold, 1});
    collideShapes(p.a, p.poseA, p.b, p.poseB, 0.05 * size, cache, {&warm, 1});
    ManifoldCache foreign;  // as if another pair had left it behind
    foreign.kind = ManifoldCache::Kind::kSimplex;
    foreign.cornerCount = 3;
    foreign.cornersA = {7, 3, 60000, 0};
    foreign.cornersB = {0, 1, 2, 0};
    foreign.axis = generator.direction();
    ContactManifold odd;
    collideShapes(p.a, p.poseA, p.b, p.poseB, 0.05 * size, foreign, {&odd, 1});
    const std::string which = "pair " + std::to_string(i);
    expectSame(cold, warm, size, which + ", again");
    expectSame(cold, odd, size, which + ", with another's cache");
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace msd_sim::test
