// Time of impact, ray and shape casts, overlap and distance against single shapes.
#include <gtest/gtest.h>

#include <numbers>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"
#include "msd-sim/src/Physics/Collision/TimeOfImpact.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim::test {
namespace {

constexpr double kPi = std::numbers::pi;

RigidMotion motion(const Pose& start, const Vector3D& velocity,
                   const Vector3D& angular = Vector3D::Zero()) {
  RigidMotion m;
  m.start = start;
  m.velocity = velocity;
  m.angularVelocity = angular;
  return m;
}

TEST(ExponentialRotation, matchesAngleAxisForAnyAngle) {
  PairGenerator generator{1};
  for (int i = 0; i < 1000; ++i) {
    const Vector3D axis = generator.direction();
    const double angle = generator.logUniform(1e-12, 1e3);
    const Quaternion q = exponentialRotation(angle * axis);
    const Quaternion expected{Eigen::AngleAxisd(angle, axis)};
    EXPECT_LT((q.coeffs() - expected.coeffs()).norm(), 1e-12 + 1e-15 * angle) << angle;
  }
}

TEST(TimeOfImpact, spheresMeetWhenTheGapIsUsedUp) {
  const TimeOfImpact hit =
      computeTimeOfImpact(sphere(1.0), motion(at(0, 0, 0), {3, 0, 0}), sphere(0.5),
                          motion(at(10, 0, 0), {-2, 0, 0}), 10.0, 1e-3);
  ASSERT_EQ(hit.status, TimeOfImpact::Status::kHit);
  const double exact = (10.0 - 1.5 - 1e-3) / 5.0;
  EXPECT_LE(hit.time, exact);
  EXPECT_NEAR(hit.time, exact, 1e-5);
  EXPECT_NEAR((hit.normal - Vector3D(1, 0, 0)).norm(), 0.0, 1e-12);
}

TEST(TimeOfImpact, missesStayApart) {
  const TimeOfImpact miss =
      computeTimeOfImpact(sphere(1.0), motion(at(0, 0, 0), {3, 0, 0}), sphere(0.5),
                          motion(at(10, 1.6, 0), {-2, 0, 0}), 10.0, 1e-3);
  EXPECT_EQ(miss.status, TimeOfImpact::Status::kApart);
  EXPECT_DOUBLE_EQ(miss.time, 10.0);
}

TEST(TimeOfImpact, fastBoxDoesNotTunnelThroughAThinWall) {
  const TimeOfImpact hit =
      computeTimeOfImpact(box(0.1, 0.1, 0.1), motion(at(-5, 0.2, 0.1), {1000, 0, 0}),
                          box(0.001, 1, 1), motion(at(0, 0, 0), {0, 0, 0}), 1.0 / 60.0, 1e-4);
  ASSERT_EQ(hit.status, TimeOfImpact::Status::kHit);
  EXPECT_NEAR(hit.time, (5.0 - 0.1 - 0.001 - 1e-4) / 1000.0, 2e-9);
}

TEST(TimeOfImpact, spinningRodMeetsAPegAtTheClosedFormTime) {
  // A rod of half length 1 turns about z at 1 rad/s from the x axis; a peg of radius 0.1 stands at
  // angle 1.0, distance 0.8. Rod of radius 0.05 meets it when the angle between axis and peg falls to
  // asin((0.05 + 0.1 + target)/0.8).
  const double target = 1e-4;
  const TimeOfImpact hit = computeTimeOfImpact(
      capsule(0.05, 1.0),
      motion(turned({0, 1, 0}, kPi / 2, 0, 0, 0), {0, 0, 0}, {0, 0, 1.0}), sphere(0.1),
      motion(at(0.8 * std::cos(1.0), 0.8 * std::sin(1.0), 0), {0, 0, 0}), 2.0, target);
  ASSERT_EQ(hit.status, TimeOfImpact::Status::kHit);
  const double exact = 1.0 - std::asin((0.15 + target) / 0.8);
  EXPECT_LE(hit.time, exact + 1e-12);
  EXPECT_NEAR(hit.time, exact, 1e-4);
}

TEST(TimeOfImpact, overlapAtTheStartIsTimeZero) {
  const TimeOfImpact hit =
      computeTimeOfImpact(box(1, 1, 1), motion(at(0, 0, 0), {1, 0, 0}), box(1, 1, 1),
                          motion(at(1.5, 0, 0), {0, 0, 0}), 1.0, 1e-3);
  EXPECT_EQ(hit.status, TimeOfImpact::Status::kOverlapping);
  EXPECT_EQ(hit.time, 0.0);
}

TEST(TimeOfImpact, isNeverLaterThanTheTruthAndReachesTheTarget) {
  PairGenerator generator{17};
  int hits = 0;
  int limited = 0;
  for (int i = 0; i < 400; ++i) {
    RandomPair p = generator.pair(PairGenerator::convexKind(generator.integer(5)),
                                  PairGenerator::convexKind(generator.integer(5)), 5.0, 3.0);
    const double size = p.a.size + p.b.size;
    p.poseB.position = p.poseA.position + 2.0 * size * generator.direction();
    RigidMotion a = motion(p.poseA, size * generator.direction(), 3.0 * generator.direction());
    a.velocity += 2.0 * (p.poseB.position - p.poseA.position);
    a.pivot = 0.2 * p.a.size * generator.direction();
    RigidMotion b = motion(p.poseB, 0.5 * size * generator.direction(), 3.0 * generator.direction());
    const double target = 1e-3 * size;
    const TimeOfImpact hit = computeTimeOfImpact(p.a, a, p.b, b, 1.0, target);
    // Sample the distance: nothing may have come closer than the target before that time.
    for (int k = 0; k <= 200; ++k) {
      const double t = hit.time * k / 200.0;
      const double d = GJK{p.a, a.at(t), p.b, b.at(t)}.distance().distance;
      ASSERT_GT(d, target * (1.0 - 1e-6)) << i;
    }
    if (hit.status == TimeOfImpact::Status::kHit) {
      ++hits;
      EXPECT_LE((GJK{p.a, a.at(hit.time), p.b, b.at(hit.time)}.distance().distance),
                1.0101 * target);
    }
    if (hit.status == TimeOfImpact::Status::kLimited) ++limited;
  }
  EXPECT_GT(hits, 100);
  EXPECT_LT(limited, 10);  // measured 0
}

TEST(TimeOfImpact, shapeFallsOntoATerrainOfTriangles) {
  const CollisionShape ground = makeCollisionShape(
      msd_assets::Mesh{gridMesh(20, 0.5, [](int i, int j) { return 0.1 * std::sin(i + 2.0 * j); })});
  const CollisionShape shape = box(0.2, 0.3, 0.1);
  const RigidMotion fall = motion(turned({0, 1, 0}, 0.3, 0.1, 0.2, 3.0), {0.3, 0, -400.0}, {0, 2, 0});
  const double target = 1e-4;
  const TimeOfImpact hit = computeTimeOfImpact(shape, fall, ground, at(0, 0, 0), 1.0 / 60.0, target);
  ASSERT_EQ(hit.status, TimeOfImpact::Status::kHit);
  const double d =
      findDistance({shape, fall.at(hit.time)}, {ground, at(0, 0, 0)}).distance;
  EXPECT_GT(d, target * (1.0 - 1e-6));
  EXPECT_LT(d, target * 1.02);
}

TEST(TimeOfImpact, surfaceIsIgnoredFromBehind) {
  const CollisionShape sheet =
      makeCollisionShape(msd_assets::Mesh{gridMesh(10, 1.0, [](int, int) { return 0.0; })});
  EXPECT_EQ(computeTimeOfImpact(sphere(0.1), motion(at(0, 0, -1), {0, 0, 100}), sheet, at(0, 0, 0),
                                1.0, 1e-3)
                .status,
            TimeOfImpact::Status::kApart);
}

TEST(RayCast, closedFormsOfEveryShape) {
  const auto hit = [](const CollisionShape& s, const Pose& pose, const Vector3D& o, const Vector3D& d) {
    return castRay({s, pose}, o, d, 100.0);
  };
  EXPECT_NEAR(hit(sphere(1), at(5, 0, 0), {0, 0.6, 0}, {1, 0, 0})->distance, 4.2, 1e-15);
  EXPECT_NEAR(hit(box(1, 1, 1), at(5, 0, 0), {0, 0.6, 0}, {1, 0, 0})->distance, 4.0, 1e-15);
  EXPECT_EQ(hit(box(1, 1, 1), at(5, 0, 0), {0, 0.6, 0}, {1, 0, 0})->normal, Vector3D(-1, 0, 0));
  EXPECT_NEAR(hit(cylinder(1, 2), at(5, 0, 0), {0, 0.6, 1.5}, {1, 0, 0})->distance, 4.2, 1e-15);
  EXPECT_NEAR(hit(cylinder(1, 2), at(5, 0, 0), {5.2, 0.3, 9}, {0, 0, -1})->distance, 7.0, 1e-15);
  EXPECT_EQ(hit(cylinder(1, 2), at(5, 0, 0), {5.2, 0.3, 9}, {0, 0, -1})->normal, Vector3D(0, 0, 1));
  EXPECT_NEAR(hit(capsule(1, 2), at(5, 0, 0), {5.6, 0, 9}, {0, 0, -1})->distance, 9 - 2.8, 1e-14);
  EXPECT_NEAR(hit(capsule(1, 2), at(5, 0, 0), {0, 0.6, 1.0}, {1, 0, 0})->distance, 4.2, 1e-15);
  EXPECT_NEAR(hit(hull(boxCorners(1, 1, 1)), at(5, 0, 0), {0, 0.6, 0}, {1, 0, 0})->distance, 4.0, 1e-15);
  EXPECT_NEAR(hit(plane({0, 0, 1}, 1), at(0, 0, 0), {0, 0, 5}, {0.6, 0, -0.8})->distance, 5.0, 1e-15);
  EXPECT_FALSE(hit(sphere(1), at(5, 0, 0), {0, 1.1, 0}, {1, 0, 0}).has_value());
  EXPECT_FALSE(castRay({sphere(1), at(5, 0, 0)}, {0, 0, 0}, {1, 0, 0}, 3.9).has_value());
}

TEST(RayCast, startInsideASolidHitsAtOnceAgainstTheRay) {
  const auto hit = castRay({box(1, 1, 1), at(0, 0, 0)}, {0.2, 0.1, 0}, {0, 1, 0}, 10.0);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->distance, 0.0);
  EXPECT_EQ(hit->normal, Vector3D(0, -1, 0));
}

TEST(RayCast, meshAndTerrainAgreeWithTheSlowLoop) {
  const auto height = [](int i, int j) { return std::sin(0.7 * i) + std::cos(0.4 * j); };
  std::vector<double> heights;
  for (int j = 0; j <= 40; ++j) {
    for (int i = 0; i <= 40; ++i) heights.push_back(height(i, j));
  }
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{gridMesh(40, 0.5, height)});
  const CollisionShape terrain = makeCollisionShape(msd_assets::Terrain{
      std::make_shared<const msd_assets::HeightField>(41, 41, 0.5, 0.5, heights)});
  const TriangleBvh& triangles = *mesh.triangles;
  PairGenerator generator{19};
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3D origin{generator.uniform(-12, 12), generator.uniform(-12, 12), generator.uniform(-4, 4)};
    Vector3D direction = generator.direction();
    if (i % 10 == 0) direction = {0, 0, origin.z() > 0 ? -1.0 : 1.0};
    if (i % 10 == 1) direction = {1, 0, 0};
    double nearest = 30.0;
    bool found = false;
    for (std::uint32_t t = 0; t < triangles.triangleCount(); ++t) {
      double distance = 0.0;
      if (crossTriangle(triangles.triangle(t), origin, direction, distance) && distance <= nearest) {
        nearest = distance;
        found = true;
      }
    }
    const auto a = castRay({mesh, at(0, 0, 0)}, origin, direction, 30.0);
    const auto b = castRay({terrain, at(-10, -10, 0)}, origin, direction, 30.0);
    ASSERT_EQ(a.has_value(), found) << i;
    ASSERT_EQ(b.has_value(), found) << i;
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(a->distance, nearest, 1e-12);
    EXPECT_NEAR(b->distance, nearest, 1e-12);
  }
  EXPECT_GT(hits, 500);
}

TEST(RayCast, noRaySlipsThroughSharedSidesOrCorners) {
  const CollisionShape mesh =
      makeCollisionShape(msd_assets::Mesh{gridMesh(16, 0.37, [](int i, int j) { return 0.01 * i * j; })});
  PairGenerator generator{23};
  for (int j = 1; j < 16; ++j) {
    for (int i = 1; i < 16; ++i) {
      // Aimed at a corner of the grid, and at the middle of the sides that start there.
      for (const Vector3D& step : {Vector3D(0, 0, 0), Vector3D(0.185, 0, 0), Vector3D(0.185, 0.185, 0)}) {
        const Vector3D target{(i - 8) * 0.37 + step.x(), (j - 8) * 0.37 + step.y(), 0.01 * i * j};
        const Vector3D origin = target + Vector3D(generator.uniform(-1, 1), generator.uniform(-1, 1), 5.0);
        const Vector3D direction = (target - origin).normalized();
        EXPECT_TRUE(castRay({mesh, at(0, 0, 0)}, origin, direction, 20.0).has_value());
      }
    }
  }
}

TEST(ShapeCast, stopsWhereTheShapesTouchWithTheExactNormal) {
  const auto hit = castShape({box(0.5, 0.5, 0.5), at(0, 0, 0)}, {10, 0, 0}, {box(1, 1, 1), at(5, 0.2, 0.3)});
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->fraction, 0.35, 1e-14);
  EXPECT_NEAR((hit->normal - Vector3D(-1, 0, 0)).norm(), 0.0, 1e-14);
  EXPECT_NEAR(hit->point.x(), 4.0, 1e-13);
  EXPECT_FALSE(castShape({sphere(0.5), at(0, 0, 0)}, {3, 0, 0}, {box(1, 1, 1), at(5, 0, 0)}).has_value());
}

TEST(ShapeCast, leavesATouchingPairOnRandomShapes) {
  PairGenerator generator{29};
  int hits = 0;
  for (int i = 0; i < 1000; ++i) {
    RandomPair p = generator.pair(PairGenerator::convexKind(generator.integer(5)),
                                  PairGenerator::convexKind(generator.integer(5)), 10.0, 5.0);
    const double size = p.a.size + p.b.size;
    p.poseB.position = p.poseA.position + 2.0 * size * generator.direction();
    const Vector3D way = 1.5 * (p.poseB.position - p.poseA.position) +
                         0.8 * size * generator.direction();
    const auto hit = castShape({p.a, p.poseA}, way, {p.b, p.poseB});
    Pose moved = p.poseA;
    if (!hit) {  // check a few places on the way: none may overlap
      for (int k = 0; k <= 50; ++k) {
        moved.position = p.poseA.position + way * (k / 50.0);
        ASSERT_GT(findDistance({p.a, moved}, {p.b, p.poseB}).distance, 0.0) << i;
      }
      continue;
    }
    ++hits;
    moved.position = p.poseA.position + hit->fraction * way;
    EXPECT_LT(findDistance({p.a, moved}, {p.b, p.poseB}).distance, 1e-11 * size) << i;
    moved.position -= 1e-6 * way;
    EXPECT_GT(findDistance({p.a, moved}, {p.b, p.poseB}).distance, 0.0) << i;
    EXPECT_LT(hit->normal.dot(way), 0.0);
  }
  EXPECT_GT(hits, 300);
}

TEST(ShapeCast, meetsPlanesMeshesAndTerrains) {
  const CollisionShape mesh =
      makeCollisionShape(msd_assets::Mesh{gridMesh(20, 0.5, [](int, int) { return 0.0; })});
  for (const CollisionShape& ground : {plane({0, 0, 1}, 0.0), mesh}) {
    const auto hit = castShape({sphere(0.25), at(0.1, 0.2, 2)}, {1, 0, -4}, {ground, at(0, 0, 0)});
    ASSERT_TRUE(hit.has_value());
    EXPECT_NEAR(hit->fraction, 1.75 / 4.0, 1e-13);
    EXPECT_NEAR((hit->normal - Vector3D(0, 0, 1)).norm(), 0.0, 1e-12);
    EXPECT_NEAR(hit->point.z(), 0.0, 1e-12);
  }
}

TEST(Overlap, agreesWithDistanceOnRandomPairs) {
  PairGenerator generator{31};
  for (int i = 0; i < 3000; ++i) {
    const RandomPair p = generator.pair(PairGenerator::convexKind(generator.integer(5)),
                                        PairGenerator::convexKind(generator.integer(5)), 100.0, 10.0);
    const double d = findDistance({p.a, p.poseA}, {p.b, p.poseB}).distance;
    EXPECT_EQ(overlaps({p.a, p.poseA}, {p.b, p.poseB}), d <= 1e-13 * (p.a.size + p.b.size)) << i;
  }
}

TEST(Overlap, seesPlanesMeshesAndTheSolidGroundOfTerrains) {
  const CollisionShape mesh =
      makeCollisionShape(msd_assets::Mesh{gridMesh(10, 1.0, [](int, int) { return 0.0; })});
  const CollisionShape terrain = makeCollisionShape(msd_assets::Terrain{
      std::make_shared<const msd_assets::HeightField>(11, 11, 1.0, 1.0, std::vector<double>(121, 0.0))});
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  EXPECT_TRUE(overlaps({cube, at(2, 2, 0.4)}, {mesh, at(0, 0, 0)}));
  EXPECT_FALSE(overlaps({cube, at(2, 2, 0.6)}, {mesh, at(0, 0, 0)}));
  EXPECT_TRUE(overlaps({cube, at(2, 2, -5)}, {terrain, at(0, 0, 0)}));
  EXPECT_FALSE(overlaps({cube, at(2, 2, 0.6)}, {terrain, at(0, 0, 0)}));
  EXPECT_TRUE(overlaps({cube, at(2, 2, -5)}, {plane({0, 0, 1}, 0), at(0, 0, 0)}));
}

TEST(Distance, toAMeshIsTheLeastOverItsTriangles) {
  const auto height = [](int i, int j) { return std::sin(0.7 * i) + std::cos(0.4 * j); };
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{gridMesh(20, 0.5, height)});
  PairGenerator generator{37};
  for (int i = 0; i < 200; ++i) {
    const CollisionShape shape = generator.shape(PairGenerator::convexKind(i % 5), 1.0, 3.0);
    Pose pose = at(generator.uniform(-6, 6), generator.uniform(-6, 6), generator.uniform(2.5, 5));
    pose.orientation = generator.orientation();
    const DistanceResult r = findDistance({shape, pose}, {mesh, at(0, 0, 0)});
    double least = 1e9;
    for (std::uint32_t t = 0; t < mesh.triangles->triangleCount(); ++t) {
      const TriangleBvh::Triangle corners = mesh.triangles->triangle(t);
      const ConvexPair pair =
          makeConvexPair(makeTriangleView(corners.data()), at(0, 0, 0), makeConvexView(shape), pose);
      Simplex simplex;
      const GjkOutcome outcome = runGjk(pair, -pair.p_AB, 1e9, simplex);
      least = std::min(least, outcome.v.norm() - pair.b.radius);
    }
    // GJK's answer for one triangle is an upper bound; on round rims it ends 1.4e-6 above, measured.
    EXPECT_LE(r.distance, least + 1e-9) << i;
    EXPECT_GE(r.distance, least - 5e-6) << i;
    EXPECT_NEAR((r.pointB - r.pointA).norm(), r.distance, 1e-12);
  }
}

TEST(NearestPoint, closedFormsAndHulls) {
  EXPECT_NEAR(findNearestPoint({sphere(1), at(1, 0, 0)}, {4, 0, 0}).distance, 2.0, 1e-15);
  EXPECT_EQ(findNearestPoint({sphere(1), at(1, 0, 0)}, {1.5, 0, 0}).distance, 0.0);
  EXPECT_NEAR(findNearestPoint({cylinder(1, 1), at(0, 0, 0)}, {2, 0, 2}).distance, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(findNearestPoint({capsule(1, 1), at(0, 0, 0)}, {0, 0, 3}).distance, 1.0, 1e-15);
  PairGenerator generator{41};
  const CollisionShape solid = box(0.5, 1.0, 0.75);
  const CollisionShape asHull = hull(boxCorners(0.5, 1.0, 0.75));
  for (int i = 0; i < 500; ++i) {
    const Vector3D p = generator.uniform(0.0, 3.0) * generator.direction();
    const Pose pose = turned({0, 0.6, 0.8}, 0.7, 0.1, 0.2, 0.3);
    EXPECT_NEAR((findNearestPoint({solid, pose}, p).point - findNearestPoint({asHull, pose}, p).point).norm(),
                0.0, 1e-12);
  }
}

}  // namespace
}  // namespace msd_sim::test
