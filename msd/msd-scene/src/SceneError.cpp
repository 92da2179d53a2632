#include "msd-scene/src/SceneError.hpp"

#include <fmt/format.h>

#include <utility>

namespace msd_scene {

std::string describe(const SceneProblem& problem) {
  std::string text = problem.source;
  if (problem.position.line > 0) {
    text += fmt::format("{}{}", text.empty() ? "line " : ":", problem.position.line);
    if (problem.position.column > 0) text += fmt::format(":{}", problem.position.column);
  }
  const std::string path = problem.path.toString();
  if (!path.empty()) text += (text.empty() ? "" : ": ") + path;
  if (!text.empty()) text += ": ";
  text += "found " + problem.found;
  if (!problem.expected.empty()) text += ", expected " + problem.expected;
  return text;
}

SceneError::SceneError(SceneProblem problem, std::vector<SceneProblem> others)
    : std::runtime_error{describe(problem)},
      problem_{std::move(problem)},
      others_{std::move(others)} {}

}  // namespace msd_scene
