// Input at the edge of what shapes and poses may be: never a hang, never a number that is not one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "RandomPairs.hpp"
#include "TestShapes.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"

namespace msd_sim::test {
namespace {

/// Needles, slabs, dust, giants and plain shapes of every kind.
std::vector<CollisionShape> corpus() {
  std::vector<CollisionShape> shapes;
  for (const double size : {1e-3, 1.0, 1e3}) {
    shapes.push_back(sphere(size));
    shapes.push_back(capsule(size, size));
    shapes.push_back(capsule(1e-4 * size, size));
    shapes.push_back(capsule(size, 1e-4 * size));
    shapes.push_back(box(size, size, size));
    shapes.push_back(box(1e-4 * size, 1e-4 * size, size));
    shapes.push_back(box(size, size, 1e-4 * size));
    shapes.push_back(cylinder(size, size));
    shapes.push_back(cylinder(1e-4 * size, size));
    shapes.push_back(cylinder(size, 1e-4 * size));
    shapes.push_back(hull(boxCorners(size, size, 1e-3 * size)));
    shapes.push_back(hull({{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}}));
    shapes.push_back(hull({{0, 0, 0}, {size, 0, 0}, {0, 1e-3 * size, 0}, {0, 0, 1e-3 * size}}));
  }
  return shapes;
}

void expectSound(const ContactManifold& m, double size) {
  EXPECT_NEAR(m.normal.norm(), 1.0, 1e-12);
  for (int i = 0; i < m.count; ++i) {
    EXPECT_TRUE(m.points[i].pointA.allFinite());
    EXPECT_TRUE(m.points[i].pointB.allFinite());
    EXPECT_TRUE(std::isfinite(m.points[i].gap));
    EXPECT_LE(std::abs(m.points[i].gap), 4.0 * size);
  }
}

class DegeneratePoses : public ::testing::TestWithParam<int> {};

TEST_P(DegeneratePoses, everyPairOfTheCorpusIsFinite) {
  const std::vector<CollisionShape> shapes = corpus();
  const double nudges[] = {0.0, 1e-300, 1e-16, 1e-15, 1e-12, 1e-8, 1e-3, 0.5};
  const double nudge = nudges[GetParam()];
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i; j < shapes.size(); ++j) {
      const double size = shapes[i].size + shapes[j].size;
      for (int place = 0; place < 4; ++place) {
        Pose poseB = at(0, 0, 0);
        if (place == 1) poseB.position = {shapes[i].size + shapes[j].size, 0, 0};
        if (place == 2) poseB = turned({0, 0, 1}, 1e-9, 0, 0, 0);
        if (place == 3) poseB = turned({0.6, 0.8, 0}, 1.0, 0, 0, shapes[i].size);
        poseB.position += nudge * size * Vector3D(0.3, 0.5, -0.7);
        ManifoldCache cache;
        ContactManifold m;
        if (collideShapes(shapes[i], at(0, 0, 0), shapes[j], poseB, 0.01 * size, cache, {&m, 1}) >
            0) {
          expectSound(m, size);
        } else {
          EXPECT_GE(m.separation, 0.0);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Nudges, DegeneratePoses, ::testing::Range(0, 8));

TEST(DegenerateCollision, quaternionsAUlpFromUnitLengthAreFine) {
  PairGenerator generator{6};
  for (int i = 0; i < 2000; ++i) {
    RandomPair p = generator.pair(PairGenerator::convexKind(generator.integer(5)),
                                  PairGenerator::convexKind(generator.integer(5)), 1000.0, 100.0);
    p.poseB.orientation.coeffs() *= 1.0 + 1e-15;
    ManifoldCache cache;
    ContactManifold m;
    const double size = p.a.size + p.b.size;
    if (collideShapes(p.a, p.poseA, p.b, p.poseB, 0.1 * size, cache, {&m, 1}) > 0) {
      expectSound(m, size);
    }
  }
}

TEST(DegenerateCollision, notANumberInAPoseEndsWithoutACrash) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<CollisionShape> shapes = corpus();
  const CollisionShape mesh = makeCollisionShape(
      msd_assets::Mesh{gridMesh(4, 1.0, [](int i, int j) { return 0.1 * i * j; })});
  for (const double bad : {nan, inf, -inf, 1e300}) {
    Pose pose = at(bad, 0, 0);
    for (const CollisionShape& a : shapes) {
      ManifoldCache cache;
      std::array<ContactManifold, kMaxTriangleManifolds> m;
      for (const CollisionShape& b : shapes) {
        collideShapes(a, at(0, 0, 0), b, pose, 0.1, cache, m);
      }
      collideShapes(a, pose, mesh, at(0, 0, 0), 0.1, cache, m);
      Pose turnedBadly = at(0, 0, 0);
      turnedBadly.orientation = Quaternion{bad, 0, 0, 1};
      collideShapes(a, turnedBadly, shapes[0], at(0, 0, 0), 0.1, cache, m);
      static_cast<void>(findDistance({a, pose}, {shapes[4], at(0, 0, 0)}));
      static_cast<void>(castRay({a, pose}, {0, 0, 0}, {1, 0, 0}, 10.0));
    }
  }
}

TEST(DegenerateCollision, shapesFarApartCostOneStep) {
  const CollisionShape a = box(1, 1, 1);
  const CollisionShape b = hull(boxCorners(1, 1, 1));
  ManifoldCache cache;
  ContactManifold m;
  EXPECT_EQ(collideShapes(a, at(0, 0, 0), b, at(1e7, 0, 0), 0.1, cache, {&m, 1}), 0);
  EXPECT_NEAR(m.separation, 1e7 - 2.0, 2.0);
}

// A disc whose rim has come down on an edge of a box, as pair 535,984 of a million had it: the tie
// breaker may say which of two places a micron apart goes on, but not how deep the pair is (2.9e-7
// of the size too little before).
TEST(DegenerateCollision, theDeepestPlaceOfASteepPatchStays) {
  const Vector3D up = Vector3D::UnitZ(), tie = Vector3D::UnitX();
  CandidateList list;
  const auto add = [&](double x, double y, double gap) {
    list.add({{x, y, 0.0}, {x, y, gap}, gap, 0});
  };
  add(1.0, 0.0, 0.25);
  add(0.0, 1.0, 0.56);
  add(-6e-4, 0.0, -4.97e-6);
  add(5e-4, 0.0, -6.83e-6);
  add(0.0, 0.0, -7.12e-6);
  reduceCandidates(up, tie, 10.0, 1.0, list);
  ASSERT_LE(list.count, 4);
  double least = 1.0;
  for (int i = 0; i < list.count; ++i) least = std::min(least, list.items[i].gap);
  EXPECT_EQ(least, -7.12e-6);
}

}  // namespace
}  // namespace msd_sim::test
