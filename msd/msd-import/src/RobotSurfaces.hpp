#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "msd-import/src/ImportNotes.hpp"
#include "msd-import/src/RobotShapes.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_import {

/// Which geoms may touch, and how rough they are, as layers, masks, materials and pairs of a
/// document. Bodies have one surface each; where the geoms of one differ, a note says so.
class SurfaceMaker {
 public:
  SurfaceMaker(msd_scene::SceneDocument& document, NoteList& notes, bool largerFrictionCounts)
      : document_{document}, notes_{notes}, largest_{largerFrictionCounts} {}

  /// Gives a body the surface of its geoms, at least one.
  void apply(std::span<const PlacedGeom> geoms, msd_scene::SceneBody& body);
  /// Once all bodies have theirs: masks, and the pairs of materials.
  void finish();

 private:
  struct Surface {
    double friction, torsional, rolling;
    int freedoms, priority;
    auto operator<=>(const Surface&) const = default;
  };
  using Filter = std::pair<std::uint32_t, std::uint32_t>;  ///< contype, conaffinity

  [[nodiscard]] static Surface combined(const Surface& a, const Surface& b);
  [[nodiscard]] std::string materialOf(const Surface& surface, const Place& place);
  void addPair(const std::string& a, const std::string& b, const Surface& together);

  msd_scene::SceneDocument& document_;
  NoteList& notes_;
  bool largest_;
  std::map<Surface, std::string> materials_{};
  /// The usual kind lies in the layer of bodies that say nothing: those of a scene around the
  /// robot.
  std::map<Filter, std::uint32_t> layers_{{Filter{1, 1}, 0}};
};

}  // namespace msd_import
