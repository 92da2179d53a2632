#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-study/src/Study.hpp"

namespace msd_study {

/// The world of one case after another, with the bits of one built from the case's scene file.
///
/// The scene is read once and its shapes and meshes are shared. Where cases differ in how bodies start,
/// one world is brought back to its snapshot and its bodies are placed; otherwise a world is built from
/// the changed document. Where the scene's own parameters vary, the scene is expanded for every case.
class CaseWorld {
 public:
  /// The study must outlive it.
  explicit CaseWorld(const Study& study);

  /// Ready for its first step; valid until the next call. Throws msd_scene::SceneError where the values
  /// make no valid scene.
  [[nodiscard]] msd_scene::SceneWorld& prepare(std::span<const double> values);
  /// The scene of the case that was prepared last.
  [[nodiscard]] const msd_scene::SceneDocument& document() const { return scene_.document; }

 private:
  void reset();

  const Study& study_;
  std::optional<ScenePatch> patch_;
  msd_scene::LoadedScene scene_;
  std::optional<msd_scene::SceneWorld> world_;
  std::vector<std::byte> snapshot_;
  msd_sim::Sensors sensors_;  ///< as they are at the start
};

}  // namespace msd_study
