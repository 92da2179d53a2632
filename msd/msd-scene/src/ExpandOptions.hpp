#pragma once

#include <functional>
#include <string>

#include "msd-scene/src/Expression.hpp"

namespace msd_scene {

/// Gives the text of a scene file that another one names; throws std::exception with the reason.
using SceneResolver = std::function<std::string(const std::string& file)>;

struct ExpandOptions {
  Variables parameters{};  ///< in place of those the scene gives
  SceneResolver files{};   ///< empty: none can be read
};

}  // namespace msd_scene
