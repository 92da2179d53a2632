#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "msd-assets/src/Shape.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

/// A scene's shapes as the engine takes them, in the order of SceneDocument::shapes. Hulls and
/// meshes are built here, once; bodies share them.
using SceneShapes = std::vector<msd_assets::Shape>;

/// Names of a document's things, sorted, each with its place in the document's list.
class NameTable {
 public:
  template <class Things>
  explicit NameTable(const Things& things) {
    entries_.reserve(things.size());
    for (std::size_t i = 0; i < things.size(); ++i) add(things[i].name, i);
    sort();
  }
  /// The place of the first thing of this name, or npos.
  [[nodiscard]] std::size_t find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> names() const;

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  void add(std::string_view name, std::size_t place) { entries_.emplace_back(name, place); }
  void sort();
  std::vector<std::pair<std::string_view, std::size_t>> entries_;
};

/// Builds one shape that is not a compound. Throws std::invalid_argument (from msd_assets) when its
/// numbers make no shape.
[[nodiscard]] msd_assets::Shape makeShape(const SceneShape& shape);

/// Builds a compound of shapes that were built before.
[[nodiscard]] msd_assets::Shape makeCompound(const CompoundShape& compound, const NameTable& names,
                                             const SceneShapes& shapes);

/// A written rotation as a unit quaternion.
[[nodiscard]] msd_sim::Quaternion toQuaternion(const WrittenRotation& rotation);

}  // namespace msd_scene
