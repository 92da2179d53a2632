// A case's world, however it was made, runs with the bits of one built from the case's scene file.
#include <gtest/gtest.h>

#include <cmath>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"
#include "msd-study/src/CaseRunner.hpp"
#include "msd-study/src/CaseWorld.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_study::test {

namespace {

std::string hashAfterRun(msd_scene::SceneWorld& scene, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) scene.advance();
  return scene.world.stateHash().toString();
}

/// The hash of a case run from its scene as text, read and built afresh.
std::string hashFromFile(const Study& study, std::uint64_t index) {
  const msd_scene::SceneDocument document = study.sceneOf(index);
  const std::string text = msd_scene::writeScene(document, {.embedMeshes = true});
  const auto loaded = msd_scene::loadScene(std::as_bytes(std::span{text}), "case", msd_scene::noMeshes());
  msd_scene::SceneWorld fresh = msd_scene::buildWorld(loaded);
  return hashAfterRun(fresh, document.steps);
}

void expectBitsOfTheFile(const Study& study, bool startOnly) {
  EXPECT_EQ(study.makePatch().changesStartOnly(), startOnly);
  CaseWorld worlds{study};
  std::vector<std::string> hashes;
  for (std::uint64_t i = 0; i < study.cases().size(); ++i) {
    msd_scene::SceneWorld& world = worlds.prepare(study.cases().values(i));
    hashes.push_back(hashAfterRun(world, worlds.document().steps));
    EXPECT_EQ(hashes.back(), hashFromFile(study, i)) << "case " << i;
  }
  // And in another order, after other cases.
  for (std::uint64_t i = study.cases().size(); i-- > 0;) {
    msd_scene::SceneWorld& world = worlds.prepare(study.cases().values(i));
    EXPECT_EQ(hashAfterRun(world, worlds.document().steps), hashes[i]) << "case " << i << " again";
  }
}

TEST(CaseWorld, setBackFromItsSnapshotHasTheBitsOfOneBuiltAnew) {
  const auto study = makeStudy(
      R"("turn": {"path": "bodies.pair.orientation", "rotation": "uniform"},
         "z": {"path": "bodies.pair.position[2]", "uniform": [0.5, 1.5]},
         "v": {"path": ["bodies.ball.linearVelocity[0]", {"path": "bodies.box.linearVelocity[1]", "scale": -2}],
               "uniform": [-1, 1]},
         "push": {"path": "bodies.box.force[1]", "uniform": [-5, 5]},
         "swing": {"path": "bodies.bob.angularVelocity[0]", "uniform": [-2, 2]},
         "g": {"path": "gravity[2]", "values": [-9.81, -1.62]})",
      R"(, "sampling": {"cases": 4})");
  expectBitsOfTheFile(*study, true);
}

TEST(CaseWorld, builtFromSharedShapesHasTheBitsOfTheFile) {
  const auto study = makeStudy(
      R"("friction": {"path": "materials.default.friction", "values": [0.1, 0.6]},
         "radius": {"path": "shapes.ball.radius", "values": [0.15, 0.25]},
         "corner": {"path": {"path": "shapes.wedge.vertices[1][0]", "scale": 2, "offset": -0.1}, "values": [0.2]},
         "material": {"path": "bodies.box.material", "values": ["ice", "default"]},
         "method": {"path": "solver.method", "values": ["fast", "exact"]})",
      R"(, "steps": 30)");
  expectBitsOfTheFile(*study, false);
}

TEST(CaseWorld, movedJointedBodyIsBuiltAnew) {
  const auto study =
      makeStudy(R"("z": {"path": "bodies.bob.position[2]", "values": [2, 2.1]})", R"(, "steps": 20)");
  expectBitsOfTheFile(*study, false);
}

TEST(CaseWorld, surfacesAndTheirTreesAreSharedBetweenWorlds) {
  const msd_assets::Shape surface = msd_assets::Mesh{std::make_shared<const msd_assets::TriangleMesh>(
      std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}})};
  const auto first = msd_sim::makeCollisionShape(surface);
  const auto second = msd_sim::makeCollisionShape(surface);
  EXPECT_EQ(first.triangles, second.triangles);
}

TEST(CaseRunner, valuesThatMakeNoSceneAreARowWithTheReason) {
  const auto study = makeStudy(R"("mass": {"path": "bodies.ball.mass", "values": [1, -1, 2]})");
  CaseRunner runner{*study};
  std::vector<CaseResult> results;
  for (std::uint64_t i = 0; i < 3; ++i) results.push_back(runner.run({i, study->cases().values(i)}));
  EXPECT_EQ(results[0].status, CaseStatus::kOk);
  EXPECT_EQ(results[1].status, CaseStatus::kInvalid);
  EXPECT_NE(results[1].reason.find("bodies[1].mass: found -1"), std::string::npos) << results[1].reason;
  EXPECT_TRUE(results[1].values.empty());
  EXPECT_EQ(results[2].status, CaseStatus::kOk);
}

TEST(CaseRunner, measuresWhatTheStudyAsksFor) {
  const auto study = makeStudy(R"("z": {"path": "bodies.ball.position[2]", "values": [1]})",
                               R"(, "steps": 100)", R"(
      "final": {"body": "ball", "quantity": "position.z"},
      "early": {"body": "ball", "quantity": "position.z", "at": 0.2},
      "top": {"body": "ball", "quantity": "position.z", "take": "max"},
      "topTime": {"body": "ball", "quantity": "position.z", "take": "timeOfMax"},
      "low": {"body": "ball", "quantity": "position.z", "take": "min"},
      "mean": {"quantity": "time", "take": "mean"},
      "fallen": {"body": "ball", "quantity": "position.z", "take": "firstTime", "below": 0.5},
      "never": {"body": "ball", "quantity": "position.z", "take": "firstTime", "above": 2},
      "firstHit": {"body": "ball", "event": "hit", "with": "floor", "take": "firstTime"},
      "fastest": {"body": "ball", "event": "hit", "take": "maxSpeed"},
      "other": {"body": "ball", "event": "hit", "with": "box", "take": "count"})");
  CaseRunner runner{*study};
  const std::vector<double> v = runner.run({0, study->cases().values(0)}).values;
  // Free fall: z = 1 - g t²/2, met exactly; the floor is reached after 0.404 s at 3.96 m/s.
  EXPECT_NEAR(v[1], 1.0 - 0.5 * 9.81 * 0.04, 1e-12);       // measured: 1e-16
  EXPECT_NEAR(v[2], 1.0 - 0.5 * 9.81 * 0.0001, 1e-12);     // after the first step
  EXPECT_NEAR(v[3], 0.01, 1e-12);
  EXPECT_NEAR(v[4], 0.2, 0.005);
  EXPECT_NEAR(v[5], 0.505, 1e-12);                         // mean of 0.01 ... 1
  EXPECT_NEAR(v[6], 0.32, 1e-12);                          // √(2·0.5/g) = 0.3193, the step after
  EXPECT_TRUE(std::isnan(v[7]));
  EXPECT_NEAR(v[8], std::sqrt(1.6 / 9.81), 0.011);
  EXPECT_NEAR(v[9], std::sqrt(1.6 * 9.81), 0.1);
  EXPECT_EQ(v[10], 0.0);
}

TEST(CaseRunner, aCaseThatTakesTooLongIsARow) {
  const auto study = makeStudy(R"("z": {"path": "bodies.ball.position[2]", "values": [1]})",
                               R"(, "steps": 100000000, "limits": {"seconds": 0.05})");
  CaseRunner runner{*study};
  const CaseResult result = runner.run({0, study->cases().values(0)});
  EXPECT_EQ(result.status, CaseStatus::kTimeLimit);
  EXPECT_EQ(result.reason, "more than 0.05 s");
  EXPECT_TRUE(result.values.empty());
}

}  // namespace

}  // namespace msd_study::test
