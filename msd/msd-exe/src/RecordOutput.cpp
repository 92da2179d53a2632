#include "msd-exe/src/RecordOutput.hpp"
#include "msd-exe/src/Console.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-scene/src/Limits.hpp"

namespace msd_exe {

void addRecordChoices(CLI::App& parser, RecordChoices& choices) {
  parser.add_flag("--durable", choices.durable,
                  "recording: survive power loss too, at the price of waiting for the disk");
  parser
      .add_option("--on-record-error", choices.onError,
                  "continue (default) or stop when the recording cannot be written")
      ->check(oneOf({"stop", "continue"}))
      ->type_name("NAME");
}

msd_scene::SceneDocument asSimulated(msd_scene::SceneDocument document,
                                     const msd_scene::SettingsOverrides& overrides,
                                     std::uint64_t steps, const std::string& name) {
  document.name = name;
  document.steps = steps;
  document.dt = overrides.dt.value_or(document.dt);
  msd_scene::SceneSolver& solver = document.solver;
  if (overrides.method) solver.method = overrides.method;
  if (overrides.substeps) solver.substeps = overrides.substeps;
  if (overrides.iterations) solver.iterations = overrides.iterations;
  if (overrides.sleeping) solver.sleeping = overrides.sleeping;
  return document;
}

msd_record::RecordOptions recordOptions(const RecordChoices& choices, std::uint64_t stepsAsked) {
  return {.every = choices.every,
          .force = choices.force,
          .durable = choices.durable,
          .stepsAsked = stepsAsked,
          .version = std::string{version()},
          .build = versionText()};
}

void RecordOutput::check(bool isGood) {
  if (isGood || failed_) return;
  failed_ = true;
  complain("{}", recorder_->progress().error);
}

void RecordOutput::begin(const msd_scene::SceneWorld& scene) {
  if (!is_resumed_) check(recorder_->begin(scene.world));
}

void RecordOutput::step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
                        double seconds) {
  if (!failed_) check(recorder_->step(scene.world, report, seconds));
}

void RecordOutput::finish(const msd_scene::SceneWorld&) {}

void RecordOutput::close(const msd_scene::SceneWorld& scene, std::string_view status,
                         std::string_view end) {
  check(recorder_->finish(scene.world, status, end));
}

std::string RecordOutput::line(double stepSeconds) const {
  if (failed_) return {};
  const msd_record::RecordProgress progress = recorder_->progress();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(recorder_->path(), ignored);
  const double cost = progress.captureSeconds + progress.waitSeconds;
  return fmt::format("{:<10} {} ({}, {:.3g} MB{})\n", "recorded", recorder_->path().string(),
                     plural(progress.frames, "frame", "frames"), 1e-6 * static_cast<double>(bytes),
                     stepSeconds > 0.0 ? fmt::format("; cost {:.2g} % of the step time",
                                                     100.0 * cost / stepSeconds)
                                       : std::string{});
}

}  // namespace msd_exe
