#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "msd-import/src/ImportRobot.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_exe {

/// What a command that takes a scene is told about it.
struct SceneInput {
  std::string path{};                   ///< a scene or robot file; "-" for standard input
  std::vector<std::string> settings{};  ///< NAME=VALUE of the scene's parameters
  msd_import::ImportOptions import{};
};

/// The options that go with a scene: --set, and those of robots.
void addSceneOptions(CLI::App& parser, SceneInput& input);
void addRobotOptions(CLI::App& parser, SceneInput& input);

/// Reads a scene (JSON) or a robot (URDF, MJCF); what is not carried over becomes warnings. Throws
/// msd_scene::SceneError or UsageError.
[[nodiscard]] msd_scene::LoadedScene loadInput(const SceneInput& input);
[[nodiscard]] inline msd_scene::LoadedScene loadInput(const std::string& path) {
  return loadInput(SceneInput{.path = path});
}

}  // namespace msd_exe
