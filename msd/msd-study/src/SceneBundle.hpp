#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "msd-scene/src/ReadScene.hpp"

namespace msd_study {

/// A scene file with all it reads (included scenes, models, meshes), as one text: for studies that
/// vary the scene's own parameters, whose scene is expanded anew for every case, on whatever
/// machine.
class SceneBundle {
 public:
  /// Reads a scene file, and keeps what it read. Throws msd_scene::SceneError.
  [[nodiscard]] static SceneBundle read(const std::filesystem::path& path);

  /// Is a text one that text() wrote?
  [[nodiscard]] static bool isBundle(std::string_view text);
  [[nodiscard]] static SceneBundle parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  /// The scene with these values of its parameters. Throws msd_scene::SceneError, also where it
  /// needs a file that the scene as it was written does not need.
  [[nodiscard]] msd_scene::LoadedScene load(const msd_scene::Variables& parameters) const;

 private:
  std::string source_;  ///< the scene's file, for messages
  std::string scene_;
  std::map<std::string, std::string> files_;                ///< scenes, by the names they go by
  std::map<std::string, msd_assets::TriangleMesh> meshes_;  ///< likewise
};

}  // namespace msd_study
