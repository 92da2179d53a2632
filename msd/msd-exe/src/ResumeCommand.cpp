#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/ProgressBar.hpp"
#include "msd-exe/src/RecordOutput.hpp"
#include "msd-exe/src/RunResult.hpp"
#include "msd-exe/src/Runner.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-scene/src/Limits.hpp"

namespace msd_exe {

namespace {

struct ResumeOptions {
  std::string recording{};
  std::optional<std::uint64_t> steps{};
  int threads{0};
  RecordChoices choices{};
  bool quiet{false};
};

/// A recording brought back to its last committed step.
struct Resumed {
  msd_scene::LoadedScene loaded;
  msd_scene::SceneWorld scene;
  bool hasBegun;  ///< false: killed before the first commit; the run starts anew
  std::uint64_t stepsAsked;
  std::uint64_t every;
};

Resumed restore(const ResumeOptions& options) {
  msd_record::Reader reader{options.recording};
  msd_scene::LoadedScene loaded = reader.scene();
  msd_scene::SceneWorld scene =
      msd_scene::buildWorld(loaded, {.threads = options.threads, .hashEveryStep = true});
  const auto snapshot = reader.snapshot();
  if (snapshot) {
    try {
      scene.world.restore(snapshot->data);
    } catch (const std::invalid_argument& reason) {
      throw UsageError{fmt::format("{}: cannot be resumed: {} (it was recorded by {}, this is {})",
                                   options.recording, reason.what(), reader.fact("build"),
                                   versionText())};
    }
  }
  if (!options.quiet && reader.fact("version") != version()) {
    complain("warning: {} was recorded by {}, this is {}: they may differ",
               options.recording, reader.fact("build"), versionText());
  }
  return {.loaded = std::move(loaded),
          .scene = std::move(scene),
          .hasBegun = snapshot.has_value(),
          .stepsAsked = reader.wholeFact("steps_asked"),
          .every = reader.wholeFact("record_every")};
}

int resume(const ResumeOptions& options) {
  const InterruptGuard guard;  // from before the recording is opened until it is closed
  Resumed run = restore(options);
  const std::uint64_t done = run.scene.world.stepCount();
  const std::uint64_t target = options.steps ? done + *options.steps : run.stepsAsked;
  if (done >= target && run.hasBegun) {
    if (!options.quiet) {
      tell("{}: all {} are there; --steps N goes on\n", options.recording,
                 plural(done, "step", "steps"));
    }
    return kOk;
  }
  msd_record::RecordOptions recordWishes = recordOptions(options.choices, target);
  recordWishes.every = run.every;
  RecordOutput record{msd_record::Recorder::resume(options.recording, run.scene, recordWishes),
                      options.choices.onError == "stop", run.hasBegun};
  RunStatistics statistics;
  ProgressBar progress{target - done};
  std::vector<StepObserver*> observers{&statistics, &record};
  if (!options.quiet && ProgressBar::isPossible()) observers.push_back(&progress);
  const msd_scene::SceneDocument noChecks{};
  msd_scene::ExpectationChecker checker{noChecks};
  Runner runner{run.scene, std::move(observers)};
  const RunEnd end = runner.run(target - done, checker);
  const RunResult result{.document = run.loaded.document,
                         .scene = run.scene,
                         .statistics = statistics,
                         .sceneName = run.loaded.document.name,
                         .stepsAsked = target,
                         .end = end,
                         .failure = runner.failure()};
  record.close(run.scene, result.statusName(), endName(end));
  if (!options.quiet) {
    tell("{:<10} at step {}, {:.6g} s\n{}{}", "resumed", done,
               static_cast<double>(done) * run.scene.dt, summaryText(result),
               record.line(1e-3 * statistics.totalMilliseconds()));
  }
  if (end == RunEnd::kInterrupted) return InterruptGuard::exitCode();
  if (end != RunEnd::kCompleted || record.isFailed()) return kSimulationFailed;
  return result.status() == msd_sim::StepStatus::kOk ? kOk : kDegraded;
}

}  // namespace

void addResumeCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ResumeOptions>();
  parser.add_option("RECORDING", options->recording, "recording (.db) of a run that ended early")
      ->required();
  parser
      .add_option("--steps", options->steps,
                  "steps to go on for (default: what is missing of the run's)")
      ->check(wholeNumber(1, static_cast<std::uint64_t>(msd_scene::Limits::kMaxSteps)))
      ->type_name("N");
  parser
      .add_option("--threads", options->threads,
                  "threads that share a step; 0: all cores (default)")
      ->check(wholeNumber(0, 1024))
      ->type_name("N");
  addRecordChoices(parser, options->choices);
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return resume(*options); }; });
}

}  // namespace msd_exe
