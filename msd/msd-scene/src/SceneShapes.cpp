#include "msd-scene/src/SceneShapes.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace msd_scene {

namespace {

using msd_assets::Shape;

struct Maker {
  Shape operator()(const SphereShape& s) const { return msd_assets::Sphere{s.radius}; }
  Shape operator()(const BoxShape& s) const { return msd_assets::Box{s.halfExtents}; }
  Shape operator()(const CapsuleShape& s) const {
    return msd_assets::Capsule{s.radius, s.halfHeight};
  }
  Shape operator()(const CylinderShape& s) const {
    return msd_assets::Cylinder{s.radius, s.halfHeight};
  }
  Shape operator()(const HullShape& s) const { return msd_assets::makeHull(s.vertices); }
  Shape operator()(const MeshShape& s) const {
    return msd_assets::Mesh{
        std::make_shared<const msd_assets::TriangleMesh>(s.vertices, s.triangles)};
  }
  Shape operator()(const PlaneShape& s) const {
    return msd_assets::Plane{s.normal.normalized(), s.offset};
  }
  Shape operator()(const HeightFieldShape& s) const {
    return msd_assets::Terrain{std::make_shared<const msd_assets::HeightField>(
        s.columns, s.rows, s.cellSize[0], s.cellSize[1], s.heights)};
  }
  Shape operator()(const CompoundShape&) const {
    throw std::logic_error{"a compound is made of shapes that exist: use makeCompound"};
  }
};

}  // namespace

void NameTable::sort() {
  std::ranges::sort(entries_);
}

std::size_t NameTable::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(entries_, std::pair{name, std::size_t{0}});
  return at != entries_.end() && at->first == name ? at->second : npos;
}

std::vector<std::string_view> NameTable::names() const {
  std::vector<std::string_view> result;
  result.reserve(entries_.size());
  for (const auto& [name, place] : entries_) result.push_back(name);
  return result;
}

Shape makeShape(const SceneShape& shape) {
  return std::visit(Maker{}, shape.geometry);
}

Shape makeCompound(const CompoundShape& compound, const NameTable& names,
                   const SceneShapes& shapes) {
  msd_assets::Compound result;
  result.parts.reserve(compound.parts.size());
  for (const SceneCompoundPart& part : compound.parts) {
    result.parts.push_back({.shape = shapes.at(names.find(part.shape)),
                            .position = part.position,
                            .orientation = toQuaternion(part.orientation)});
  }
  return result;
}

msd_sim::Quaternion toQuaternion(const WrittenRotation& rotation) {
  return msd_sim::Quaternion{rotation[0], rotation[1], rotation[2], rotation[3]}.normalized();
}

}  // namespace msd_scene
