#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "msd-import/src/FileFinder.hpp"
#include "msd-import/src/ImportNote.hpp"
#include "msd-import/src/ImportOptions.hpp"
#include "msd-scene/src/ReadScene.hpp"

/// Robots from URDF and MJCF files as scenes. docs/robots.md says what becomes of what.
namespace msd_import {

struct RobotModel;

/// A robot as a scene that runs.
struct ImportedScene {
  msd_scene::LoadedScene scene{};
  std::vector<ImportNote> notes{};  ///< what is not carried over
};

/// The robot that a text describes: URDF where its root is <robot>, MJCF where it is <mujoco>.
/// `source` names the text in messages. Throws msd_scene::SceneError.
[[nodiscard]] RobotModel readRobot(std::string_view text, std::string_view source,
                                   const FileFinder& files, const ImportOptions& options = {});

/// The same as a scene. With ImportOptions::strict the first note that changes the motion is an
/// error.
[[nodiscard]] ImportedScene importRobot(std::string_view text, std::string_view source,
                                        const FileFinder& files, const ImportOptions& options = {});

/// Reads a robot file; meshes lie beside it or in the search paths. "-" is standard input.
[[nodiscard]] ImportedScene importRobotFile(const std::filesystem::path& path,
                                            const ImportOptions& options = {});

/// Does the name end like a robot's (.urdf, .xml, .mjcf)?
[[nodiscard]] bool isRobotFile(const std::filesystem::path& path);

/// A scene or robot file, whichever it is ("-": from standard input); notes become warnings of the
/// scene. Scenes of version 2 may include robot files and use them as models.
[[nodiscard]] msd_scene::LoadedScene loadAnyFile(const std::filesystem::path& path,
                                                 const ImportOptions& options = {},
                                                 const msd_scene::Variables& parameters = {});

/// Reads the files that a scene names, inside one folder: scenes as they are, robots as the scenes
/// they become. What robots lose on the way is added to `warnings`, which must outlive the
/// resolver.
[[nodiscard]] msd_scene::SceneResolver scenesAndRobotsInFolder(
    const std::filesystem::path& folder, std::vector<msd_scene::SceneProblem>& warnings);

}  // namespace msd_import
