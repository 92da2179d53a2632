#include "msd-exe/src/Bench/BenchColumns.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "msd-exe/src/Wording.hpp"

namespace msd_exe {

namespace {

constexpr double kMillimetres = 1e3;

template <std::vector<double> BenchTimes::* Times>
std::string timeText(const SceneResult&, const EngineResult& engine) {
  return digits(median(engine.times.*Times));
}

template <std::vector<double> BenchTimes::* Times>
std::string ratioText(const SceneResult& scene, const EngineResult& engine) {
  return digits(scene.ratio(engine, Times));
}

template <double Quality::* Member>
std::string millimetresText(const SceneResult&, const EngineResult& engine) {
  return engine.quality ? digits(kMillimetres * (*engine.quality).*Member) : "–";
}

template <double Quality::* Member>
std::string jouleText(const SceneResult&, const EngineResult& engine) {
  return engine.quality ? digits((*engine.quality).*Member) : "–";
}

std::string jointText(const SceneResult&, const EngineResult& engine) {
  if (!engine.quality || !engine.quality->worstAnchorError) return "–";
  return digits(kMillimetres * *engine.quality->worstAnchorError);
}

std::string lostText(const SceneResult&, const EngineResult& engine) {
  return engine.quality ? fmt::format("{}", engine.quality->escaped) : "–";
}

std::string memoryText(const SceneResult&, const EngineResult& engine) {
  return fmt::format("{:.0f}", engine.memory);
}

constexpr auto kBenchColumns = std::to_array<BenchColumn>({
    {"all steps", "ms", timeText<&BenchTimes::all>},
    {"ratio", "-", ratioText<&BenchTimes::all>},
    {"99 %", "ms", timeText<&BenchTimes::slowest>},
    {"ratio", "-", ratioText<&BenchTimes::slowest>},
    {"half", "ms", timeText<&BenchTimes::half>},
    {"ratio", "-", ratioText<&BenchTimes::half>},
    {"memory", "MiB", memoryText},
    {"deepest", "mm", millimetresText<&Quality::worstDeepest>},
    {"mean", "mm", millimetresText<&Quality::lastMean>},
    {"kinetic", "J", jouleText<&Quality::kineticEnd>},
    {"rise", "J", jouleText<&Quality::largestRise>},
    {"sank", "mm", millimetresText<&Quality::topSank>},
    {"drifted", "mm", millimetresText<&Quality::topDrifted>},
    {"joints", "mm", jointText},
    {"lost", "-", lostText},
});

/// Sinking and drifting of the top say something of what is built to stand.
bool showsTop(const SceneResult& scene) {
  return scene.name.find("pyramid") != std::string::npos ||
         scene.name.find("stack") != std::string::npos;
}

}  // namespace

std::span<const BenchColumn> benchColumns() {
  return kBenchColumns;
}

bool isShown(const SceneResult& scene, const BenchColumn& column) {
  if (column.title == "sank" || column.title == "drifted") return showsTop(scene);
  if (column.title == "joints") return scene.joints > 0;
  return true;
}

std::string digits(double value) {
  if (!std::isfinite(value)) return "–";
  if (value != 0.0 && std::abs(value) < 0.0995) return fmt::format("{:.2g}", value);
  return std::abs(value) >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

std::string describeScene(const SceneResult& scene) {
  std::string text = plural(scene.bodies, "body", "bodies");
  if (scene.joints > 0) text += ", " + plural(scene.joints, "joint", "joints");
  return text + fmt::format(", {} steps", scene.steps);
}

}  // namespace msd_exe
