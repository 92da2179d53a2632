#pragma once

#include <span>
#include <string>
#include <string_view>

#include "msd-exe/src/Bench/BenchResult.hpp"

namespace msd_exe {

/// What the tables say of one engine on one scene.
struct BenchColumn {
  std::string_view title;
  std::string_view unit;
  std::string (*text)(const SceneResult& scene, const EngineResult& engine);
};

/// In the order of the tables.
[[nodiscard]] std::span<const BenchColumn> benchColumns();
/// False for what says nothing of this scene: joints where there are none, the top of a heap.
[[nodiscard]] bool isShown(const SceneResult& scene, const BenchColumn& column);

/// "12.3", "0.0241": three digits that matter.
[[nodiscard]] std::string digits(double value);
/// "1831 bodies, 300 steps"
[[nodiscard]] std::string describeScene(const SceneResult& scene);

}  // namespace msd_exe
