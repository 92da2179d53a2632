#pragma once

#include "msd-exe/src/Bench/SceneBuilder.hpp"

/// Scenes in which nothing comes to rest: what counts is the mean and the 99th percentile of all
/// their steps. And mechanisms that fall: chains of capsules on ball joints.
namespace msd_exe {

/// Boxes, hulls and capsules slide and tumble down a bumpy mesh slope of 32 degrees.
[[nodiscard]] msd_scene::SceneDocument landslide(std::string_view name, Random random);
/// Spheres and boxes run out of the slot of a wedge-shaped silo and fall away.
[[nodiscard]] msd_scene::SceneDocument silo(std::string_view name, Random random);
/// A block of cubes flies apart from its centre inside a closed room and keeps hitting.
[[nodiscard]] msd_scene::SceneDocument blast(std::string_view name, Random random);
/// Rows of slender towers fall over each other.
[[nodiscard]] msd_scene::SceneDocument collapse(std::string_view name, Random random);
/// Chains of capsules, joined end to end, tumble down a long flight of stairs.
[[nodiscard]] msd_scene::SceneDocument ragdolls(std::string_view name, Random random);
/// Upright chains of capsules, joined end to end, drop on a floor.
[[nodiscard]] msd_scene::SceneDocument chains(std::string_view name, Random random, int count,
                                              int links);

}  // namespace msd_exe
