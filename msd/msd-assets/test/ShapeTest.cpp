// Shapes as values: bounds and radii against brute force, names, sharing, units that are rounded.
#include <gtest/gtest.h>

#include "msd-assets/src/Shape.hpp"
#include "msd-assets/test/MeshSamples.hpp"
#include "msd-assets/test/PointSets.hpp"

namespace msd_assets::test {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

/// The farthest point of a convex shape along a direction, written from the definitions.
Vector3d farthest(const Shape& shape, const Vector3d& d) {
  switch (shape.kind()) {
    case ShapeKind::kSphere:
      return shape.as<Sphere>().radius * d.normalized();
    case ShapeKind::kBox:
      return shape.as<Box>().halfExtents.cwiseProduct(d.array().sign().matrix());
    case ShapeKind::kCapsule: {
      const auto& c = shape.as<Capsule>();
      return c.radius * d.normalized() + Vector3d{0, 0, d.z() < 0 ? -c.halfHeight : c.halfHeight};
    }
    case ShapeKind::kCylinder: {
      const auto& c = shape.as<Cylinder>();
      const Vector3d flat{d.x(), d.y(), 0};
      const Vector3d rim = flat.norm() > 0 ? Vector3d{c.radius * flat.normalized()} : flat;
      return rim + Vector3d{0, 0, d.z() < 0 ? -c.halfHeight : c.halfHeight};
    }
    default: {
      const auto vertices = shape.as<Hull>().polyhedron->vertices();
      return *std::max_element(
          vertices.begin(), vertices.end(),
          [&](const Vector3d& a, const Vector3d& b) { return a.dot(d) < b.dot(d); });
    }
  }
}

std::vector<Shape> convexShapes() {
  return {Sphere{0.6}, Box{{0.2, 0.5, 0.9}}, Capsule{0.3, 0.8}, Cylinder{0.7, 0.4},
          makeHull(makeSet(SetKind::kBall, 1))};
}

TEST(Shape, boundsOfCompoundsAreTight) {
  Random random{21};
  for (const Shape& shape : convexShapes()) {
    for (int i = 0; i < 50; ++i) {
      const Vector3d place = random.inCube();
      const Quaterniond turn = random.rotation();
      const Eigen::AlignedBox3d bounds = localBounds(Compound{{CompoundPart{shape, place, turn}}});
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3d e = Vector3d::Unit(axis);
        const auto reach = [&](const Vector3d& d) {
          return (place + turn * farthest(shape, turn.conjugate() * d))[axis];
        };
        EXPECT_NEAR(bounds.max()[axis], reach(e), 1e-14) << shapeKindName(shape.kind());
        EXPECT_NEAR(bounds.min()[axis], reach(-e), 1e-14) << shapeKindName(shape.kind());
      }
    }
  }
}

TEST(Shape, boundsInTheOwnFrame) {
  const Eigen::AlignedBox3d capsule = localBounds(Capsule{0.25, 1.0});
  EXPECT_EQ(capsule.max(), Vector3d(0.25, 0.25, 1.25));
  EXPECT_EQ(capsule.min(), Vector3d(-0.25, -0.25, -1.25));
  EXPECT_EQ(localBounds(Cylinder{0.5, 2.0}).max(), Vector3d(0.5, 0.5, 2.0));
  const Eigen::AlignedBox3d plane = localBounds(Plane{});
  EXPECT_TRUE(std::isinf(plane.min().x()) && std::isinf(plane.max().z()));

  const Terrain terrain{
      std::make_shared<const HeightField>(3, 2, 0.5, 2.0, std::vector<double>{0, 1, 2, -1, 0, 5})};
  EXPECT_EQ(localBounds(terrain).min(), Vector3d(0, 0, -1));
  EXPECT_EQ(localBounds(terrain).max(), Vector3d(1, 2, 5));
  EXPECT_EQ(terrain.field->sample(2, 1), Vector3d(1.0, 2.0, 5.0));
  EXPECT_EQ(terrain.field->minHeight(), -1.0);
  EXPECT_EQ(terrain.field->maxHeight(), 5.0);
}

TEST(Shape, boundsOfAMeshIgnoreUnusedVertices) {
  Soup soup = boxSurface({1, 2, 3});
  soup.vertices.emplace_back(50, 50, 50);
  const Shape shape = Mesh{std::make_shared<const TriangleMesh>(soup.mesh())};
  EXPECT_EQ(localBounds(shape).max(), Vector3d(1, 2, 3));
  EXPECT_DOUBLE_EQ(boundingRadius(shape, {0, 0, 0}), std::sqrt(14.0));
}

// No point sticks out, and the ball is the smallest one: some direction reaches it.
TEST(Shape, boundingRadiusIsReachedAndNotExceeded) {
  Random random{22};
  for (const Shape& shape : convexShapes()) {
    for (int i = 0; i < 20; ++i) {
      const Vector3d centre = random.inCube();
      const double radius = boundingRadius(shape, centre);
      double reached = 0;
      for (int k = 0; k < 3000; ++k) {
        reached = std::max(reached, (farthest(shape, random.onSphere()) - centre).norm());
      }
      EXPECT_LE(reached, radius * (1 + 1e-14)) << shapeKindName(shape.kind());
      EXPECT_GE(reached, radius * 0.98) << shapeKindName(shape.kind());  // measured 0.995
    }
  }
  EXPECT_TRUE(std::isinf(boundingRadius(Plane{}, {0, 0, 0})));
  const Compound pair{
      {CompoundPart{Sphere{1.0}, {3, 0, 0}},
       CompoundPart{
           Box{{1, 1, 1}}, {-2, 0, 0}, Quaterniond{std::sqrt(0.5), 0, 0, std::sqrt(0.5)}}}};
  EXPECT_DOUBLE_EQ(boundingRadius(pair, {0, 0, 0}), 4.0);
  EXPECT_DOUBLE_EQ(boundingRadius(pair, {3, 0, 0}), std::sqrt(36.0 + 2.0));
  EXPECT_EQ(localBounds(pair).max().x(), 4.0);
  EXPECT_NEAR(localBounds(pair).min().x(), -3.0, 1e-15);
}

TEST(Shape, namesAreThoseOfSceneFiles) {
  const char* const names[] = {"sphere", "box",  "capsule", "cylinder", "hull",
                               "plane",  "mesh", "terrain", "compound"};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(shapeKindName(static_cast<ShapeKind>(i)), names[i]);
}

TEST(Shape, copiesShareHeavyData) {
  const Shape hull = makeHull(makeSet(SetKind::kBall, 2));
  const Shape copy = hull;
  EXPECT_EQ(copy.as<Hull>().polyhedron, hull.as<Hull>().polyhedron);
  EXPECT_TRUE(copy.isConvex());
  EXPECT_FALSE(copy.isStaticOnly());
  EXPECT_TRUE(Shape{Plane{}}.isStaticOnly());
  EXPECT_FALSE(Shape{Plane{}}.isConvex());
}

// A normal or quaternion off by 1e-8 is made a unit; one that is a unit up to rounding keeps its
// bits, so that writing and reading a scene changes nothing.
TEST(Shape, nearlyUnitDirectionsAreNormalisedOnce) {
  const Shape plane = Plane{{0.0, 0.6 * (1 + 1e-8), 0.8 * (1 + 1e-8)}, 2.0};
  EXPECT_NEAR(plane.as<Plane>().normal.norm(), 1.0, 1e-15);
  EXPECT_NEAR(plane.as<Plane>().offset, 2.0 / (1 + 1e-8), 1e-15);  // the same set of points
  Random random{23};
  for (int i = 0; i < 1000; ++i) {
    const Vector3d normal = random.onSphere();
    EXPECT_EQ(Shape{Plane{normal}}.as<Plane>().normal, normal);
    const Quaterniond turn = random.rotation();
    const Shape part = Compound{{CompoundPart{Sphere{1}, {0, 0, 0}, turn}}};
    EXPECT_EQ(part.as<Compound>().parts[0].orientation.coeffs(), turn.coeffs());
  }
}

}  // namespace
}  // namespace msd_assets::test
