#include "msd-scene/src/ScenePairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "msd-scene/src/Limits.hpp"

namespace msd_scene {

namespace {

using msd_sim::SurfaceMaterial;
using Key = std::array<double, 4>;

Key keyOf(const SceneMaterial& m) {
  return {m.friction, m.restitution, m.rollingResistance, m.torsionalResistance};
}

Key keyOf(const SurfaceMaterial& m) {
  return {m.friction, m.restitution, m.rollingResistance, m.torsionalResistance};
}

SurfaceMaterial geometricMean(const Key& a, const Key& b) {
  const auto mean = [&](std::size_t i) { return std::sqrt(a[i] * b[i]); };
  return {mean(0), mean(1), mean(2), mean(3)};
}

}  // namespace

std::vector<SceneMaterial> surfaceMaterials(const SceneDocument& document) {
  std::vector<SceneMaterial> materials = document.materials;
  if (std::ranges::find(materials, "default", &SceneMaterial::name) == materials.end()) {
    materials.push_back({.name = "default"});
  }
  if (document.pairs.empty()) return materials;
  for (std::size_t i = 1; i < materials.size(); ++i) {
    const double towards = materials[i].friction < 1.0 ? Limits::kMaxFriction : 0.0;
    const auto isTaken = [&](const SceneMaterial& m) { return keyOf(m) == keyOf(materials[i]); };
    while (std::any_of(materials.begin(), materials.begin() + static_cast<std::ptrdiff_t>(i),
                       isTaken)) {
      materials[i].friction = std::nextafter(materials[i].friction, towards);
    }
  }
  return materials;
}

std::function<SurfaceMaterial(const SurfaceMaterial&, const SurfaceMaterial&)> combineByPairs(
    const SceneDocument& document) {
  if (document.pairs.empty()) return {};
  std::map<std::string_view, Key> keys;
  const std::vector<SceneMaterial> materials = surfaceMaterials(document);
  for (const SceneMaterial& material : materials) keys.emplace(material.name, keyOf(material));
  std::map<std::pair<Key, Key>, SurfaceMaterial> table;
  for (const ScenePair& pair : document.pairs) {
    const Key& a = keys.at(pair.materialA);
    const Key& b = keys.at(pair.materialB);
    const SurfaceMaterial usual = geometricMean(a, b);
    table[{std::min(a, b), std::max(a, b)}] = {
        pair.friction.value_or(usual.friction), pair.restitution.value_or(usual.restitution),
        pair.rollingResistance.value_or(usual.rollingResistance),
        pair.torsionalResistance.value_or(usual.torsionalResistance)};
  }
  return [table = std::move(table)](const SurfaceMaterial& first, const SurfaceMaterial& second) {
    const Key a = keyOf(first);
    const Key b = keyOf(second);
    const auto found = table.find({std::min(a, b), std::max(a, b)});
    return found == table.end() ? geometricMean(a, b) : found->second;
  };
}

}  // namespace msd_scene
