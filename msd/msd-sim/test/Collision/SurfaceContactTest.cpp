// Convex shapes on meshes and terrains: a flat surface cut into many triangles must feel flat, ridges
// and corners push along normals of their own, and bodies are pushed to the front.
#include <gtest/gtest.h>

#include <array>
#include <ctime>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/EPA.hpp"
#include "msd-sim/src/Physics/Collision/GJK.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim::test {
namespace {

struct Contacts {
  std::array<ContactManifold, kMaxTriangleManifolds> manifolds;
  int count{0};

  [[nodiscard]] double deepest() const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < manifolds[i].count; ++k) {
        least = std::min(least, manifolds[i].points[k].gap);
      }
    }
    return least;
  }
};

Contacts collide(const CollisionShape& a, const Pose& poseA, const CollisionShape& b,
                 const Pose& poseB, double margin) {
  Contacts contacts;
  ManifoldCache cache;
  contacts.count = collideShapes(a, poseA, b, poseB, margin, cache, contacts.manifolds);
  return contacts;
}

double flat(int, int) { return 0.0; }

CollisionShape flatTerrain(std::uint32_t samples, double cell) {
  return makeCollisionShape(msd_assets::Terrain{std::make_shared<const msd_assets::HeightField>(
      samples, samples, cell, cell, std::vector<double>(samples * samples, 0.0))});
}

/// Every point of `expected` has a partner in `found`, A, B and gap alike.
double compare(const ContactManifold& expected, const ContactManifold& found) {
  double worst = 0.0;
  for (int i = 0; i < expected.count; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < found.count; ++k) {
      least = std::min(least, (expected.points[i].pointA - found.points[k].pointA).norm() +
                                  (expected.points[i].pointB - found.points[k].pointB).norm() +
                                  std::abs(expected.points[i].gap - found.points[k].gap));
    }
    worst = std::max(worst, least);
  }
  return worst;
}

class FlatGrid : public ::testing::TestWithParam<int> {};

TEST_P(FlatGrid, feelsLikeOneLargeBox) {
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{gridMesh(100, 0.1, flat)});
  const CollisionShape terrain = flatTerrain(101, 0.1);
  const CollisionShape slab = box(5, 5, 1);
  PairGenerator generator{static_cast<std::uint64_t>(GetParam())};
  for (int i = 0; i < 400; ++i) {
    const CollisionShape shape =
        generator.shape(PairGenerator::convexKind(GetParam()), 1.0, 3.0);
    Pose pose = at(generator.uniform(-3, 3), generator.uniform(-3, 3), 0.0);
    pose.orientation = generator.orientation();
    if (i % 2 == 0) {  // nearly flat on the ground
      pose.orientation = Quaternion{1.0, 1e-4 * generator.uniform(-1, 1),
                                    1e-4 * generator.uniform(-1, 1), generator.uniform(-1, 1)}
                             .normalized();
    }
    pose.position.z() = generator.uniform(-0.005, 0.01) - worldBounds(shape, pose).lower.z();
    const Contacts expected = collide(shape, pose, slab, at(0, 0, -1), 0.02);
    ASSERT_EQ(expected.count, 1);
    for (const Contacts& found : {collide(shape, pose, mesh, at(0, 0, 0), 0.02),
                                  collide(shape, pose, terrain, at(-5, -5, 0), 0.02)}) {
      ASSERT_EQ(found.count, 1) << i;
      EXPECT_EQ(found.manifolds[0].normal, Vector3D(0, 0, -1)) << i;  // exactly vertical
      EXPECT_EQ(found.manifolds[0].owner, NormalOwner::kBodyB) << i;
      ASSERT_EQ(found.manifolds[0].count, expected.manifolds[0].count) << i;
      // measured 7e-15
      EXPECT_LT(compare(expected.manifolds[0], found.manifolds[0]), 1e-12) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllShapes, FlatGrid, ::testing::Range(0, 5));

TEST(FlatGridSliding, boxKeepsItsFeaturesWhileItSlides) {
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{gridMesh(100, 0.1, flat)});
  const CollisionShape cube = box(0.25, 0.25, 0.25);
  std::array<std::uint32_t, 4> features{};
  for (int i = 0; i <= 1000; ++i) {
    const Contacts c = collide(cube, turned({0, 0, 1}, 0.3, -2.0 + 0.004 * i, 0.17, 0.2499), mesh,
                               at(0, 0, 0), 0.01);
    ASSERT_EQ(c.count, 1);
    ASSERT_EQ(c.manifolds[0].count, 4);
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(c.manifolds[0].points[k].gap, -1e-4, 1e-14);
      std::array<std::uint32_t, 4> now{};
      for (int q = 0; q < 4; ++q) now[q] = c.manifolds[0].points[q].feature;
      std::sort(now.begin(), now.end());
      if (i == 0) features = now;
      EXPECT_EQ(now, features) << i;
    }
  }
}

TEST(TiltedGrid, slopeIsFeltAsAPlane) {
  // A plane z = x/2 cut into triangles, inclined in the mesh's own coordinates.
  const CollisionShape mesh = makeCollisionShape(
      msd_assets::Mesh{gridMesh(60, 0.125, [](int i, int) { return 0.0625 * (i - 30); })});
  const Vector3D n = Vector3D(-0.5, 0, 1).normalized();
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  for (int i = 0; i < 200; ++i) {
    Pose pose;
    pose.orientation = Quaternion::FromTwoVectors(Vector3D::UnitZ(), n) *
                       Quaternion{Eigen::AngleAxisd(0.01 * i, Vector3D::UnitZ())};
    const double x = -1.0 + 0.01 * i;
    pose.position = Vector3D(x, 0.3, 0.5 * x) + 0.499 * n;
    const Contacts c = collide(cube, pose, mesh, at(0, 0, 0), 0.01);
    ASSERT_EQ(c.count, 1) << i;
    EXPECT_LT((c.manifolds[0].normal + n).norm(), 1e-9);  // measured 1e-16
    EXPECT_EQ(c.manifolds[0].count, 4);
    for (int k = 0; k < c.manifolds[0].count; ++k) {
      EXPECT_NEAR(c.manifolds[0].points[k].gap, -1e-3, 1e-12);
    }
  }
}

/// A roof: two slopes that meet in a ridge along y at z = 0.
CollisionShape roof() {
  return makeCollisionShape(msd_assets::Mesh{
      gridMesh(20, 0.5, [](int i, int) { return -0.25 * std::abs(i - 10); })});
}

TEST(Ridge, boxFlatOnARidgeIsPushedStraightUp) {
  const Contacts c = collide(box(1, 1, 0.5), at(0.1, 0.2, 0.49), roof(), at(0, 0, 0), 0.005);
  ASSERT_EQ(c.count, 1);
  EXPECT_NEAR((c.manifolds[0].normal - Vector3D(0, 0, -1)).norm(), 0.0, 1e-12);
  EXPECT_NEAR(c.deepest(), -0.01, 1e-12);
  // A line of contact: the ends of the ridge under the box.
  double low = 1e9;
  double high = -1e9;
  for (int k = 0; k < c.manifolds[0].count; ++k) {
    low = std::min(low, c.manifolds[0].points[k].pointB.y());
    high = std::max(high, c.manifolds[0].points[k].pointB.y());
  }
  EXPECT_NEAR(low, -0.8, 1e-9);
  EXPECT_NEAR(high, 1.2, 1e-9);
}

TEST(Ridge, sphereRollsOverWithoutAJumpInTheNormal) {
  // Over the ridge the normal swings from one slope's to the other's; it never leaves that range.
  const CollisionShape mesh = roof();
  const Vector3D left = Vector3D(-0.5, 0, 1).normalized();
  const double steepest = left.z();
  Vector3D before = Vector3D::Zero();
  for (int i = 0; i <= 2000; ++i) {
    const double x = -0.4 + 0.0004 * i;
    // The centre moves on the parallel curve at height r - 1e-4 over the roof.
    const double r = 0.3;
    const double rise = r - 1e-4;
    const double bend = rise * 0.5 / std::sqrt(1.25);
    const double z = std::abs(x) > bend ? rise * std::sqrt(1.25) - 0.5 * std::abs(x)
                                        : std::sqrt(rise * rise - x * x);
    const Contacts c = collide(sphere(r), at(x, 0.13, z), mesh, at(0, 0, 0), 0.001);
    ASSERT_EQ(c.count, 1) << i;
    EXPECT_NEAR(c.deepest(), -1e-4, 1e-12) << i;
    const Vector3D n = -c.manifolds[0].normal;
    EXPECT_GE(n.z(), steepest - 1e-12);
    if (i > 0) {
      EXPECT_LT((n - before).norm(), 0.003);
    }
    before = n;
  }
}

TEST(Valley, boxInAValleyTouchesBothSlopes) {
  const CollisionShape valley = makeCollisionShape(
      msd_assets::Mesh{gridMesh(20, 0.5, [](int i, int) { return 0.5 * std::abs(i - 10); })});
  const Contacts c = collide(sphere(0.5), at(0, 0.1, 0.5 * std::sqrt(2.0) - 0.01), valley,
                             at(0, 0, 0), 0.001);
  ASSERT_EQ(c.count, 2);
  const double expected = -0.01 * std::sqrt(0.5);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(c.manifolds[i].points[0].gap, expected, 1e-12);
  EXPECT_NEAR((c.manifolds[0].normal + c.manifolds[1].normal).normalized().z(), -1.0, 1e-12);
}

TEST(ConvexMesh, gapAndNormalAreThoseOfTheSolidWhileApart) {
  PairGenerator generator{77};
  for (int i = 0; i < 1000; ++i) {
    const CollisionShape shape =
        generator.shape(PairGenerator::convexKind(i % 5), generator.uniform(0.1, 2.0), 3.0);
    const CollisionShape solid = generator.shape(ShapeKind::kHull, 2.0, 3.0);
    const CollisionShape mesh =
        makeCollisionShape(msd_assets::Mesh{surfaceMesh(*solid.polyhedron)});
    Pose poseA = at(0, 0, 0);
    poseA.orientation = generator.orientation();
    Pose poseB;
    poseB.position = 3.0 * generator.direction();
    poseB.orientation = generator.orientation();
    const DistanceResult before = GJK{shape, poseA, solid, poseB}.distance();
    if (before.distance == 0.0) continue;
    const double size = shape.size + solid.size;
    const double target = size * generator.logUniform(1e-6, 9e-3);
    poseB.position += (target - before.distance) * before.normal;
    const DistanceResult expected = GJK{shape, poseA, solid, poseB}.distance();
    const Contacts c = collide(shape, poseA, mesh, poseB, 0.01 * size);
    ASSERT_GT(c.count, 0) << i;
    EXPECT_NEAR(c.deepest(), expected.distance, 1e-11 * size) << i;  // measured 2e-12
  }
}

TEST(ConvexMesh, shallowOverlapsAreNeverMissed) {
  PairGenerator generator{78};
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const CollisionShape shape =
        generator.shape(PairGenerator::convexKind(i % 5), generator.uniform(0.3, 2.0), 3.0);
    const CollisionShape solid = generator.shape(ShapeKind::kHull, 2.0, 3.0);
    const CollisionShape mesh =
        makeCollisionShape(msd_assets::Mesh{surfaceMesh(*solid.polyhedron)});
    Pose poseA = at(0, 0, 0);
    poseA.orientation = generator.orientation();
    Pose poseB;
    poseB.position = 3.0 * generator.direction();
    poseB.orientation = generator.orientation();
    const DistanceResult before = GJK{shape, poseA, solid, poseB}.distance();
    if (before.distance == 0.0) continue;
    const double size = shape.size + solid.size;
    const double depth = size * generator.logUniform(1e-6, 1e-3);
    poseB.position -= (depth + before.distance) * before.normal;
    GJK gjk{shape, poseA, solid, poseB};
    if (!gjk.intersects()) continue;  // a corner passed by another
    const double expected =
        -EPA{shape, poseA, solid, poseB}.computePenetration(gjk.getSimplex()).depth;
    const Contacts c = collide(shape, poseA, mesh, poseB, 0.01 * size);
    ASSERT_GT(c.count, 0) << i;
    EXPECT_LT(c.deepest(), 0.0) << i;
    if (std::abs(c.deepest() - expected) > 1e-9 * size) ++different;
  }
  // Triangle by triangle another of two nearly equal ways out may be taken.
  EXPECT_LT(different, 20);  // measured 4
}

TEST(RoughMesh, contactsLeadOutOfTheSurface) {
  // Boxes, hulls and capsules that cut into random bumps: moved along the deepest contact again and again
  // they must end up clear of every triangle, not beside a contact that saw only part of the overlap.
  PairGenerator generator{91};
  const auto bumps = [&](int, int) { return generator.uniform(-0.15, 0.15); };
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{gridMesh(20, 0.5, bumps)});
  const ShapeKind kinds[3] = {ShapeKind::kBox, ShapeKind::kHull, ShapeKind::kCapsule};
  int cut = 0;
  for (int i = 0; i < 600; ++i) {
    const CollisionShape shape = generator.shape(kinds[i % 3], generator.uniform(0.6, 1.4), 2.0);
    Pose pose = at(generator.uniform(-3, 3), generator.uniform(-3, 3), generator.uniform(0.2, 0.5));
    pose.orientation = generator.orientation();
    if (!overlaps(PlacedShape{shape, pose}, PlacedShape{mesh, Pose{}})) continue;
    ++cut;
    for (int round = 0; round < 200; ++round) {
      const Contacts c = collide(shape, pose, mesh, Pose{}, 1e-3);
      const ContactManifold* deepest = nullptr;
      double least = 0.0;
      for (int m = 0; m < c.count; ++m) {
        for (int k = 0; k < c.manifolds[m].count; ++k) {
          if (c.manifolds[m].points[k].gap >= least) continue;
          least = c.manifolds[m].points[k].gap;
          deepest = &c.manifolds[m];
        }
      }
      if (deepest == nullptr) break;
      pose.position += (least - 1e-6) * deepest->normal;  // the normal points at the surface
    }
    EXPECT_FALSE(overlaps(PlacedShape{shape, pose}, PlacedShape{mesh, Pose{}})) << i;
    EXPECT_LT(pose.position.z(), 1.5) << i;
  }
  EXPECT_GT(cut, 300);
}

TEST(OneSided, bodiesInFrontArePushedToTheFrontAndBodiesBehindAreLeftAlone) {
  const CollisionShape sheet = makeCollisionShape(msd_assets::Mesh{gridMesh(10, 1.0, flat)});
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  const Contacts front = collide(cube, at(0.2, 0.3, 0.45), sheet, at(0, 0, 0), 0.01);
  ASSERT_EQ(front.count, 1);
  EXPECT_EQ(front.manifolds[0].normal, Vector3D(0, 0, -1));
  EXPECT_NEAR(front.deepest(), -0.05, 1e-14);
  EXPECT_EQ(collide(cube, at(0.2, 0.3, -0.45), sheet, at(0, 0, 0), 0.01).count, 0);
}

TEST(OneSided, thinPlateDoesNotFightItself) {
  // A plate 1 mm thick: a body on its top must not be pulled through by the bottom.
  const auto plate = msd_assets::ConvexPolyhedron::box({2, 2, 5e-4});
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{surfaceMesh(plate)});
  for (const double side : {1.0, -1.0}) {
    const Contacts c =
        collide(box(0.5, 0.5, 0.5), at(0.1, 0.2, side * 0.498), mesh, at(0, 0, 0), 0.01);
    ASSERT_EQ(c.count, 1);
    EXPECT_NEAR(c.manifolds[0].normal.z(), -side, 1e-12);
    EXPECT_NEAR(c.deepest(), -0.0025, 1e-12);
  }
}

TEST(TerrainBelow, bodyUnderTheGroundIsPushedUp) {
  const CollisionShape terrain = flatTerrain(11, 1.0);
  const Contacts c = collide(box(0.5, 0.5, 0.5), at(5.2, 5.3, -3.0), terrain, at(0, 0, 0), 0.01);
  ASSERT_EQ(c.count, 1);
  EXPECT_EQ(c.manifolds[0].normal, Vector3D(0, 0, -1));
  EXPECT_NEAR(c.deepest(), -3.5, 1e-12);
  EXPECT_EQ(c.manifolds[0].count, 4);
}

TEST(TerrainBumps, everyShapeSettlesWithFiniteUpwardNormals) {
  std::vector<double> heights;
  for (int j = 0; j < 65; ++j) {
    for (int i = 0; i < 65; ++i) heights.push_back(0.3 * std::sin(0.5 * i) * std::cos(0.35 * j));
  }
  const CollisionShape terrain = makeCollisionShape(msd_assets::Terrain{
      std::make_shared<const msd_assets::HeightField>(65, 65, 0.25, 0.25, heights)});
  PairGenerator generator{8};
  for (int i = 0; i < 2000; ++i) {
    const CollisionShape shape = generator.shape(PairGenerator::convexKind(i % 5), 1.0, 3.0);
    Pose pose = at(generator.uniform(2, 14), generator.uniform(2, 14), generator.uniform(-0.2, 0.8));
    pose.orientation = generator.orientation();
    const Contacts c = collide(shape, pose, terrain, at(0, 0, 0), 0.02);
    for (int k = 0; k < c.count; ++k) {
      EXPECT_TRUE(c.manifolds[k].normal.allFinite());
      EXPECT_NEAR(c.manifolds[k].normal.norm(), 1.0, 1e-12);
      EXPECT_LE(c.manifolds[k].normal.z(), 0.0) << i;  // out of the ground, from shape to terrain
      EXPECT_GT(c.manifolds[k].count, 0);
    }
  }
}

TEST(SurfaceContact, orderOfTheShapesMirrorsTheManifolds) {
  const CollisionShape mesh = roof();
  const CollisionShape cube = box(0.5, 0.5, 0.5);
  const Pose pose = turned({0, 1, 0}, 0.4, 0.3, 0.2, 0.44);
  const Contacts direct = collide(cube, pose, mesh, at(0, 0, 0), 0.05);
  const Contacts mirrored = collide(mesh, at(0, 0, 0), cube, pose, 0.05);
  ASSERT_EQ(direct.count, mirrored.count);
  ASSERT_GT(direct.count, 0);
  for (int i = 0; i < direct.count; ++i) {
    EXPECT_EQ(direct.manifolds[i].normal, Vector3D{-mirrored.manifolds[i].normal});
    for (int k = 0; k < direct.manifolds[i].count; ++k) {
      EXPECT_EQ(direct.manifolds[i].points[k].pointA, mirrored.manifolds[i].points[k].pointB);
      EXPECT_EQ(direct.manifolds[i].points[k].feature, mirrored.manifolds[i].points[k].feature);
    }
  }
}

// Shapes wander over hills by small steps, once with a memory and once without: the contacts are the same,
// and most triangles need no look.
class RememberedTriangles : public ::testing::TestWithParam<int> {};

TEST_P(RememberedTriangles, giveTheSameContactsAsAFreshLook) {
  const CollisionShape mesh = makeCollisionShape(msd_assets::Mesh{gridMesh(
      24, 0.5, [](int i, int j) { return 0.12 * std::sin(1.7 * i) + 0.15 * std::cos(1.1 * j + 0.3 * i); })});
  PairGenerator generator{static_cast<std::uint64_t>(40 + GetParam())};
  int seen = 0, left = 0, touching = 0;
  double worst = 0.0;
  for (int walk = 0; walk < 40; ++walk) {
    const CollisionShape shape = generator.shape(PairGenerator::convexKind(GetParam()), 0.3, 3.0);
    Pose pose = at(generator.uniform(-4, 4), generator.uniform(-4, 4), 3.0);
    pose.orientation = generator.orientation();
    const double margin = 0.004 * shape.size;
    Contacts below;  // let down until it touches
    for (int i = 0; i < 400 && below.count == 0; ++i) {
      pose.position.z() -= 0.01;
      below = collide(shape, pose, mesh, at(0, 0, 0), margin);
    }
    pose.position.z() += generator.uniform(-0.004, 0.004);
    TriangleMemory memory;
    memory.clear();
    double travel = 1.0;
    for (int step = 0; step < 60; ++step) {
      ManifoldCache cache;
      Contacts warm;
      warm.count = collideShapes(shape, pose, mesh, at(0, 0, 0), margin, cache, warm.manifolds,
                                 {&memory, travel});
      const Contacts cold = collide(shape, pose, mesh, at(0, 0, 0), margin);
      ASSERT_EQ(warm.count, cold.count) << walk << ' ' << step;
      for (int k = 0; k < cold.count; ++k) {
        ASSERT_EQ(warm.manifolds[k].count, cold.manifolds[k].count) << walk << ' ' << step;
        worst = std::max(worst, (warm.manifolds[k].normal - cold.manifolds[k].normal).norm());
        worst = std::max(worst, compare(cold.manifolds[k], warm.manifolds[k]));
      }
      touching += cold.count > 0 ? 1 : 0;
      seen += static_cast<int>(memory.count);
      for (std::uint32_t i = 0; i < memory.count; ++i) {
        left += memory.entries[i].bound - travel > margin ? 1 : 0;
      }
      const double reach = 0.002 * shape.size;
      const Vector3D way{generator.uniform(-reach, reach), generator.uniform(-reach, reach),
                         generator.uniform(-reach, reach)};
      const Vector3D half = 0.5 * Vector3D{generator.uniform(-0.002, 0.002), generator.uniform(-0.002, 0.002),
                                           generator.uniform(-0.002, 0.002)};
      pose.position += way;
      pose.orientation = (Quaternion{1.0, half.x(), half.y(), half.z()} * pose.orientation).normalized();
      travel += way.norm() + 2.0 * half.norm() * shape.size;
    }
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(touching, 1000);
  EXPECT_GT(left, seen / 2);
}

INSTANTIATE_TEST_SUITE_P(AllShapes, RememberedTriangles, ::testing::Range(0, 5));

TEST(TriangleBvh, queryFindsTheTrianglesWhoseBoundsOverlapInAscendingOrder) {
  PairGenerator generator{12};
  std::vector<Vector3D> vertices;
  std::vector<msd_assets::TriangleMesh::Triangle> triangles;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const Vector3D p{generator.uniform(-10, 10), generator.uniform(-10, 10), generator.uniform(-10, 10)};
    for (int k = 0; k < 3; ++k) vertices.push_back(p + generator.uniform(0.01, 1.0) * generator.direction());
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const auto mesh = std::make_shared<const msd_assets::TriangleMesh>(vertices, triangles);
  const TriangleBvh bvh{mesh};
  for (int i = 0; i < 200; ++i) {
    const Vector3D p{generator.uniform(-12, 12), generator.uniform(-12, 12), generator.uniform(-12, 12)};
    const double half = i < 5 ? 30.0 : generator.logUniform(0.01, 5.0);  // the first find all 3,000
    const Aabb queryBox{p.array() - half, p.array() + half};
    std::vector<std::uint32_t> expected;
    std::vector<std::uint32_t> allowed;  // within the rounding of the tree's boxes
    for (std::uint32_t t = 0; t < bvh.triangleCount(); ++t) {
      Aabb bounds;
      for (const Coordinate& corner : bvh.triangle(t)) bounds = bounds.merged({corner, corner});
      if (bounds.overlaps(queryBox)) expected.push_back(t);
      if (bounds.expanded(0.1).overlaps(queryBox)) allowed.push_back(t);
    }
    std::vector<std::uint32_t> found;
    bvh.query(queryBox, [&](std::uint32_t t) { found.push_back(t); });
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
    EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), found.begin(), found.end()));
  }
}

TEST(TriangleBvh, terrainQueryFindsTheSameTrianglesAsTheMesh) {
  std::vector<double> heights;
  const auto height = [](int i, int j) { return std::sin(0.7 * i) + std::cos(0.4 * j); };
  for (int j = 0; j <= 30; ++j) {
    for (int i = 0; i <= 30; ++i) heights.push_back(height(i, j));
  }
  const TriangleBvh terrain{std::make_shared<const msd_assets::HeightField>(31, 31, 0.5, 0.5, heights)};
  const TriangleBvh mesh{gridMesh(30, 0.5, height)};
  ASSERT_EQ(terrain.triangleCount(), mesh.triangleCount());
  PairGenerator generator{13};
  for (int i = 0; i < 200; ++i) {
    const Vector3D p{generator.uniform(-1, 16), generator.uniform(-1, 16), generator.uniform(-3, 3)};
    const double half = generator.logUniform(0.05, 20.0);
    const Aabb here{p.array() - half, p.array() + half};
    const Vector3D shift{7.5, 7.5, 0.0};
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    terrain.query(here, [&](std::uint32_t t) { a.push_back(t); });
    mesh.query({here.lower - shift, here.upper - shift}, [&](std::uint32_t t) { b.push_back(t); });
    EXPECT_TRUE(std::includes(b.begin(), b.end(), a.begin(), a.end()));
    EXPECT_LE(b.size(), a.size() + 20);
  }
  for (std::uint32_t t = 0; t < mesh.triangleCount(); ++t) {
    for (int side = 0; side < 3; ++side) {
      EXPECT_EQ(terrain.neighbour(t, side), mesh.neighbour(t, side));
      EXPECT_EQ(terrain.sideKind(t, side), mesh.sideKind(t, side));
    }
  }
}

TEST(TriangleBvh, aMillionTrianglesAreReadyInTwoSeconds) {
  const auto mesh = gridMesh(707, 0.1, [](int i, int j) { return std::sin(0.1 * i) * std::sin(0.13 * j); });
  ASSERT_GT(mesh->triangles().size(), 990000u);
  // Time of the processor, which company on the machine does not count for.
  const std::clock_t start = std::clock();
  const TriangleBvh bvh{mesh};
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(bvh.triangleCount(), mesh->triangles().size());
  RecordProperty("seconds", std::to_string(seconds));
#ifdef NDEBUG
  EXPECT_LT(seconds, 2.0);  // measured 0.7
#endif
}

}  // namespace
}  // namespace msd_sim::test
