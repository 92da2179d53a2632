// Sensors against what mechanics says they must read.
#include <gtest/gtest.h>

#include <cmath>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace msd_scene::test {
namespace {

std::string scene(const std::string& bodies, const std::string& rest) {
  return R"({"version": 1, "dt": 0.002, "steps": 10, "materials": {"default": {"restitution": 0}},
    "shapes": {"ball": {"type": "sphere", "radius": 0.5}, "cube": {"type": "box", "halfExtents": [0.5, 0.5, 0.5]},
               "ground": {"type": "plane"}}, "bodies": [)" +
         bodies + "], " + rest + "}";
}

SceneWorld build(const std::string& bodies, const std::string& rest) {
  return buildWorld(parseScene(scene(bodies, rest), "sensors.json"));
}

double value(const SceneWorld& scene, const char* name, std::size_t place = 0) {
  return scene.sensors.values(scene.sensors.find(name).value())[place];
}

constexpr const char* kOnGround = R"({"name": "ground", "shape": "ground", "static": true},
    {"name": "cube", "shape": "cube", "mass": 2, "position": [0, 0, 0.5]})";

TEST(Sensors, restReadsGravityWeightAndDistance) {
  SceneWorld scene = build(kOnGround, R"("sensors": [
      {"type": "accelerometer", "name": "feel", "body": "cube", "orientation": [0, 1, 0, 0]},
      {"type": "touch", "name": "all", "body": "cube"},
      {"type": "touch", "name": "edge", "body": "cube", "position": [0.5, 0, -0.5], "halfExtents": [0.1, 0.6, 0.1]},
      {"type": "range", "name": "down", "body": "cube", "position": [0, 0, 0.25], "orientation": [0, 1, 0, 0]},
      {"type": "range", "name": "up", "body": "cube"}])");
  for (int i = 0; i < 200; ++i) scene.advance();
  // Upside down, up is along -z of the sensor.
  EXPECT_NEAR(value(scene, "feel", 2), -9.81, 1e-4);
  EXPECT_NEAR(value(scene, "all"), 2.0 * 9.81, 1e-3);
  // Balance of moments about y: half the weight rests on either edge.
  EXPECT_NEAR(value(scene, "edge"), 0.5 * 2.0 * 9.81, 1e-3);
  EXPECT_NEAR(value(scene, "down"), 0.75, 1e-4);
  EXPECT_EQ(value(scene, "up"), -1.0);
}

TEST(Sensors, freeFallFeelsNothingAndSpinIsSeenInTheSensorsAxes) {
  // Sensor axes: a quarter turn about x takes the body's y to the sensor's -z... the spin about z
  // is seen along y.
  SceneWorld scene = build(
      R"({"name": "ball", "shape": "ball", "position": [0, 0, 9], "angularVelocity": [0, 0, 3], "linearVelocity": [1, 0, 0]})",
      R"("sensors": [
      {"type": "accelerometer", "name": "feel", "body": "ball"},
      {"type": "gyro", "name": "gyro", "body": "ball", "orientation": [0.7071067811865476, 0.7071067811865476, 0, 0]},
      {"type": "linearVelocity", "name": "rim", "body": "ball", "position": [0.5, 0, 0]},
      {"type": "position", "name": "where", "body": "ball", "position": [0.5, 0, 0]}])");
  EXPECT_NEAR(value(scene, "rim", 0), 1.0, 1e-12);
  EXPECT_NEAR(value(scene, "rim", 1), 1.5, 1e-12);
  EXPECT_NEAR(value(scene, "where", 0), 0.5, 1e-12);
  for (int i = 0; i < 10; ++i) scene.advance();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(value(scene, "feel", k), 0.0, 1e-9);
  EXPECT_NEAR(value(scene, "gyro", 1), 3.0, 1e-12);
  EXPECT_NEAR(value(scene, "gyro", 0), 0.0, 1e-12);
}

TEST(Sensors, jointsReadTheirCoordinateAndTheForceThatHoldsThem) {
  SceneWorld scene = build(
      R"({"name": "ball", "shape": "ball", "mass": 3, "position": [0, 0, -1]})",
      R"("joints": [{"type": "hinge", "name": "pivot", "bodyA": "world", "bodyB": "ball", "anchor": [0, 0, 0], "axis": [0, 1, 0]}],
      "sensors": [{"type": "jointPosition", "name": "angle", "joint": "pivot", "offset": 0.5},
                  {"type": "jointVelocity", "name": "rate", "joint": "pivot"},
                  {"type": "jointForce", "name": "pull", "joint": "pivot"}])");
  for (int i = 0; i < 50; ++i) scene.advance();
  EXPECT_NEAR(value(scene, "angle"), 0.5, 1e-9);
  EXPECT_NEAR(value(scene, "rate"), 0.0, 1e-9);
  EXPECT_NEAR(value(scene, "pull", 2), 3.0 * 9.81, 1e-6);
}

TEST(Sensors, wrongOnesAreErrorsWithTheirPath) {
  const auto error = [](const std::string& sensor) -> std::string {
    try {
      (void)build(kOnGround, "\"sensors\": [" + sensor + "]");
    } catch (const SceneError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(error(R"({"type": "gyro", "name": "g", "body": "cub"})").find("did you mean \"cube\""),
            std::string::npos);
  EXPECT_NE(
      error(R"({"type": "jointPosition", "name": "g", "joint": "j"})").find("sensors[0].joint"),
      std::string::npos);
  EXPECT_NE(error(R"({"type": "smell", "name": "g"})").find("sensors[0].type"), std::string::npos);
  EXPECT_NE(error(R"({"type": "touch", "name": "g"})").find("the body that is touched"),
            std::string::npos);
}

TEST(Exclusion, excludedBodiesPassThroughEachOther) {
  SceneWorld scene = build(
      R"({"name": "ground", "shape": "ground", "static": true},
         {"name": "ghost", "shape": "ball", "position": [0, 0, 0.5], "linearVelocity": [0, 0, -1]},
         {"name": "ball", "shape": "ball", "position": [3, 0, 0.5], "linearVelocity": [0, 0, -1]})",
      R"("exclude": [["ground", "ghost"]])");
  for (int i = 0; i < 50; ++i) scene.advance();
  const auto height = [&](const char* name) {
    return scene.world.asset(scene.bodyByName.at(name)).getReferenceFrame().pose().position.z();
  };
  EXPECT_LT(height("ghost"), 0.4);
  EXPECT_NEAR(height("ball"), 0.5, 1e-3);
}

TEST(Pairs, twoMaterialsTogetherHaveTheirOwnFriction) {
  // A cube at 2 m/s with friction 0 slides on at its speed; with 0.5 it stops after 0.41 s.
  const auto speed = [](const std::string& pairs) {
    SceneWorld scene = buildWorld(parseScene(
        R"({"version": 1, "dt": 0.002, "steps": 1, "materials": {"a": {"friction": 0.5}, "b": {"friction": 0.5}},
        "shapes": {"cube": {"type": "box", "halfExtents": [0.5, 0.5, 0.1]}, "ground": {"type": "plane"}},
        "bodies": [{"name": "ground", "shape": "ground", "static": true, "material": "a"},
                   {"name": "cube", "shape": "cube", "material": "b", "position": [0, 0, 0.1], "linearVelocity": [2, 0, 0]}])" +
            pairs + "}",
        "pairs.json"));
    for (int i = 0; i < 250; ++i) scene.advance();
    return scene.world.frameVelocity(scene.bodyByName.at("cube")).x();
  };
  EXPECT_NEAR(speed(""), 0.0, 1e-6);
  EXPECT_NEAR(speed(R"(, "pairs": [{"materials": ["b", "a"], "friction": 0}])"), 2.0, 1e-6);
}

}  // namespace
}  // namespace msd_scene::test
