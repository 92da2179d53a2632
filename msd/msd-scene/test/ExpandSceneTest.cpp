// Scenes of version 2: what a person writes, and what the engine gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <stdexcept>

#include "msd-scene/src/ExpandScene.hpp"
#include "msd-scene/src/Expression.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_scene {
namespace {

using testing::HasSubstr;
constexpr double kPi = std::numbers::pi;

using Files = std::map<std::string, std::string>;

LoadedScene load(const std::string& text, const Files& files = {},
                 const Variables& parameters = {}) {
  const ExpandOptions options{.parameters = parameters, .files = [&](const std::string& name) {
                                const auto found = files.find(name);
                                if (found == files.end()) throw std::runtime_error{"no such file"};
                                return found->second;
                              }};
  return loadScene(std::as_bytes(std::span{text}), "scene.json", noMeshes(), options);
}

std::string errorOf(const std::string& text, const Files& files = {},
                    const Variables& parameters = {}) {
  try {
    (void)load(text, files, parameters);
  } catch (const SceneError& error) {
    return error.what();
  }
  return {};
}

/// A scene of version 2 with a ball and what else is given.
std::string scene(const std::string& rest) {
  return R"({"version": 2, "shapes": {"ball": {"type": "sphere", "radius": 0.5}},)" + rest + "}";
}

TEST(Expression, hasTheUsualPrecedence) {
  const Variables v{{"r", 2.0}, {"n", 7.0}};
  EXPECT_EQ(evaluate("1 + 2*3^2 - 4/2", v), 17.0);
  EXPECT_EQ(evaluate("-r^2", v), -4.0);
  EXPECT_EQ(evaluate("(n % 4) * 10 + (n > 5 ? 1 : 2)", v), 31.0);
  EXPECT_EQ(evaluate("max(1, r, 3) - min(r, 1)", v), 2.0);
  EXPECT_EQ(evaluate("2*pi*r", v), 4.0 * kPi);
}

TEST(Expression, sinesAreThoseOfTheLibraryToRounding) {
  for (double x = -7.0; x < 7.0; x += 0.37) {
    const Variables v{{"x", x}};
    // Largest difference measured: 8.1e-16, where a turn is taken off first.
    EXPECT_NEAR(evaluate("sin(x)", v), std::sin(x), 1e-15) << x;
    EXPECT_NEAR(evaluate("cos(x)", v), std::cos(x), 1e-15) << x;
    EXPECT_NEAR(evaluate("atan2(x, 0.3 - x)", v), std::atan2(x, 0.3 - x), 1e-15) << x;
    EXPECT_NEAR(evaluate("asin(x/8)", v), std::asin(x / 8.0), 1e-15) << x;
    EXPECT_NEAR(evaluate("acos(x/8)", v), std::acos(x / 8.0), 1e-15) << x;
  }
  EXPECT_NEAR(evaluate("sin(deg(30))", {}), 0.5, 2e-16);
}

TEST(Expression, nonsenseIsAnErrorThatSaysWhere) {
  for (const char* bad :
       {"", "1 +", "2 3", "foo", "sin 3", "sqrt(1, 2)", "(1", "1/0", "sqrt(-1)", "1 ? 2"}) {
    EXPECT_THROW((void)evaluate(bad, {}), ExpressionError) << bad;
  }
  EXPECT_THROW((void)evaluate(std::string(10000, '('), {}), ExpressionError);
  EXPECT_THROW((void)evaluate(std::string(10000, '-'), {}), ExpressionError);
}

TEST(ExpandScene, parametersStandInExpressionsAndNames) {
  const std::string text = scene(R"("parameters": {"h": 2, "twice": "${2*h}"},
    "bodies": [{"name": "ball at ${h}", "shape": "ball", "position": [0, 0, "${twice + 0.5}"]}])");
  const LoadedScene loaded = load(text);
  EXPECT_EQ(loaded.document.bodies[0].name, "ball at 2");
  EXPECT_EQ(loaded.document.bodies[0].position.z(), 4.5);
  EXPECT_EQ(load(text, {}, {{"h", 3.0}}).document.bodies[0].position.z(), 6.5);
  EXPECT_THAT(errorOf(text, {}, {{"k", 3.0}}), HasSubstr("no parameter \"k\""));
}

TEST(ExpandScene, repetitionMakesGridsInOrder) {
  const LoadedScene loaded = load(scene(R"("parameters": {"n": 2},
    "bodies": [{"repeat": {"i": "${n}", "j": [10, 20, 30]}, "name": "b_${i}_${j}", "shape": "ball",
                "position": ["${i}", "${j}", 0]}])"));
  ASSERT_EQ(loaded.document.bodies.size(), 6u);
  EXPECT_EQ(loaded.document.bodies[4].name, "b_1_20");
  EXPECT_EQ(loaded.document.bodies[4].position.y(), 20.0);
}

TEST(ExpandScene, modelsAreUsedWithPosePrefixParametersAndOverrides) {
  const LoadedScene loaded = load(R"({"version": 2,
    "models": {"pendulum": {"parameters": {"length": 1},
      "shapes": {"bob": {"type": "sphere", "radius": 0.1}},
      "bodies": [{"name": "bob", "shape": "bob", "position": [0, 0, "${-length}"]}],
      "joints": [{"type": "hinge", "name": "pivot", "bodyA": "world", "bodyB": "bob",
                  "anchor": [0, 0, 0], "axis": [0, 1, 0]}]}},
    "use": [
      {"model": "pendulum", "prefix": "a/", "position": [1, 0, 5]},
      {"model": "pendulum", "prefix": "b/", "euler": [0, 0, "${pi/2}"], "parameters": {"length": 2},
       "override": {"bodies": {"bob": {"mass": 7}}}}],
    "shapes": {}, "bodies": []})");
  const auto& bodies = loaded.document.bodies;
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0].name, "a/bob");
  EXPECT_EQ(bodies[0].shape, "a/bob");
  EXPECT_EQ(bodies[0].position.z(), 4.0);
  EXPECT_NEAR(bodies[1].position.z(), -2.0, 1e-15);
  EXPECT_EQ(bodies[1].mass, 7.0);
  EXPECT_EQ(loaded.document.joints[1].name, "b/pivot");
  EXPECT_EQ(loaded.document.joints[1].bodyB, "b/bob");
  EXPECT_NEAR(loaded.document.joints[1].axis->x(), -1.0, 1e-15);
}

TEST(ExpandScene, includesBringMaterialsModelsAndParameters) {
  const Files files{{"lib.json", R"({"version": 2, "parameters": {"r": 0.25, "mu": 0.3},
      "materials": {"ice": {"friction": "${mu}"}}, "shapes": {"s": {"type": "sphere", "radius": "${r}"}}})"}};
  const LoadedScene loaded = load(R"({"version": 2, "include": "lib.json", "parameters": {"r": 0.5},
      "shapes": {}, "bodies": [{"name": "a", "shape": "s", "material": "ice"}]})",
                                  files);
  EXPECT_EQ(std::get<SphereShape>(loaded.document.shapes[0].geometry).radius, 0.5);
  EXPECT_EQ(loaded.document.materials[0].friction, 0.3);
}

TEST(ExpandScene, framesEulerAnglesAndAxesWithAngle) {
  const LoadedScene loaded = load(scene(R"("bodies": [
      {"name": "child", "shape": "ball", "frame": "parent", "position": [1, 0, 0]},
      {"name": "parent", "shape": "ball", "position": [0, 0, 3], "axisAngle": [0, 0, 2, "${pi/2}"]}],
    "joints": [{"type": "ball", "bodyA": "parent", "bodyB": "child", "frame": "child", "anchor": [0, 0, 1]}])"));
  const auto& bodies = loaded.document.bodies;
  EXPECT_NEAR(bodies[0].position.y(), 1.0, 1e-15);
  EXPECT_EQ(bodies[0].position.z(), 3.0);
  EXPECT_NEAR(bodies[0].orientation[3], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(loaded.document.joints[0].anchor.z(), 4.0, 1e-15);
}

TEST(ExpandScene, defaultsFillWhatIsLeftOut) {
  const LoadedScene loaded =
      load(scene(R"("defaults": {"body": {"shape": "ball", "mass": 3, "layer": 2}},
    "bodies": [{"name": "a"}, {"name": "b", "mass": 4}, {"name": "c", "static": true}])"));
  EXPECT_EQ(loaded.document.bodies[0].mass, 3.0);
  EXPECT_EQ(loaded.document.bodies[1].mass, 4.0);
  EXPECT_FALSE(loaded.document.bodies[2].mass.has_value());
  EXPECT_EQ(loaded.document.bodies[2].layer, 2u);
}

TEST(ExpandScene, errorsNameWhatWasWritten) {
  // Of the seventh ball that a repetition makes; in an included file; in an expression.
  EXPECT_THAT(
      errorOf(scene(
          "\n\"bodies\": [{\"repeat\": {\"i\": 9}, \"name\": \"b${i}\", \"shape\": \"ball\",\n"
          "\"mass\": \"${6 - i}\"}]")),
      HasSubstr("scene.json:3:9: bodies[0].mass: found 0"));
  EXPECT_THAT(
      errorOf(R"({"version": 2, "include": "a.json", "shapes": {}, "bodies": []})",
              {{"a.json",
                "{\"version\": 2,\n\"shapes\": {\"s\": {\"type\": \"sphere\", \"radius\": -1}}}"}}),
      HasSubstr("a.json:2:"));
  EXPECT_THAT(
      errorOf(scene("\"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"mass\": \"${2*m}\"}]")),
      HasSubstr("the unknown name \"m\""));
  EXPECT_THAT(errorOf(scene("\"bodies\": [{\"name\": \"b\", \"shap\": \"ball\"}]")),
              HasSubstr("the unknown field \"shap\""));
  EXPECT_THAT(errorOf(scene("\"bodies\": [], \"use\": [{\"model\": \"x\"}]")),
              HasSubstr("use[0].model"));
}

TEST(ExpandScene, circlesAndExplosionsAreErrors) {
  EXPECT_THAT(
      errorOf(R"({"version": 2, "include": "a.json"})", {{"a.json", R"({"include": "a.json"})"}}),
      HasSubstr("does not include itself"));
  EXPECT_THAT(
      errorOf(R"({"version": 2, "models": {"m": {"use": [{"model": "m"}]}}, "use": [{"model": "m"}],
                          "shapes": {}, "bodies": []})"),
      HasSubstr("models nested too deep"));
  EXPECT_THAT(errorOf(scene(
                  R"("bodies": [{"repeat": {"i": 1e6, "j": 1e6}, "name": "b", "shape": "ball"}])")),
              HasSubstr("repetitions"));
  EXPECT_THAT(errorOf(scene(R"("bodies": [{"name": "a", "shape": "ball", "frame": "b"},
                                          {"name": "b", "shape": "ball", "frame": "a"}])")),
              HasSubstr("does not depend on this one"));
}

}  // namespace
}  // namespace msd_scene
