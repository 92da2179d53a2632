#pragma once

#include <functional>
#include <string>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace golden {

/// A world whose every bit is known.
struct Scene {
  std::string name;
  int steps;
  msd_sim::Settings settings;
  std::function<void(msd_sim::WorldModel&)> build;
  /// Called before each step, where something from outside is part of the scene.
  std::function<void(msd_sim::WorldModel&, int)> drive{};
};

/// One for each part of the engine that has arithmetic of its own.
[[nodiscard]] std::vector<Scene> scenes();

}  // namespace golden
