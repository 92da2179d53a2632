#include "msd-study/src/SceneParameters.hpp"

#include <fmt/format.h>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_study {

namespace {

constexpr std::string_view kStart = "parameters.";

[[noreturn]] void fail(const std::string& parameter, std::string found, std::string expected) {
  throw msd_scene::SceneError{{.path = msd_scene::JsonPath{} / "parameters" / parameter / "path",
                               .found = std::move(found),
                               .expected = std::move(expected)}};
}

}  // namespace

bool isSceneParameter(const StudyTarget& target) {
  return target.path.starts_with(kStart);
}

SceneParameters::SceneParameters(const StudyDocument& study) {
  std::size_t column = 0;
  for (const StudyParameter& parameter : study.parameters) {
    const bool isNumber = parameter.source != Source::kRotation && parameter.choices.empty();
    for (const StudyTarget& target : parameter.targets) {
      if (!isSceneParameter(target)) continue;
      if (!isNumber) {
        fail(parameter.name, msd_scene::jsonString(target.path),
             "values that are numbers for a parameter of the scene");
      }
      targets_.push_back(
          {parameter.name, target.path.substr(kStart.size()), column, target.scale, target.offset});
    }
    column += parameter.source == Source::kRotation ? 4 : 1;
  }
}

void SceneParameters::demandThatExist(const msd_scene::Variables& known) const {
  for (const Target& target : targets_) {
    if (known.contains(target.name)) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, value] : known) names.push_back(name);
    fail(target.parameter, msd_scene::jsonString(target.name),
         names.empty() ? "a scene of version 2 with parameters"
                       : fmt::format("a parameter of the scene{}",
                                     msd_scene::suggestion(target.name, names)));
  }
}

msd_scene::Variables SceneParameters::of(std::span<const double> values) const {
  msd_scene::Variables variables;
  for (const Target& target : targets_) {
    variables[target.name] = target.scale * values[target.column] + target.offset;
  }
  return variables;
}

}  // namespace msd_study
