#pragma once

#include <functional>
#include <vector>

#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

/// A document's materials as its bodies get them, "default" added where it is missing. The engine
/// tells surfaces apart by their coefficients; so where the scene describes pairs, materials that
/// are alike differ in the last bits of their friction.
[[nodiscard]] std::vector<SceneMaterial> surfaceMaterials(const SceneDocument& document);

/// The rule that gives the scene's pairs their own coefficients and all others geometric means;
/// empty where the scene has none.
[[nodiscard]] std::function<msd_sim::SurfaceMaterial(const msd_sim::SurfaceMaterial&,
                                                     const msd_sim::SurfaceMaterial&)>
combineByPairs(const SceneDocument& document);

}  // namespace msd_scene
