#pragma once

#include <span>
#include <string>
#include <vector>

#include "msd-scene/src/Expression.hpp"
#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// Does a path lead to a parameter of the scene (parameters.NAME) rather than to a value of it?
[[nodiscard]] bool isSceneParameter(const StudyTarget& target);

/// Which values of a case go into the scene's own parameters.
class SceneParameters {
 public:
  /// Throws msd_scene::SceneError for a path that is no name, and for words and rotations, which
  /// are no number.
  explicit SceneParameters(const StudyDocument& study);

  [[nodiscard]] bool empty() const { return targets_.empty(); }
  /// Throws msd_scene::SceneError for a name that is none of the scene's.
  void demandThatExist(const msd_scene::Variables& known) const;
  [[nodiscard]] msd_scene::Variables of(std::span<const double> values) const;

 private:
  struct Target {
    std::string parameter;  ///< of the study
    std::string name;       ///< of the scene's
    std::size_t column;
    double scale, offset;
  };
  std::vector<Target> targets_;
};

}  // namespace msd_study
