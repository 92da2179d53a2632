#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/SceneInput.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace msd_exe {

namespace {

struct CheckOptions {
  std::vector<std::string> files{};
  SceneInput input{};  ///< of all of them, but for the path
  bool overlaps{false};
};

/// Overlaps deeper than this share of the smaller body's size are worth a word.
constexpr double kOverlapShare = 1e-3;
constexpr std::size_t kOverlapsShown = 10;

/// One line for all overlaps of a scene, or one each for the deepest.
std::size_t printOverlaps(const msd_scene::SceneDocument& document, msd_scene::SceneWorld& scene, bool each) {
  const auto overlaps = msd_scene::findOverlaps(scene, kOverlapShare);
  const auto text = [&](const msd_scene::Overlap& overlap) {
    return fmt::format("\"{}\" and \"{}\" by {:.3g} m", document.bodies[overlap.bodyA].name,
                       document.bodies[overlap.bodyB].name, overlap.depth);
  };
  if (overlaps.empty()) return 0;
  if (!each) {
    tell("warning: {} at the start, deepest {} (--overlaps names them)\n",
               plural(overlaps.size(), "pair of bodies overlaps", "pairs of bodies overlap"), text(overlaps[0]));
    return 1;
  }
  for (std::size_t i = 0; i < std::min(overlaps.size(), kOverlapsShown); ++i) {
    tell("overlap: {} at the start\n", text(overlaps[i]));
  }
  if (overlaps.size() > kOverlapsShown) {
    tell("overlap: {} more pairs\n", overlaps.size() - kOverlapsShown);
  }
  return 1;
}

/// Reads a scene, or says all that is wrong with it.
std::optional<msd_scene::LoadedScene> load(const SceneInput& input) {
  try {
    return loadInput(input);
  } catch (const msd_scene::SceneError& error) {
    complainText(error.what());
    for (const msd_scene::SceneProblem& other : error.others()) {
      complainText(msd_scene::describe(other));
    }
    return std::nullopt;
  }
}

int checkOne(const CheckOptions& options, const std::string& file) {
  SceneInput input = options.input;
  input.path = file;
  const auto read = load(input);
  if (!read) return kBadInput;
  const msd_scene::LoadedScene& loaded = *read;
  msd_scene::SceneWorld scene = msd_scene::buildWorld(loaded);
  for (const msd_scene::SceneProblem& warning : loaded.warnings) {
    tell("warning: {}\n", msd_scene::describe(warning));
  }
  const std::size_t warnings = loaded.warnings.size() + printOverlaps(loaded.document, scene, options.overlaps);
  tell("{}: a valid scene, {}, {}, {}\n", file,
             plural(loaded.document.bodies.size(), "body", "bodies"),
             plural(loaded.document.joints.size(), "joint", "joints"),
             plural(warnings, "warning", "warnings"));
  return kOk;
}

/// All files are looked at, whatever is wrong with the first.
int check(const CheckOptions& options) {
  int worst = kOk;
  for (const std::string& file : options.files) worst = std::max(worst, checkOne(options, file));
  return worst;
}

}  // namespace

void addCheckCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<CheckOptions>();
  parser
      .add_option("SCENE", options->files,
                  "scenes (JSON) or robots (.urdf, .xml); - for standard input")
      ->required();
  addSceneOptions(parser, options->input);
  parser.add_flag("--overlaps", options->overlaps, "name the bodies that overlap at the start");
  parser.callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace msd_exe
