#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-assets/src/TriangleMesh.hpp"
#include "msd-scene/src/ExpandOptions.hpp"
#include "msd-scene/src/SceneDocument.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/SceneShapes.hpp"

namespace msd_scene {

/// Gives the mesh that a shape's field `file` names; throws std::exception with the reason when it
/// cannot.
using MeshResolver = std::function<msd_assets::TriangleMesh(const std::string& file)>;

/// Reads STL, OBJ and glTF files inside one folder. Absolute paths, "..", URLs and links that lead out of
/// the folder are refused.
[[nodiscard]] MeshResolver meshesInFolder(std::filesystem::path folder);

/// Refuses every file: for scenes that come from nowhere in particular.
[[nodiscard]] MeshResolver noMeshes();

/// A scene with what reading it has found out.
struct LoadedScene {
  SceneDocument document{};
  SceneShapes shapes{};                  ///< built once, for buildWorld
  std::vector<SceneProblem> warnings{};  ///< located in the text
  Variables parameters{};                ///< of a scene of version 2, as they were used
};

/// Reads scene files inside one folder, as meshesInFolder reads meshes.
[[nodiscard]] SceneResolver scenesInFolder(std::filesystem::path folder);

/// Reads and validates a scene: a pure function of the bytes and the resolvers. `source` names the
/// bytes in messages. A scene of version 2 is expanded first; messages name what was written.
/// Throws SceneError for the first thing that is wrong.
[[nodiscard]] LoadedScene loadScene(std::span<const std::byte> bytes, std::string_view source,
                                    const MeshResolver& meshes, const ExpandOptions& expand = {});

/// The document alone, with mesh files taken from `folder`.
[[nodiscard]] SceneDocument readScene(std::span<const std::byte> bytes,
                                      const std::filesystem::path& folder);

/// Reads a scene file; mesh files lie in its folder. Throws SceneError, also for a file that does
/// not exist, is a directory, is too large or cannot be read.
[[nodiscard]] LoadedScene loadSceneFile(const std::filesystem::path& path);

/// The same with other values of the scene's parameters.
[[nodiscard]] LoadedScene loadSceneFile(const std::filesystem::path& path,
                                        const Variables& parameters);

/// The bytes of a file of at most Limits::kFileBytes. Throws SceneError.
[[nodiscard]] std::string readTextFile(const std::filesystem::path& path);

}  // namespace msd_scene
