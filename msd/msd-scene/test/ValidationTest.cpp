// What a scene may do but a user should know about, and what documents made in memory must satisfy.
#include "msd-scene/src/ValidateScene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "msd-scene/src/Expectations.hpp"
#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

using testing::HasSubstr;

std::vector<SceneProblem> warningsOf(const std::string& text) {
  return loadScene(bytesOf(text), "scene.json", noMeshes()).warnings;
}

TEST(SceneWarnings, jointBetweenStaticBodies) {
  const auto warnings =
      warningsOf(replaced(fullScene(), "\"bodyA\": \"ball\", \"bodyB\": \"wedge\"",
                          "\"bodyA\": \"slope\", \"bodyB\": \"terrain\""));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].path.toString(), "joints[0]");
  EXPECT_THAT(warnings[0].found, HasSubstr("two static bodies"));
  EXPECT_GT(warnings[0].position.line, 1u);
}

TEST(SceneWarnings, sizesAndDistancesThatLookLikeAnotherUnit) {
  const auto small = warningsOf(replaced(fullScene(), "[0.2, 0.1, 0.05]", "[2e-5, 1e-5, 1e-5]"));
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0].path.toString(), "shapes.brick");
  const auto far =
      warningsOf(replaced(fullScene(), "\"position\": [-3, 0, 2]", "\"position\": [-3e7, 0, 2]"));
  ASSERT_EQ(far.size(), 1u);
  EXPECT_EQ(far[0].path.toString(), "bodies[6].position");
}

TEST(SceneWarnings, meshTrianglesOfOppositeOrientation) {
  const auto warnings = warningsOf(replaced(fullScene(), "[0, 2, 3]]", "[0, 3, 2]]"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].found, HasSubstr("opposite orientation"));
}

TEST(SceneWarnings, quaternionsNearUnitLengthAreTakenAsMeant) {
  EXPECT_TRUE(
      warningsOf(replaced(fullScene(), "[0.6, 0.8, 0, 0]", "[0.6000004, 0.8, 0, 0]")).empty());
}

TEST(Validation, reportsErrorsEvenBehindManyWarnings) {
  SceneDocument document = parseScene(fullScene(), "full.json");
  document.joints.assign(500, {.bodyA = "slope", .bodyB = "terrain"});
  document.expect.clear();
  document.joints.back().bodyB = "nobody";
  const Validation validation = validate(document);
  ASSERT_NE(validation.firstError(), nullptr);
  EXPECT_EQ(validation.firstError()->path.toString(), "joints[499].bodyB");
  EXPECT_LE(validation.issues.size(), 2 * Validation::kMaxIssues);
}

TEST(Validation, refusesNonFiniteNumbersOfDocumentsMadeInMemory) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    const SceneDocument good = parseScene(fullScene(), "full.json");
    ASSERT_EQ(validate(good).firstError(), nullptr);
    const auto refused = [&](auto change) {
      SceneDocument document = good;
      change(document);
      return validate(document).firstError() != nullptr;
    };
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.dt = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.gravity.z() = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.materials[0].friction = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.bodies[4].position.x() = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.bodies[4].orientation[2] = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.bodies[5].mass = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { (*d.bodies[5].inertia)(1, 1) = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.joints[0].anchor.y() = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.joints[1].axis->x() = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.joints[1].limit->lower = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.joints[1].motor->target = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.joints[8].stiffness = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.solver.sleepTime = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.camera->position.x() = bad; }));
    EXPECT_TRUE(refused([&](SceneDocument& d) { d.expect[0].tolerance = bad; }));
    for (std::size_t shape = 0; shape < 4; ++shape) {
      EXPECT_TRUE(refused([&](SceneDocument& d) {
        std::visit(
            [&](auto& geometry) {
              if constexpr (requires { geometry.radius; }) geometry.radius = bad;
              if constexpr (requires { geometry.halfExtents; }) geometry.halfExtents.x() = bad;
            },
            d.shapes[shape].geometry);
      }));
    }
    EXPECT_TRUE(refused([&](SceneDocument& d) {
      std::get<HullShape>(d.shapes[4].geometry).vertices[1].x() = bad;
    }));
    EXPECT_TRUE(refused([&](SceneDocument& d) {
      std::get<HeightFieldShape>(d.shapes[7].geometry).heights[1] = bad;
    }));
  }
}

/// docs/scene-format.md has a row for every field and every quantity, and none is only in the code.
TEST(SceneFormatPage, documentsEveryField) {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  std::ifstream file{std::string{source} + "/docs/scene-format.md"};
  std::stringstream page;
  page << file.rdbuf();
  for (const FieldGroup& group : sceneFields()) {
    for (const std::string_view field : group.fields) {
      EXPECT_THAT(page.str(), HasSubstr("| `" + std::string{field} + "` |"))
          << "no row for the field " << field << " of " << group.object;
    }
  }
  SceneExpectation ofBody, ofJoint, ofWorld;
  ofBody.body = "b";
  ofJoint.joint = "j";
  for (const SceneExpectation& e : {ofBody, ofJoint, ofWorld}) {
    for (const std::string_view name : quantityNames(e)) {
      EXPECT_THAT(page.str(), HasSubstr("`" + std::string{name} + "`"));
    }
  }
}

}  // namespace
}  // namespace msd_scene::test
