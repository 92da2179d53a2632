#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/SceneDocument.hpp"

namespace msd_exe {

/// The sets of scenes, in the order of `msd bench --list`. The first runs when nothing is named.
inline constexpr std::string_view kStandardSet = "public";
inline constexpr std::string_view kBenchSets[]{kStandardSet, "moving", "mechanisms", "small",
                                               "large"};

/// A scene that `msd bench` knows by name.
struct BenchScene {
  std::string_view name;
  std::string_view set;
  std::string_view summary;
};

[[nodiscard]] std::span<const BenchScene> benchScenes();
/// The names of a set's scenes.
[[nodiscard]] std::vector<std::string> scenesOfSet(std::string_view set);

/// Throws UsageError for a name that none of them has.
void checkBenchScene(std::string_view name);

/// Builds one of them; the same seed gives the same scene on every machine. Throws UsageError for
/// an unknown name.
[[nodiscard]] msd_scene::SceneDocument makeBenchScene(std::string_view name, std::uint64_t seed);

}  // namespace msd_exe
