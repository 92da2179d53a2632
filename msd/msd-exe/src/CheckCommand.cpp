#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/SceneInput.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_exe {

namespace {

struct CheckOptions {
  SceneInput input{};
  bool overlaps{false};
};

/// Overlaps deeper than this share of the smaller body's size are worth a word.
constexpr double kOverlapShare = 1e-3;
constexpr std::size_t kOverlapsShown = 10;

void printOverlaps(const msd_scene::SceneDocument& document, msd_scene::SceneWorld& scene) {
  const auto overlaps = msd_scene::findOverlaps(scene, kOverlapShare);
  for (std::size_t i = 0; i < std::min(overlaps.size(), kOverlapsShown); ++i) {
    const msd_scene::Overlap& overlap = overlaps[i];
    fmt::print("overlap: \"{}\" and \"{}\" by {:.3g} m at the start\n",
               document.bodies[overlap.bodyA].name, document.bodies[overlap.bodyB].name,
               overlap.depth);
  }
  if (overlaps.size() > kOverlapsShown) {
    fmt::print("overlap: {} more pairs\n", overlaps.size() - kOverlapsShown);
  }
}

int check(const CheckOptions& options) {
  const msd_scene::LoadedScene loaded = loadInput(options.input);
  msd_scene::SceneWorld scene = msd_scene::buildWorld(loaded);
  for (const msd_scene::SceneProblem& warning : loaded.warnings) {
    fmt::print("warning: {}\n", msd_scene::describe(warning));
  }
  if (options.overlaps) printOverlaps(loaded.document, scene);
  fmt::print("{}: a valid scene, {}, {}, {}\n", options.input.path,
             plural(loaded.document.bodies.size(), "body", "bodies"),
             plural(loaded.document.joints.size(), "joint", "joints"),
             plural(loaded.warnings.size(), "warning", "warnings"));
  return kOk;
}

}  // namespace

void addCheckCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<CheckOptions>();
  parser.add_option("SCENE", options->input.path, "scene (JSON) or robot (.urdf, .xml); - for standard input")
      ->required();
  addSceneOptions(parser, options->input);
  parser.add_flag("--overlaps", options->overlaps, "name the bodies that overlap at the start");
  parser.callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace msd_exe
