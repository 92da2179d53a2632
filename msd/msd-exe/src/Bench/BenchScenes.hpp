#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "msd-scene/src/SceneDocument.hpp"

namespace msd_exe {

/// A scene that `msd bench` knows by name.
struct BenchScene {
  std::string_view name;
  std::string_view summary;
  bool standard;  ///< runs when no scenes are named
};

[[nodiscard]] std::span<const BenchScene> benchScenes();

/// Throws UsageError for a name that none of them has.
void checkBenchScene(std::string_view name);

/// Builds one of them; the same seed gives the same scene on every machine. Throws UsageError for
/// an unknown name.
[[nodiscard]] msd_scene::SceneDocument makeBenchScene(std::string_view name, std::uint64_t seed);

}  // namespace msd_exe
