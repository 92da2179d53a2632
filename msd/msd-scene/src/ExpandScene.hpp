#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/ExpandOptions.hpp"
#include "msd-scene/src/JsonTree.hpp"

/// Version 2 of the format: what a person writes, made into what version 1 says. Parameters and
/// expressions, includes, models that are used several times, defaults, repetition, frames of other
/// bodies, Euler angles and axis with angle. docs/scene-format.md, "Writing larger scenes".
namespace msd_scene {

/// A scene of version 1, and the texts it was made from.
struct ExpandedScene {
  JsonValue root{};
  std::vector<std::shared_ptr<const SourceText>> sources{};
  Variables parameters{};  ///< of the scene, with the values that were used
};

/// Does a text say that it is of version 2? A text that cannot be read does not.
[[nodiscard]] bool isVersion2(std::string_view text);

/// Throws SceneError, which names the file, line and path of what was written.
[[nodiscard]] ExpandedScene expandScene(std::string_view text, std::string_view source,
                                        const ExpandOptions& options);

}  // namespace msd_scene
