#pragma once

#include <string>

#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

struct WriteOptions {
  /// Write the vertices and triangles of shapes that come from a mesh file, instead of its name, so
  /// that the text stands alone.
  bool embedMeshes{false};
};

/// The document as a scene file, one thing a line. Nothing is lost: numbers are the shortest
/// decimals that read back as the same doubles, lists keep their order, and what readScene makes of
/// the text equals the document. Optional fields that have their default are left out, apart from
/// those every body has. Throws std::invalid_argument for a number that is not finite.
[[nodiscard]] std::string writeScene(const SceneDocument& document,
                                     const WriteOptions& options = {});

}  // namespace msd_scene
