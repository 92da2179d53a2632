// Robots from outside the repository: every one of them becomes a scene that runs.
#include <gtest/gtest.h>

#include <cmath>

#include "msd-import/src/ImportRobot.hpp"
#include "msd-import/test/RobotData.hpp"
#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_import::test {
namespace {

TEST(RobotFiles, everyOneBecomesASceneThatReadsBackTheSame) {
  const auto files = robotFiles();
  if (files.empty()) GTEST_SKIP() << "no robots beside the checkout (MSD_EXTERNAL_DATA)";
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    ImportedScene robot;
    ASSERT_NO_THROW(robot = importRobotFile(file));
    const std::string text = msd_scene::writeScene(robot.scene.document);
    const auto again =
        msd_scene::loadScene(std::as_bytes(std::span{text}), "again", msd_scene::noMeshes());
    EXPECT_TRUE(again.document == robot.scene.document);
  }
}

TEST(RobotFiles, everyOneTakesAStepAndKeepsItsJointsTogether) {
  const auto files = robotFiles();
  if (files.empty()) GTEST_SKIP() << "no robots beside the checkout (MSD_EXTERNAL_DATA)";
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const ImportedScene robot = importRobotFile(file);
    msd_scene::SceneWorld scene = msd_scene::buildWorld(robot.scene);
    for (int i = 0; i < 3; ++i) {
      const msd_sim::StepReport report = scene.advance();
      EXPECT_TRUE(std::isfinite(report.energy.kinetic));
      EXPECT_LT(report.jointError, 1e-3);  // [m]
    }
  }
}

TEST(RobotFiles, notesNameFileAndLine) {
  const auto files = robotFiles();
  if (files.empty()) GTEST_SKIP() << "no robots beside the checkout (MSD_EXTERNAL_DATA)";
  std::size_t notes = 0;
  for (const auto& file : files) {
    for (const ImportNote& note : importRobotFile(file).notes) {
      EXPECT_TRUE(note.place.file != nullptr) << file << ": " << note.what;
      EXPECT_GT(note.place.line, 0) << file << ": " << note.what;
      EXPECT_FALSE(note.why.empty());
      ++notes;
    }
  }
  EXPECT_GT(notes, 20u);
}

}  // namespace
}  // namespace msd_import::test
