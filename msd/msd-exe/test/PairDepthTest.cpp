// The measure of penetration that judges all engines alike, on overlaps that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "msd-exe/src/Bench/PairDepth.hpp"

namespace msd_exe::test {
namespace {

using msd_assets::Box;
using msd_assets::Capsule;
using msd_assets::Shape;
using msd_assets::Sphere;
using msd_sim::Pose;
using msd_sim::Quaternion;
using msd_sim::Vector3D;

Pose at(double x, double y, double z) {
  return {{x, y, z}, Quaternion::Identity()};
}

Shape cubeAsHull(double half) {
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < 8; ++i) {
    points.emplace_back((i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half,
                        (i & 4) != 0 ? half : -half);
  }
  return msd_assets::makeHull(points);
}

Shape flatMesh() {
  auto mesh = std::make_shared<msd_assets::TriangleMesh>(
      std::vector<Eigen::Vector3d>{{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}},
      std::vector<msd_assets::TriangleMesh::Triangle>{{0, 1, 2}, {0, 2, 3}});
  return msd_assets::Mesh{mesh};
}

TEST(PairDepth, measuresKnownOverlapsOfEveryPair) {
  constexpr double kDepth = 0.01;  // measured error below: 2e-16
  const MeasuredShape ball{Sphere{0.5}};
  const MeasuredShape rod{Capsule{0.5, 0.3}};
  const MeasuredShape cube{Box{{0.5, 0.5, 0.5}}};
  const MeasuredShape hull{cubeAsHull(0.5)};
  const MeasuredShape floor{Box{{3.0, 3.0, 1.0}}};
  const MeasuredShape mesh{flatMesh()};
  const double height = 0.5 - kDepth;
  const double rodHeight = 0.8 - kDepth;
  EXPECT_NEAR(pairDepth(floor, at(0, 0, -1), ball, at(0.1, 0.2, height)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(floor, at(0, 0, -1), rod, at(0.1, 0.2, rodHeight)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(floor, at(0, 0, -1), cube, at(0.1, 0.2, height)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(hull, at(0.1, 0.2, height), floor, at(0, 0, -1)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(mesh, at(0, 0, 0), ball, at(0.1, 0.2, height)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(rod, at(0.1, 0.2, rodHeight), mesh, at(0, 0, 0)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(mesh, at(0, 0, 0), cube, at(0.1, 0.2, height)), kDepth, 1e-12);
  EXPECT_NEAR(pairDepth(ball, at(0, 0, 0), ball, at(0.6, 0.0, 0.8 - kDepth * 1.25)),
              1.0 - std::hypot(0.6, 0.7875), 1e-12);
  EXPECT_NEAR(pairDepth(rod, at(0, 0, 0), ball, at(0.99, 0, 0.2)), kDepth, 1e-12);
}

TEST(PairDepth, isNotPositiveForPairsApart) {
  const MeasuredShape cube{Box{{0.5, 0.5, 0.5}}};
  const MeasuredShape ball{Sphere{0.5}};
  EXPECT_LE(pairDepth(cube, at(0, 0, 0), cube, at(0, 0, 1.001)), 0.0);
  EXPECT_LE(pairDepth(cube, at(0, 0, 0), ball, at(0.9, 0.9, 0.0)), 0.0);
  EXPECT_LE(pairDepth(ball, at(0, 0, 0), ball, at(0, 0, 1.001)), 0.0);
}

/// Cubes as boxes and as hulls, turned at random: two ways to the same depth, and moving apart by
/// it separates them.
TEST(PairDepth, agreesForBoxesAndHullsAndSeparates) {
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  const MeasuredShape box{Box{{0.5, 0.5, 0.5}}};
  const MeasuredShape hull{cubeAsHull(0.5)};
  int overlapping = 0;
  for (int i = 0; i < 200; ++i) {
    const auto pose = [&](double reach) {
      return Pose{{reach * uniform(random), reach * uniform(random), reach * uniform(random)},
                  Quaternion{uniform(random), uniform(random), uniform(random), uniform(random)}
                      .normalized()};
    };
    const Pose a = pose(0.0);
    const Pose b = pose(0.8);
    const double depth = pairDepth(box, a, box, b);
    if (depth <= 0.0) continue;
    ++overlapping;
    EXPECT_NEAR(pairDepth(hull, a, box, b), depth, 1e-12);
    EXPECT_NEAR(pairDepth(hull, b, hull, a), depth, 1e-12);
  }
  EXPECT_GT(overlapping, 100);
}

/// A ball whose centre lies inside a box: depth is radius plus the way out.
TEST(PairDepth, measuresRoundShapesWhoseCoreIsInside) {
  const MeasuredShape box{Box{{1.0, 1.0, 1.0}}};
  const MeasuredShape ball{Sphere{0.25}};
  const MeasuredShape rod{Capsule{0.25, 0.1}};
  EXPECT_NEAR(pairDepth(box, at(0, 0, 0), ball, at(0.9, 0, 0)), 0.35, 1e-12);
  EXPECT_NEAR(pairDepth(box, at(0, 0, 0), rod, at(0.9, 0, 0)), 0.35, 1e-12);
}

}  // namespace
}  // namespace msd_exe::test
