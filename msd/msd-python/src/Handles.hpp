#pragma once

#include <memory>

#include "Convert.hpp"
#include "World.hpp"

namespace msd_python {

/// A body of a world. Keeps the world; does not keep the body: once that is removed, every use is an
/// IndexError.
struct Body {
  std::shared_ptr<World> world;
  BodyId id;
  bool operator==(const Body& other) const { return world == other.world && id == other.id; }
};

/// A joint of a world, likewise.
struct Joint {
  std::shared_ptr<World> world;
  JointId id;
  bool operator==(const Joint& other) const { return world == other.world && id == other.id; }
};

/// A body given by its handle, name or row; throws where it is of another world or not there.
[[nodiscard]] BodyId toBody(const World& world, const py::handle& value);
/// The same, with None for no body.
[[nodiscard]] BodyId toBodyOrNone(const World& world, const py::handle& value);
/// A joint given by its handle or name.
[[nodiscard]] JointId toJoint(const World& world, const py::handle& value);

/// An array on the memory of a world, of the Python class that knows when it is stale.
[[nodiscard]] py::object makeView(const std::shared_ptr<World>& world, const char* column);

}  // namespace msd_python
