#include "msd-exe/src/SensorsWriter.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>

namespace msd_exe {

namespace {

/// A name as CSV writes it: in quotes where it holds a comma, a quote or a line break.
std::string csvField(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string result = "\"";
  for (const char c : name) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string suffix(std::size_t size, std::size_t place) {
  constexpr std::array<std::string_view, 3> kVector{".x", ".y", ".z"};
  constexpr std::array<std::string_view, 4> kRotation{".w", ".x", ".y", ".z"};
  if (size == 1) return {};
  return std::string{size == 4 ? kRotation[place] : kVector[place]};
}

}  // namespace

void SensorsWriter::begin(const msd_scene::SceneWorld& scene) {
  std::string header = "time";
  for (std::size_t i = 0; i < scene.sensors.size(); ++i) {
    const std::size_t size = scene.sensors.values(i).size();
    for (std::size_t k = 0; k < size; ++k) {
      header += ',' + csvField(scene.sensors.description(i).name + suffix(size, k));
    }
  }
  file_.write(header + '\n');
  writeRow(scene);
}

void SensorsWriter::step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport&, double) {
  writeRow(scene);
}

void SensorsWriter::finish(const msd_scene::SceneWorld&) {
  file_.commit();
}

void SensorsWriter::writeRow(const msd_scene::SceneWorld& scene) {
  std::string row = fmt::format("{}", scene.world.time());
  for (std::size_t i = 0; i < scene.sensors.size(); ++i) {
    for (const double value : scene.sensors.values(i)) {
      fmt::format_to(std::back_inserter(row), ",{}", value);
    }
  }
  file_.write(row + '\n');
}

}  // namespace msd_exe
