// CollisionPipeline::execute by itself: assets in, forces out, nothing else touched.
#include <gtest/gtest.h>

#include <vector>

#include "msd-sim/src/Environment/Reference/ReferencePipeline.hpp"
#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

namespace msd_sim {
namespace {

constexpr double kDt = 1.0 / 60.0;

ConvexHull cubeHull(double half) {
  std::vector<Coordinate> corners;
  for (const double x : {-half, half}) {
    for (const double y : {-half, half}) {
      for (const double z : {-half, half}) corners.emplace_back(x, y, z);
    }
  }
  return ConvexHull{corners};
}

/// A cube of 1 m and 2 kg at height z on a floor whose top is at 0.
struct Landing {
  std::vector<AssetInertial> bodies;
  std::vector<AssetEnvironment> floor;
  CollisionPipeline pipeline;

  Landing(double z, double speed, double e) {
    bodies.emplace_back(1, 1, cubeHull(0.5), 2.0,
                        ReferenceFrame{Coordinate{0, 0, z}, Quaternion::Identity()}, e);
    bodies[0].getInertialState().velocity = {0, 0, speed};
    floor.emplace_back(2, 2, cubeHull(5.0),
                       ReferenceFrame{Coordinate{0, 0, -5.0}, Quaternion::Identity()}, e);
  }
  /// Velocity after the step, as the integrator makes it.
  [[nodiscard]] double speedAfter(double bias = 0.0) const {
    return bodies[0].getInertialState().velocity.z() +
           kDt * bodies[0].getInverseMass() * bodies[0].accumulatedForce().z() + bias;
  }
};

TEST(CollisionHandler, takesAssets) {
  const Landing scene{0.4, 0.0, 0.5};
  const auto hit = CollisionHandler{1e-6}.checkCollision(scene.bodies[0], scene.floor[0]);
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->penetrationDepth, 0.1, 1e-6);
  EXPECT_EQ(hit->contactCount, 4u);
  EXPECT_NEAR(hit->normal.z(), -1.0, 1e-9);  // from the cube to the floor
  EXPECT_FALSE(CollisionHandler{1e-6}.checkCollision(Landing{0.6, 0, 0}.bodies[0], scene.floor[0]));
}

TEST(CollisionHandler, takesCompoundAssets) {
  const msd_assets::Shape dumbbell{
      msd_assets::Compound{{{msd_assets::Sphere{0.5}, {-1, 0, 0}, {1, 0, 0, 0}},
                            {msd_assets::Sphere{0.5}, {1, 0, 0}, {1, 0, 0, 0}}}}};
  const AssetPhysical a{1, 1, dumbbell,
                        ReferenceFrame{Coordinate{0, 0, 0.45}, Quaternion::Identity()}};
  const Landing scene{9.0, 0.0, 0.0};
  const auto all = CollisionHandler{}.checkCollisions(a, scene.floor[0]);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].partA, 1u);
  EXPECT_NEAR(CollisionHandler{}.checkCollision(a, scene.floor[0])->penetrationDepth, 0.05, 1e-9);
}

TEST(CollisionPipeline, executeAddsForcesAndTouchesNothingElse) {
  Landing scene{0.5, -1.0, 1.0};
  const InertialState before = scene.bodies[0].getInertialState();
  scene.pipeline.execute(scene.bodies, scene.floor, kDt);
  EXPECT_TRUE(scene.pipeline.hadCollisions());
  EXPECT_EQ(scene.bodies[0].getInertialState().velocity, before.velocity);
  EXPECT_EQ(scene.bodies[0].getInertialState().position, before.position);
  EXPECT_NEAR(scene.speedAfter(), 1.0, 1e-6);
  Landing apart{0.7, -1.0, 1.0};
  apart.pipeline.execute(apart.bodies, apart.floor, kDt);
  EXPECT_FALSE(apart.pipeline.hadCollisions());
  EXPECT_EQ(apart.bodies[0].accumulatedForce().norm(), 0.0);
}

TEST(CollisionPipeline, CollisionPipeline_VelocityBias) {
  // At rest under gravity the contact carries the weight, for any restitution.
  for (const double e : {0.0, 1.0}) {
    Landing scene{0.5, 0.0, e};
    const double bias = -9.81 * kDt;
    scene.pipeline.execute(scene.bodies, scene.floor, kDt, {{{0, 0, bias}, {0, 0, 0}}});
    EXPECT_NEAR(scene.bodies[0].accumulatedForce().z(), 2.0 * 9.81, 1e-6);
    EXPECT_NEAR(scene.speedAfter(bias), 0.0, 1e-8);
  }
}

TEST(CollisionPipeline, VelocityBias_NoRestitutionCoupling) {
  // v' = -e v, not -e (v + v_bias): the bias is not multiplied by 1 + e.
  Landing scene{0.5, -2.0, 0.5};
  const double bias = -9.81 * kDt;
  scene.pipeline.execute(scene.bodies, scene.floor, kDt, {{{0, 0, bias}, {0, 0, 0}}});
  EXPECT_NEAR(scene.speedAfter(bias), 1.0, 1e-6);
}

TEST(CollisionPipeline, startsFromTheImpulsesOfTheLastFrameAndForgetsOldOnes) {
  Landing scene{0.5, 0.0, 0.0};
  const std::vector<SpatialVector> bias{{{0, 0, -9.81 * kDt}, {0, 0, 0}}};
  scene.pipeline.advanceFrame();
  scene.pipeline.execute(scene.bodies, scene.floor, kDt, bias);
  const int cold = scene.pipeline.reference().iterations();
  EXPECT_EQ(scene.pipeline.contacts().impulses().size(), 4u);
  scene.pipeline.advanceFrame();
  scene.bodies[0].clearForces();
  scene.pipeline.execute(scene.bodies, scene.floor, kDt, bias);
  EXPECT_LE(scene.pipeline.reference().iterations(), cold);
  EXPECT_NEAR(scene.bodies[0].accumulatedForce().z(), 2.0 * 9.81, 1e-6);
  // Apart: what was known is kept for kMaxAge frames, and then gone.
  for (std::uint64_t i = 0; i <= ContactCache::kMaxAge; ++i) {
    EXPECT_EQ(scene.pipeline.contacts().impulses().size(), 4u) << i;
    scene.pipeline.advanceFrame();
    scene.pipeline.expireOldEntries();
  }
  EXPECT_EQ(scene.pipeline.contacts().impulses().size(), 0u);
}

TEST(CollisionPipeline, frictionIsACone) {
  // Pushed along x and y at once: |F_T| = μ N, opposite to the motion.
  Landing scene{0.5, 0.0, 0.0};
  scene.bodies[0].getInertialState().velocity = {3.0, 4.0, 0.0};
  scene.pipeline.execute(scene.bodies, scene.floor, kDt, {{{0, 0, -9.81 * kDt}, {0, 0, 0}}});
  const Force f = scene.bodies[0].accumulatedForce();
  EXPECT_NEAR(std::hypot(f.x(), f.y()), 0.5 * f.z(), 1e-6);
  EXPECT_NEAR(f.x() / f.y(), 0.75, 1e-6);
}

}  // namespace
}  // namespace msd_sim
