#include "msd-exe/src/SceneInput.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

namespace {

msd_scene::Variables parametersOf(const std::vector<std::string>& settings) {
  msd_scene::Variables parameters;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    double value = 0.0;
    bool good = equals != std::string::npos && equals > 0;
    if (good) {
      const char* end = setting.data() + setting.size();
      const auto result = std::from_chars(setting.data() + equals + 1, end, value);
      good = result.ec == std::errc{} && result.ptr == end && std::isfinite(value);
    }
    if (!good) {
      throw UsageError{fmt::format("--set: found \"{}\", expected NAME=NUMBER", setting)};
    }
    parameters[setting.substr(0, equals)] = value;
  }
  return parameters;
}

}  // namespace

void addSceneOptions(CLI::App& parser, SceneInput& input) {
  parser.add_option("--set", input.settings, "another value of one of the scene's parameters")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  addRobotOptions(parser, input);
}

void addRobotOptions(CLI::App& parser, SceneInput& input) {
  parser
      .add_option("--keyframe", input.import.keyframe,
                  "robot (MJCF): start from this keyframe of the file")
      ->type_name("NAME");
  parser.add_flag("--fixed-base", input.import.fixedBase, "robot (URDF): its root stands still");
  parser
      .add_option_function<std::vector<std::string>>(
          "--search",
          [&input](const std::vector<std::string>& folders) {
            input.import.searchPaths.assign(folders.begin(), folders.end());
          },
          "robot: a folder in which its meshes and packages are looked for")
      ->allow_extra_args(false)
      ->type_name("FOLDER");
}

msd_scene::LoadedScene loadInput(const SceneInput& input) {
  return msd_import::loadAnyFile(input.path, input.import, parametersOf(input.settings));
}

}  // namespace msd_exe
