// Studies that vary a scene's own parameters: a case is the scene that `msd run --set` would run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-study/src/CaseRunner.hpp"
#include "msd-study/src/Study.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_study::test {
namespace {

using ::testing::HasSubstr;

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream{path} << text;
}

/// Balls in a row above a floor that lies in another file, with a mesh beside it.
class SceneParametersTest : public ::testing::Test {
 protected:
  SceneParametersTest() {
    write(folder_ / "parts/floor.json", R"({
      "version": 2, "parameters": {"slope": 0},
      "shapes": {"floor": {"type": "mesh", "file": "floor.obj"}},
      "bodies": [{"name": "floor", "shape": "floor", "static": true, "euler": [0, "${slope}", 0]}]})");
    write(folder_ / "parts/floor.obj",
          "v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n");
    write(folder_ / "row.json", R"({
      "version": 2, "name": "a row", "dt": 0.01, "steps": 80, "include": "parts/floor.json",
      "parameters": {"n": 2, "r": 0.1, "height": "${5*r}"},
      "shapes": {"ball": {"type": "sphere", "radius": "${r}"}},
      "bodies": [{"repeat": {"i": "${n}"}, "name": "ball_${i}", "shape": "ball",
                  "position": [0, "${3*r*i}", "${height}"]}]})");
  }

  std::filesystem::path study(const std::string& parameters) {
    write(folder_ / "study.json",
          R"({"version": 1, "scene": "row.json", "parameters": {)" + parameters + R"(},
      "measure": {"z": {"body": "ball_0", "quantity": "position.z"},
                  "x": {"body": "ball_0", "quantity": "position.x"}}})");
    return folder_ / "study.json";
  }

  std::string errorOf(const std::string& parameters) {
    try {
      (void)Study::load(study(parameters));
    } catch (const msd_scene::SceneError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(SceneParametersTest, everyCaseIsTheSceneWithTheseValues) {
  const auto loaded = Study::load(study(R"(
      "count": {"path": "parameters.n", "values": [1, 3]},
      "radius": {"path": "parameters.r", "range": {"from": 0.05, "to": 0.2, "count": 2}},
      "tilt": {"path": {"path": "parameters.slope", "scale": 0.01}, "values": [0, 20]},
      "gravity": {"path": "gravity[2]", "values": [-9.81, -1.6]})"));
  ASSERT_TRUE(loaded->variesParameters());
  ASSERT_EQ(loaded->cases().size(), 16u);
  CaseRunner runner{*loaded};
  for (std::uint64_t i = 0; i < loaded->cases().size(); ++i) {
    const std::vector<double> values = loaded->cases().values(i);
    const CaseResult result = runner.run({i, values});
    ASSERT_EQ(result.status, CaseStatus::kOk) << result.reason;

    msd_scene::LoadedScene alone = msd_scene::loadSceneFile(
        folder_ / "row.json", {{"n", values[0]}, {"r", values[1]}, {"slope", 0.01 * values[2]}});
    EXPECT_EQ(alone.document.bodies.size(), 1u + static_cast<std::size_t>(values[0]));
    alone.document.gravity.z() = values[3];
    msd_scene::SceneWorld world = msd_scene::buildWorld(alone.document);
    for (int step = 0; step < 80; ++step) world.advance();
    EXPECT_EQ(result.hash, world.world.stateHash()) << i;
  }
}

TEST_F(SceneParametersTest, storedTextsStandAloneWithoutTheFiles) {
  const auto loaded =
      Study::load(study(R"("tilt": {"path": "parameters.slope", "values": [0, 0.1]})"));
  const StudyTexts texts = loaded->texts();
  const CaseResult first = CaseRunner{*loaded}.run({1, loaded->cases().values(1)});
  std::filesystem::remove_all(folder_ / "parts");
  std::filesystem::remove(folder_ / "row.json");

  const auto again = Study::fromTexts(texts);
  EXPECT_EQ(CaseRunner{*again}.run({1, again->cases().values(1)}).hash, first.hash);
  msd_scene::SceneWorld replayed = msd_scene::buildWorld(again->sceneOf(1));
  for (int step = 0; step < 80; ++step) replayed.advance();
  EXPECT_EQ(replayed.world.stateHash(), first.hash);
}

TEST_F(SceneParametersTest, aCaseWithoutWhatIsMeasuredIsInvalid) {
  const auto loaded = Study::load(study(R"("count": {"path": "parameters.n", "values": [0, 1]})"));
  CaseRunner runner{*loaded};
  const CaseResult none = runner.run({0, loaded->cases().values(0)});
  EXPECT_EQ(none.status, CaseStatus::kInvalid);
  EXPECT_THAT(none.reason, HasSubstr("\"ball_0\""));
  EXPECT_EQ(runner.run({1, loaded->cases().values(1)}).status, CaseStatus::kOk);
}

TEST_F(SceneParametersTest, wrongNamesAndKindsAreErrorsOfTheStudy) {
  EXPECT_THAT(errorOf(R"("tilt": {"path": "parameters.slop", "values": [0]})"),
              HasSubstr("study.json:1"));
  EXPECT_THAT(errorOf(R"("tilt": {"path": "parameters.slop", "values": [0]})"),
              HasSubstr("did you mean \"slope\"?"));
  EXPECT_THAT(errorOf(R"("tilt": {"path": "parameters.slope", "values": ["steep"]})"),
              HasSubstr("values that are numbers"));
}

}  // namespace
}  // namespace msd_study::test
