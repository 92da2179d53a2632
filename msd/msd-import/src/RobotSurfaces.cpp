#include "msd-import/src/RobotSurfaces.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace msd_import {

SurfaceMaker::Surface SurfaceMaker::combined(const Surface& a, const Surface& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  return {std::max(a.friction, b.friction), std::max(a.torsional, b.torsional),
          std::max(a.rolling, b.rolling), std::max(a.freedoms, b.freedoms), a.priority};
}

std::string SurfaceMaker::materialOf(const Surface& s, const Place&) {
  const auto [known, isNew] = materials_.try_emplace(s);
  if (!isNew) return known->second;
  known->second = fmt::format("surface_{}", materials_.size());
  document_.materials.push_back({.name = known->second,
                                 .friction = s.freedoms >= 3 ? s.friction : 0.0,
                                 .restitution = 0.0,
                                 .rollingResistance = s.freedoms >= 6 ? s.rolling : 0.0,
                                 .torsionalResistance = s.freedoms >= 4 ? s.torsional : 0.0});
  return known->second;
}

void SurfaceMaker::apply(std::span<const PlacedGeom> geoms, msd_scene::SceneBody& body) {
  const auto surfaceOf = [](const RobotGeom& g) {
    return Surface{g.friction, g.torsional, g.rolling, g.freedoms, g.priority};
  };
  const RobotGeom& first = *geoms.front().geom;
  Surface surface = surfaceOf(first);
  Filter filter{first.contype, first.conaffinity};
  for (const PlacedGeom& placed : geoms) {
    const RobotGeom& g = *placed.geom;
    if (surfaceOf(g) != surface) {
      notes_.add(g.place, "geoms of one link with different friction",
                 "the link has one surface, the roughest of them");
      surface = combined(surface, surfaceOf(g));
    }
    const Filter own{g.contype, g.conaffinity};
    if (own != filter) {
      notes_.add(g.place, "geoms of one link with different contype or conaffinity",
                 "the whole link touches what any of them touches");
      filter = {filter.first | own.first, filter.second | own.second};
    }
  }
  body.material = materialOf(surface, first.place);
  const auto [layer, isNew] =
      layers_.try_emplace(filter, static_cast<std::uint32_t>(layers_.size()));
  if (isNew && layer->second == 32) {
    notes_.add(first.place, "more than 32 kinds of contype and conaffinity",
               "the last ones count as one kind");
  }
  body.layer = std::uint32_t{1} << std::min(layer->second, std::uint32_t{31});
}

void SurfaceMaker::addPair(const std::string& a, const std::string& b, const Surface& s) {
  document_.pairs.push_back({.materialA = a,
                             .materialB = b,
                             .friction = s.freedoms >= 3 ? s.friction : 0.0,
                             .restitution = 0.0,
                             .rollingResistance = s.freedoms >= 6 ? s.rolling : 0.0,
                             .torsionalResistance = s.freedoms >= 4 ? s.torsional : 0.0});
}

void SurfaceMaker::finish() {
  // Two kinds of geom touch when one's contype meets the other's conaffinity.
  std::array<std::uint32_t, 32> masks{};
  for (const auto& [a, i] : layers_) {
    for (const auto& [b, j] : layers_) {
      if ((a.first & b.second) == 0 && (b.first & a.second) == 0) continue;
      masks[std::min(i, std::uint32_t{31})] |= std::uint32_t{1} << std::min(j, std::uint32_t{31});
    }
  }
  const bool allTouch = layers_.size() == 1 && masks[0] != 0;
  for (msd_scene::SceneBody& body : document_.bodies) {
    if (!body.collides) continue;
    for (std::size_t bit = 0; bit < masks.size(); ++bit) {
      if (body.layer == std::uint32_t{1} << bit) body.mask = masks[bit];
    }
    if (allTouch) body.mask = 0xFFFFFFFFu;
  }
  if (!largest_) return;
  for (auto a = materials_.begin(); a != materials_.end(); ++a) {
    for (auto b = std::next(a); b != materials_.end(); ++b) {
      addPair(a->second, b->second, combined(a->first, b->first));
    }
  }
}

}  // namespace msd_import
