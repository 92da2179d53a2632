// msd bench as a user meets it, its scenes, and its quality figures beside an independent judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "msd-exe/src/Bench/BenchScenes.hpp"
#include "msd-exe/src/Bench/Quality.hpp"
#include "msd-exe/test/RunMsd.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_exe::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Bench, listsItsScenes) {
  const Outcome outcome = runMsd({"bench", "--list"});
  EXPECT_EQ(outcome.exitCode, 0);
  for (const BenchScene& scene : benchScenes())
    EXPECT_THAT(outcome.out, HasSubstr(std::string{scene.name}));
}

TEST(Bench, printsOneTablePerSceneWithRatios) {
  const Outcome outcome =
      runMsd({"bench", "--scenes", "stack_20", "--steps", "20", "--repeat", "1"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("stack_20: 21 bodies, 20 steps"));
  EXPECT_THAT(outcome.out, HasSubstr("ms/step"));
  EXPECT_THAT(outcome.out, HasSubstr("1.00"));
}

TEST(Bench, writesJsonPlotAndPage) {
  const TemporaryFolder folder;
  const Outcome outcome = runMsd({"bench", "--scenes", "stack_20", "--steps", "20", "--repeat", "2",
                                  "--threads", "1,2", "--against", "none", "--json", "--plot",
                                  folder / "plot.svg", "--markdown", folder / "page.md"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  const auto& engines = json.at("scenes").at(0).at("engines");
  ASSERT_EQ(engines.size(), 2u);
  EXPECT_EQ(engines[1].at("threads"), 2);
  EXPECT_EQ(engines[0].at("ms_per_step_runs").size(), 2u);
  EXPECT_LT(engines[0].at("quality").at("top_sank").get<double>(), 0.01);
  EXPECT_THAT(readAll(folder / "plot.svg"), HasSubstr("<svg"));
  EXPECT_THAT(readAll(folder / "page.md"), HasSubstr("## stack_20"));
}

TEST(Bench, refusesAnUnknownSceneAndAnUnknownEngine) {
  EXPECT_EQ(runMsd({"bench", "--scenes", "no_such_scene"}).exitCode, 2);
  EXPECT_EQ(runMsd({"bench", "--against", "havok"}).exitCode, 2);
  const Outcome both = runMsd({"bench", "--against", "none,ode"});
  EXPECT_EQ(both.exitCode, 2);
  EXPECT_THAT(both.err, HasSubstr("none stands alone"));
}

/// A copy of the tool in a folder of its own is a machine without msd-sim-peers.
TEST(Bench, saysWhichPackageHasAnEngineThatIsMissing) {
  const TemporaryFolder folder;
  const fs::path alone = folder / "bin";
  fs::create_directory(alone);
  fs::copy_file(fs::path{std::getenv("MSD_BINARY_DIR")} / "bin/msd", alone / "msd");
  const Outcome asked = runProgram({alone / "msd", "bench", "--against", "bullet"});
  EXPECT_EQ(asked.exitCode, 2);
  EXPECT_THAT(asked.err,
              StartsWith("msd: --against bullet: the adapter msd-peer-bullet is missing"));
  EXPECT_THAT(asked.err, HasSubstr("install the package msd-sim-peers"));
  EXPECT_THAT(asked.out, IsEmpty());
  const Outcome unasked = runProgram(
      {alone / "msd", "bench", "--scenes", "stack_20", "--steps", "20", "--repeat", "1"});
  EXPECT_EQ(unasked.exitCode, 0) << unasked.err;
  EXPECT_THAT(unasked.out, HasSubstr("left out: bullet, ode, mujoco (their adapters are in the "
                                     "package msd-sim-peers)"));
}

TEST(BenchScenes, haveTheirNumbersOfBodiesAndJoints) {
  EXPECT_EQ(makeBenchScene("pyramid", 1).bodies.size(), 1831u);
  EXPECT_EQ(makeBenchScene("many_pyramids", 1).bodies.size(), 5501u);
  EXPECT_EQ(makeBenchScene("joint_grid", 1).bodies.size(), 3600u);
  EXPECT_EQ(makeBenchScene("joint_grid", 1).joints.size(), 7021u);
  EXPECT_EQ(makeBenchScene("mesh_rain", 1).bodies.size(), 1001u);
  EXPECT_EQ(makeBenchScene("small_box_pile", 1), makeBenchScene("small_box_pile", 1));
  EXPECT_NE(makeBenchScene("small_box_pile", 1), makeBenchScene("small_box_pile", 2));
}

fs::path outside() {
  const char* given = std::getenv("MSD_BENCH_REFERENCE");
  return given != nullptr ? fs::path{given}
                          : fs::path{std::getenv("MSD_SOURCE_DIR")}.parent_path() / "shared/bench";
}

/// The scenes are those of the reference generator, number for number.
TEST(BenchScenes, agreeWithTheReferenceGenerator) {
  const fs::path generator = outside() / "make_scenes.py";
  if (!fs::exists(generator))
    GTEST_SKIP() << "left out: the reference generator make_scenes.py is not here";
  const TemporaryFolder folder;
  const fs::path out = folder / "scenes";
  const std::string command = "python3 '" + generator.string() +
                              "' --set all --only hull_pile box_pile mesh_rain joint_grid stack_20 "
                              "small_box_pile --out '" +
                              out.string() + "' > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const char* name :
       {"hull_pile", "box_pile", "mesh_rain", "joint_grid", "stack_20", "small_box_pile"}) {
    const auto reference = msd_scene::loadSceneFile(out / (std::string{name} + ".json")).document;
    const auto ours = makeBenchScene(name, 1);
    ASSERT_EQ(ours.bodies.size(), reference.bodies.size()) << name;
    for (std::size_t i = 0; i < ours.bodies.size(); ++i) {
      ASSERT_EQ(ours.bodies[i].name, reference.bodies[i].name) << name;
      ASSERT_LT((ours.bodies[i].position - reference.bodies[i].position).norm(), 1e-9)
          << name << " " << i;
      for (std::size_t k = 0; k < 4; ++k) {
        ASSERT_NEAR(ours.bodies[i].orientation[k], reference.bodies[i].orientation[k], 1e-9)
            << name << " " << i;
      }
    }
    EXPECT_EQ(ours.joints.size(), reference.joints.size()) << name;
    EXPECT_EQ(ours.steps, reference.steps) << name;
  }
}

/// Our quality figures beside those of the reference judge, where it has been built.
TEST(Quality, agreesWithTheReferenceJudge) {
  const char* judge = std::getenv("MSD_BENCH_JUDGE");
  if (judge == nullptr)
    GTEST_SKIP() << "left out: MSD_BENCH_JUDGE does not name the reference judge's executable";
  const TemporaryFolder folder;
  const fs::path scene = folder / "small_box_pile.json";
  const fs::path poses = folder / "poses.bin";
  writeAll(scene, msd_scene::writeScene(makeBenchScene("small_box_pile", 1)));
  ASSERT_EQ(runMsd({"run", scene, "--no-sleep", "--quiet", "--poses", poses}).exitCode, 0);
  const fs::path out = folder / "judge.json";
  const std::string command = std::string{judge} + " '" + scene.string() + "' '" + poses.string() +
                              "' --every 2 > '" + out.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const nlohmann::json reference = nlohmann::json::parse(readAll(out));
  const Quality ours = measureQuality(msd_scene::loadSceneFile(scene), poses, 2);
  EXPECT_NEAR(ours.lastDeepest, reference.at("last_max_penetration").get<double>(), 1e-6);
  EXPECT_NEAR(ours.lastMean, reference.at("last_mean_penetration").get<double>(), 1e-6);
  EXPECT_EQ(ours.lastPairs, reference.at("last_penetrating_pairs").get<std::size_t>());
  EXPECT_NEAR(ours.worstDeepest, reference.at("worst_max_penetration").get<double>(), 1e-6);
  EXPECT_NEAR(ours.energyEnd, reference.at("energy_end").get<double>(),
              1e-6 * std::abs(ours.energyEnd));
  EXPECT_NEAR(ours.kineticEnd, reference.at("kinetic_end").get<double>(),
              1e-6 * ours.kineticEnd + 1e-9);
  EXPECT_EQ(ours.escaped, reference.at("escaped").get<std::size_t>());
}

}  // namespace
}  // namespace msd_exe::test
