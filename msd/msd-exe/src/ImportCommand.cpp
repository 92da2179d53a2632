#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/SceneInput.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-import/src/ImportRobot.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_exe {

namespace {

struct ImportCommandOptions {
  SceneInput input{};
  std::string output{};
  bool quiet{false};
};

int import(const ImportCommandOptions& options) {
  if (options.input.path != "-" && !msd_import::isRobotFile(options.input.path)) {
    throw UsageError{
        fmt::format("{}: expected a robot file: .urdf, .xml or .mjcf", options.input.path)};
  }
  const msd_import::ImportedScene robot =
      msd_import::importRobotFile(options.input.path, options.input.import);
  const std::string text = msd_scene::writeScene(robot.scene.document);
  if (options.output.empty()) {
    tell("{}", text);
  } else {
    OutputFile file{options.output};
    file.write(text);
    file.commit();
  }
  if (options.quiet) return kOk;
  // Notes go where the scene does not.
  for (const msd_import::ImportNote& note : robot.notes) {
    complain("{}: {}", note.minor ? "left out" : "note", describe(note));
  }
  for (const msd_scene::SceneProblem& warning : robot.scene.warnings) {
    complain("warning: {}", msd_scene::describe(warning));
  }
  if (!options.output.empty()) {
    tell("{}: {}, {}, {}\n", options.output,
         plural(robot.scene.document.bodies.size(), "body", "bodies"),
         plural(robot.scene.document.joints.size(), "joint", "joints"),
         plural(robot.notes.size(), "note", "notes"));
  }
  return kOk;
}

}  // namespace

void addImportCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ImportCommandOptions>();
  parser
      .add_option("FILE", options->input.path,
                  "robot file: URDF (.urdf) or MJCF (.xml, .mjcf); - for standard input")
      ->required();
  parser.add_option("-o,--output", options->output, "scene file to write; otherwise it is printed")
      ->type_name("SCENE.json");
  parser.add_flag("--strict", options->input.import.strict,
                  "what cannot be carried over is an error");
  parser.add_flag("--quiet", options->quiet, "print no notes");
  addRobotOptions(parser, options->input);
  parser.callback([options, &action] { action = [options] { return import(*options); }; });
}

}  // namespace msd_exe
