// A world made from a document holds what the document says, and behaves as it says.
#include "msd-scene/src/BuildScene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "msd-scene/src/Expectations.hpp"
#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

using testing::HasSubstr;

SceneDocument smallScene() {
  return parseScene(R"({"version": 1, "gravity": [0, 0, 0], "dt": 0.01, "steps": 100,
    "materials": {"oak": {"density": 700, "friction": 0.4, "restitution": 0.3}},
    "shapes": {"ball": {"type": "sphere", "radius": 0.5}, "brick": {"type": "box", "halfExtents": [1, 0.5, 0.25]}},
    "bodies": [
      {"name": "wall", "shape": "brick", "static": true, "position": [0, 0, -10]},
      {"name": "brick", "shape": "brick", "material": "oak", "position": [1, 2, 3],
       "orientation": [0.6, 0, 0.8, 0], "linearVelocity": [0, 1, 0], "angularVelocity": [0, 0.5, 0]},
      {"name": "pushed", "shape": "ball", "position": [20, 0, 0], "force": [500, 0, 0], "mass": 250},
      {"name": "belt", "shape": "brick", "kinematic": true, "position": [0, 40, 0], "linearVelocity": [0, 0, 2]}]})",
                    "small.json");
}

TEST(BuildScene, spawnsBodiesInTheOrderOfTheFile) {
  const SceneDocument document = smallScene();
  const SceneWorld scene = buildWorld(document);
  ASSERT_EQ(scene.bodies.size(), 4u);
  const auto inWorld = scene.world.bodies();
  ASSERT_EQ(inWorld.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(inWorld[i], scene.bodies[i]);
    EXPECT_EQ(scene.world.name(scene.bodies[i]), document.bodies[i].name);
    EXPECT_EQ(scene.bodyByName.at(document.bodies[i].name), scene.bodies[i]);
  }
  EXPECT_TRUE(scene.world.isEnvironment(scene.bodies[0]));
  EXPECT_FALSE(scene.world.isEnvironment(scene.bodies[1]));
}

TEST(BuildScene, givesBodiesTheirPlaceMotionAndMatter) {
  const SceneWorld scene = buildWorld(smallScene());
  const auto& brick = scene.world.inertial(scene.bodies[1]);
  EXPECT_EQ(brick.getReferenceFrame().getOrigin(), Vector3D(1.0, 2.0, 3.0));
  EXPECT_NEAR(brick.getReferenceFrame().getOrientation().y(), 0.8, 1e-15);
  EXPECT_EQ(scene.world.frameVelocity(scene.bodies[1]), Vector3D(0.0, 1.0, 0.0));
  EXPECT_EQ(brick.getInertialState().angularVelocity, Vector3D(0.0, 0.5, 0.0));
  EXPECT_NEAR(brick.getMass(), 700.0 * 2.0 * 1.0 * 0.5, 1e-9);
  EXPECT_EQ(brick.getFrictionCoefficient(), 0.4);
  EXPECT_EQ(brick.getCoefficientOfRestitution(), 0.3);
  EXPECT_NEAR(scene.world.inertial(scene.bodies[2]).getMass(), 250.0, 1e-12);
}

TEST(BuildScene, constantForcesActInEveryStep) {
  // F = 500 N on 250 kg for 1 s: v = 2 m/s, x = 1 m (to the step's first-order error).
  SceneWorld scene = buildWorld(smallScene());
  for (int i = 0; i < 100; ++i) (void)scene.advance();
  EXPECT_NEAR(scene.world.frameVelocity(scene.bodies[2]).x(), 2.0, 1e-9);
  EXPECT_NEAR(scene.world.asset(scene.bodies[2]).getReferenceFrame().getOrigin().x(), 21.0, 0.011);
}

TEST(BuildScene, kinematicBodiesMoveAsTold) {
  SceneWorld scene = buildWorld(smallScene());
  for (int i = 0; i < 100; ++i) (void)scene.advance();
  EXPECT_NEAR(scene.world.asset(scene.bodies[3]).getReferenceFrame().getOrigin().z(), 2.0, 1e-9);
}

TEST(BuildScene, overridesWinOverTheSceneAndTheSceneOverTheDefaults) {
  SceneDocument document = smallScene();
  document.solver.substeps = 7;
  document.solver.sleeping = false;
  document.solver.restitutionThreshold = 0.125;
  const msd_sim::Settings asScene = makeSettings(document);
  EXPECT_EQ(asScene.substeps, 7);
  EXPECT_FALSE(asScene.sleeping);
  EXPECT_EQ(asScene.restitutionThreshold, 0.125);
  EXPECT_EQ(asScene.gravity, Vector3D(0.0, 0.0, 0.0));
  EXPECT_EQ(asScene.iterations, msd_sim::Settings{}.iterations);
  const msd_sim::Settings overridden =
      makeSettings(document, {.substeps = 2, .threads = 3, .sleeping = true});
  EXPECT_EQ(overridden.substeps, 2);
  EXPECT_TRUE(overridden.sleeping);
  EXPECT_EQ(overridden.threads, 3);
  const SceneWorld scene = buildWorld(document, {.dt = 0.25});
  EXPECT_EQ(scene.dt, 0.25);
}

TEST(BuildScene, everySolverSettingReachesTheWorld) {
  const LoadedScene loaded = loadScene(bytesOf(fullScene()), "full.json", noMeshes());
  const msd_sim::Settings s = makeSettings(loaded.document);
  EXPECT_EQ(s.method, msd_sim::Method::kExact);
  EXPECT_EQ(s.substeps, 2);
  EXPECT_EQ(s.iterations, 3);
  EXPECT_EQ(s.exactTolerance, 1e-9);
  EXPECT_EQ(s.exactIterations, 500);
  EXPECT_EQ(s.restitutionThreshold, 0.25);
  EXPECT_EQ(s.positionCorrection, 0.3);
  EXPECT_EQ(s.correctionSpeed, 4.0);
  EXPECT_FALSE(s.sleeping);
  EXPECT_EQ(s.sleepSpeed, 0.01);
  EXPECT_EQ(s.sleepTime, 1.5);
  EXPECT_TRUE(s.sequentialImpacts);
  EXPECT_EQ(s.gravity, Vector3D(0.0, 0.0, -9.81));
}

TEST(BuildScene, everyFieldOfABodyReachesTheWorld) {
  const std::string text = replaced(fullScene(), "\"method\": \"exact\"", "\"method\": \"fast\"");
  const SceneWorld scene = buildWorld(loadScene(bytesOf(text), "full.json", noMeshes()));
  const auto& ball = scene.world.inertial(scene.bodyByName.at("ball"));
  EXPECT_EQ(ball.linearDamping(), 0.01);
  EXPECT_EQ(ball.angularDamping(), 0.02);
  EXPECT_EQ(ball.material().rollingResistance, 0.002);
  EXPECT_EQ(ball.material().torsionalResistance, 0.001);
  ASSERT_EQ(scene.forces.size(), 1u);
  EXPECT_EQ(scene.forces[0].force, Vector3D(0.5, 0.0, 0.0));
  EXPECT_EQ(scene.forces[0].torque, Vector3D(0.0, 0.0, 0.25));
  const auto& hammer = scene.world.inertial(scene.bodyByName.at("hammer"));
  EXPECT_EQ(hammer.getMass(), 2.5);
  EXPECT_EQ(hammer.localCentreOfMass(), Vector3D(0.0, 0.0, 0.3));
  EXPECT_EQ(hammer.getInertiaTensor()(0, 0), 0.2);
  EXPECT_EQ(hammer.getInertiaTensor()(1, 2), -0.02);
}

// τ t = I ω: 3 N·m for 1 s on a ball of 250 kg and radius 0.5 m.
TEST(BuildScene, constantTorquesActInEveryStep) {
  SceneDocument document = smallScene();
  document.bodies[2].torque = {0.0, 0.0, 3.0};
  SceneWorld scene = buildWorld(document);
  for (int i = 0; i < 100; ++i) (void)scene.advance();
  const auto& state = scene.world.inertial(scene.bodies[2]).getInertialState();
  EXPECT_NEAR(state.angularVelocity.z(), 3.0 / (0.4 * 250.0 * 0.25), 1e-12);
}

// A ball falls on two floors, of which the upper touches nothing.
TEST(BuildScene, staticBodiesThatDoNotCollideTouchNothing) {
  SceneDocument document = smallScene();
  document.gravity = {0.0, 0.0, -9.81};
  document.bodies[0].position = {0.0, 0.0, -2.0};
  document.bodies[1].isStatic = true;
  document.bodies[1].collides = false;
  document.bodies[1].position = {0.0, 0.0, -1.0};
  document.bodies[1].linearVelocity.setZero();
  document.bodies[1].angularVelocity.setZero();
  document.bodies[2].position = {0.0, 0.0, 0.0};
  document.bodies[2].force.setZero();
  SceneWorld scene = buildWorld(document);
  for (int i = 0; i < 300; ++i) (void)scene.advance();
  EXPECT_NEAR(scene.world.asset(scene.bodies[2]).pose().position.z(), -2.0 + 0.25 + 0.5, 1e-2);
}

TEST(BuildScene, everyJointKindIsBuilt) {
  // Exact mode refuses the ball's resistance to rolling.
  const std::string text = replaced(fullScene(), "\"method\": \"exact\"", "\"method\": \"fast\"");
  const LoadedScene loaded = loadScene(bytesOf(text), "full.json", noMeshes());
  const SceneWorld scene = buildWorld(loaded);
  ASSERT_EQ(scene.joints.size(), kJointTypes.size());
  EXPECT_EQ(scene.jointByName.size(), 1u);
  const auto& door = scene.world.joint(scene.jointByName.at("door"));
  EXPECT_EQ(door.kind, msd_sim::JointKind::kHinge);
  EXPECT_TRUE(door.bodyA.isNull());
  EXPECT_EQ(door.limit->upper, 1.5);
  EXPECT_EQ(door.motor->maxForce, 20.0);
}

TEST(BuildScene, wrongDocumentsAreRefusedWithThePath) {
  SceneDocument document = smallScene();
  document.bodies[1].shape = "nothing";
  try {
    (void)buildWorld(document);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bodies[1].shape: found \"nothing\""));
  }
}

TEST(BuildScene, overlapsAtTheStartAreFound) {
  SceneDocument document = smallScene();
  document.bodies[2].position = {1.0, 2.0, 3.0};  // inside the brick
  SceneWorld scene = buildWorld(document);
  const auto overlaps = findOverlaps(scene, 1e-3);
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].bodyA + overlaps[0].bodyB, 3u);  // bodies 1 and 2
  EXPECT_GT(overlaps[0].depth, 0.25);
}

// The share is that of the smaller body: 0.02 m of a ball of 1 m is 2 %, of a brick of 2 m 1 %.
TEST(BuildScene, overlapsAreJudgedByTheSmallerBody) {
  SceneDocument document = smallScene();
  document.bodies[1].orientation = {1.0, 0.0, 0.0, 0.0};
  document.bodies[2].position = {1.0, 2.0, 3.0 + 0.25 + 0.5 - 0.02};
  SceneWorld scene = buildWorld(document);
  EXPECT_EQ(findOverlaps(scene, 0.015).size(), 1u);
  EXPECT_EQ(findOverlaps(scene, 0.025).size(), 0u);
}

TEST(Checks, areMeasuredAtTheirTime) {
  SceneDocument document = smallScene();
  document.expect = {
      {.body = "belt", .quantity = "position.z", .value = 1.0, .tolerance = 1e-6, .time = 0.5},
      {.body = "belt", .quantity = "position.z", .value = 2.0, .tolerance = 1e-6},
      {.body = "belt", .quantity = "position.z", .value = 0.0, .tolerance = 0.0, .time = 0.0},
      {.body = "belt", .quantity = "position.z", .max = 1.5},
      {.body = "belt", .quantity = "speed", .min = 1.9, .max = 2.1},
      {.quantity = "time", .value = 1.0, .tolerance = 1e-9},
      {.body = "belt", .quantity = "position.z", .value = 2.5, .tolerance = 0.1},  // too low
      {.body = "belt", .quantity = "position.z", .value = 1.5, .tolerance = 0.1},  // too high
  };
  SceneWorld scene = buildWorld(document);
  ExpectationChecker checker{document};
  checker.observe(scene);
  for (int i = 0; i < 100; ++i) {
    (void)scene.advance();
    checker.observe(scene);
  }
  checker.finish(scene);
  ASSERT_EQ(checker.results().size(), 8u);
  const bool expected[] = {true, true, true, false, true, true, false, false};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(checker.results()[i].holds, expected[i])
        << describe(document.expect[i], checker.results()[i]);
  }
  EXPECT_FALSE(checker.allHold());
  EXPECT_EQ(describe(document.expect[3], checker.results()[3]),
            "FAILED belt.position.z at 1 s: 2 [m], expected <= 1.5");
}

}  // namespace
}  // namespace msd_scene::test
