#pragma once

#include <optional>

#include "msd-record/src/CompareRows.hpp"
#include "msd-scene/src/BuildScene.hpp"

namespace msd_record {

/// The first thing in which the tables that do not change while a run goes on (settings, shapes,
/// bodies, joints, and what `about` says of the scene) differ from those of the scene, built again.
/// The number of threads is left out.
[[nodiscard]] std::optional<Unlike> compareBeginnings(Reader& reader,
                                                      const msd_scene::SceneDocument& document,
                                                      const msd_scene::SceneWorld& scene);

}  // namespace msd_record
