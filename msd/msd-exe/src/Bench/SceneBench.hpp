#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "msd-exe/src/Bench/BenchResult.hpp"
#include "msd-exe/src/Bench/Peers.hpp"

namespace msd_exe {

/// How each engine is run on each scene.
struct MeasureOptions {
  std::vector<int> threads{1};
  int repeat{3};
  std::optional<std::uint64_t> steps{};
  double limit{60.0};  ///< of an adapter's stepping [s]
  bool noQuality{false};
};

/// A scene as a file, and the seed it was made from (none: it was given as a file).
struct PlacedScene {
  std::filesystem::path path{};
  std::optional<std::uint64_t> seed{};
};

/// Runs one scene on this engine with each number of threads and on the others. Engines take turns,
/// so that a disturbance does not fall on one of them alone; poses of the first run are measured for
/// quality. `scratch` is a folder for them.
[[nodiscard]] SceneResult measureScene(const PlacedScene& scene, const MeasureOptions& options,
                                       const std::vector<PeerEngine>& peers,
                                       const std::filesystem::path& scratch);

}  // namespace msd_exe
