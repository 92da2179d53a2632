#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "msd-scene/src/JsonPath.hpp"

namespace msd_scene {

/// A place in a text file, counted from 1; 0 where it is not known.
struct TextPosition {
  std::size_t line{0};
  std::size_t column{0};  ///< in bytes
};

/// What is wrong with a scene, where, and what would be right.
struct SceneProblem {
  std::string source{};  ///< the file's name; empty for a document made in memory
  TextPosition position{};
  JsonPath path{};
  std::string found{};     ///< what stands there
  std::string expected{};  ///< what should
};

/// The one message a wrong scene gets:
///   demo.json:41:17: bodies[12].position[2]: found "up", expected a finite number [m]
[[nodiscard]] std::string describe(const SceneProblem& problem);

/// A scene that cannot be read or built. The message is describe(problem()).
class SceneError : public std::runtime_error {
 public:
  explicit SceneError(SceneProblem problem, std::vector<SceneProblem> others = {});
  [[nodiscard]] const SceneProblem& problem() const { return problem_; }
  /// What else is wrong with it, as far as it is known.
  [[nodiscard]] const std::vector<SceneProblem>& others() const { return others_; }

 private:
  SceneProblem problem_;
  std::vector<SceneProblem> others_;
};

}  // namespace msd_scene
