#pragma once

#include <string_view>

#include "msd-scene/src/JsonPath.hpp"

namespace msd_study {

/// A path as people write it: bodies.cube.position[2], bodies[3].mass, shapes["left wall"].radius.
/// Throws std::invalid_argument, which says what was expected where.
[[nodiscard]] msd_scene::JsonPath parsePath(std::string_view text);

}  // namespace msd_study
