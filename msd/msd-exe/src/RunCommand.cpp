#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/HelpFormatter.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/PosesWriter.hpp"
#include "msd-exe/src/ProblemWriter.hpp"
#include "msd-exe/src/ProgressBar.hpp"
#include "msd-exe/src/RecordOutput.hpp"
#include "msd-exe/src/ReportWriter.hpp"
#include "msd-exe/src/RunResult.hpp"
#include "msd-exe/src/Runner.hpp"
#include "msd-exe/src/SceneInput.hpp"
#include "msd-exe/src/SensorsWriter.hpp"
#include "msd-exe/src/TraceWriter.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using msd_scene::Limits;

struct RunOptions {
  SceneInput input{};
  std::optional<std::uint64_t> steps{};
  std::optional<double> dt{};
  int threads{0};
  std::optional<std::string> method{};
  std::optional<int> substeps{};
  std::optional<int> iterations{};
  bool noSleep{false};
  std::string poses{};
  std::uint64_t posesEvery{10};
  std::string report{};
  std::string sensors{};
  std::vector<std::string> problem{};  ///< step and file
  std::string trace{};
  std::string record{};
  RecordChoices recording{};
  bool profile{false};
  bool hash{false};
  bool expect{false};
  bool json{false};
  bool quiet{false};
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

msd_scene::SettingsOverrides overridesOf(const RunOptions& options) {
  msd_scene::SettingsOverrides result{.dt = options.dt,
                                      .substeps = options.substeps,
                                      .iterations = options.iterations,
                                      .threads = options.threads};
  if (options.method) {
    result.method = msd_sim::methodFromName(*options.method);
  }
  if (options.noSleep) result.sleeping = false;
  if (!options.record.empty()) result.hashEveryStep = true;
  return result;
}

/// Refuses outputs that would overwrite the scene or one another.
void checkOutputs(const RunOptions& options) {
  std::vector<std::pair<std::string_view, const std::string*>> outputs{
      {"--poses", &options.poses},
      {"--report", &options.report},
      {"--sensors", &options.sensors},
      {"--profile", &options.trace},
      {"--record", &options.record}};
  if (!options.problem.empty()) outputs.emplace_back("--dump-problem", &options.problem[1]);
  std::vector<fs::path> taken{fs::weakly_canonical(options.input.path)};
  for (const auto& [option, path] : outputs) {
    if (path->empty()) continue;
    const fs::path place = fs::weakly_canonical(*path);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const bool isDevice = fs::exists(place) && !fs::is_regular_file(place);
      if (place == taken[i] && !isDevice) {
        throw UsageError{fmt::format("{} {} is {}", option, *path,
                                     i == 0 ? "the scene itself" : "another output's file too")};
      }
    }
    taken.push_back(place);
  }
}

/// The step of --dump-problem, from 1 to the number of steps.
std::uint64_t problemStep(const std::string& text, std::uint64_t steps) {
  std::uint64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc{} || end != text.data() + text.size() || step < 1 || step > steps) {
    throw UsageError{
        fmt::format("--dump-problem: found step \"{}\", expected a whole number from 1 "
                    "to {}",
                    text, steps)};
  }
  return step;
}

/// The files a run writes, opened before it starts.
struct Outputs {
  std::unique_ptr<PosesWriter> poses{};
  std::unique_ptr<ReportWriter> report{};
  std::unique_ptr<SensorsWriter> sensors{};
  std::unique_ptr<TraceWriter> trace{};
  std::unique_ptr<ProblemWriter> problem{};
  std::unique_ptr<RecordOutput> record{};

  Outputs(const RunOptions& options, const msd_scene::SceneDocument& simulated,
          const msd_scene::SceneWorld& scene) {
    const std::uint64_t steps = simulated.steps;
    checkOutputs(options);
    if (!options.poses.empty()) {
      poses = std::make_unique<PosesWriter>(options.poses, steps, options.posesEvery);
    }
    if (!options.report.empty()) report = std::make_unique<ReportWriter>(options.report);
    if (!options.sensors.empty()) {
      if (scene.sensors.size() == 0) throw UsageError{"--sensors: this scene has no sensors"};
      sensors = std::make_unique<SensorsWriter>(options.sensors);
    }
    if (!options.trace.empty()) trace = std::make_unique<TraceWriter>(options.trace);
    if (!options.problem.empty()) {
      problem = std::make_unique<ProblemWriter>(options.problem[1],
                                                problemStep(options.problem[0], steps));
    }
    if (!options.record.empty()) {
      record = std::make_unique<RecordOutput>(
          std::make_unique<msd_record::Recorder>(options.record, simulated, scene,
                                                 recordOptions(options.recording, steps)),
          options.recording.onError == "stop", false);
    }
  }

  [[nodiscard]] std::vector<StepObserver*> observers() const {
    std::vector<StepObserver*> list;
    if (poses) list.push_back(poses.get());
    if (report) list.push_back(report.get());
    if (sensors) list.push_back(sensors.get());
    if (trace) list.push_back(trace.get());
    if (problem) list.push_back(problem.get());
    if (record) list.push_back(record.get());
    return list;
  }

  [[nodiscard]] std::string list(double stepSeconds) const {
    std::string text = record ? record->line(stepSeconds) : std::string{};
    const auto add = [&](const OutputFile& file, const std::string& what) {
      text += fmt::format("{:<10} {} ({}, {:.3g} MB)\n", "wrote", file.path().string(), what,
                          1e-6 * static_cast<double>(file.bytes()));
    };
    if (poses) add(poses->file(), fmt::format("{} frames", poses->frames()));
    if (report) add(report->file(), "a row per step");
    if (sensors) add(sensors->file(), "a row per step");
    if (problem && problem->isWritten()) {
      add(problem->file(), fmt::format("{} contacts; msd solve reads it", problem->contacts()));
    }
    if (trace) add(trace->file(), "open it with Perfetto or chrome://tracing");
    return text;
  }
};

/// Prints what the options ask for.
void printResult(const RunOptions& options, const RunResult& result, const std::string& json,
                 const Outputs& outputs) {
  const std::string hash = result.scene.world.stateHash().toString();
  if (options.quiet) {
    if (options.hash) tell("{}\n", hash);
    return;
  }
  if (options.json) {
    tell("{}\n", json);
    return;
  }
  tell("{}", summaryText(result));
  if (options.hash) tell("{:<10} {}\n", "hash", hash);
  tell("{}", outputs.list(1e-3 * result.statistics.totalMilliseconds()));
  if (options.profile) tell("\n{}", profileTable(result));
}

int exitCode(const RunOptions& options, const RunResult& result, const Outputs& outputs) {
  if (result.end == RunEnd::kInterrupted) return InterruptGuard::exitCode();
  if (result.end == RunEnd::kFailed) {
    const msd_sim::StepReport& failure = result.failure;
    const auto& world = result.scene.world;
    complain(
        "step {} failed: {} became non-finite in stage {}; the world is as it was at "
               "{:.6g} s",
               result.statistics.steps() + 1,
               world.contains(failure.failedBody)
                   ? fmt::format("body \"{}\"", world.name(failure.failedBody))
                   : std::string{"a body"},
               msd_sim::stageName(failure.failedStage), world.time());
    return kSimulationFailed;
  }
  if (outputs.record && outputs.record->isFailed()) return kSimulationFailed;
  const bool held = std::ranges::all_of(result.expectations, &msd_scene::ExpectationResult::holds);
  if (options.expect && !held) {
    complain("a check of the scene does not hold");
    return kSimulationFailed;
  }
  if (result.status() == msd_sim::StepStatus::kOk) return kOk;
  if (options.expect) {
    complain("{} of {} are degraded: {}", result.statistics.degraded(),
               plural(result.statistics.steps(), "step", "steps"),
               faultCounts(result.statistics));
    return kSimulationFailed;
  }
  return kDegraded;
}

void printWarnings(const RunOptions& options, const msd_scene::LoadedScene& loaded) {
  if (options.quiet || options.json) return;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, loaded.warnings.size()); ++i) {
    complain("warning: {}", msd_scene::describe(loaded.warnings[i]));
  }
  if (loaded.warnings.size() > kShown) {
    complain("warning: {} more; msd check lists them",
               loaded.warnings.size() - kShown);
  }
}

/// `--profile SCENE`: the word after --profile is a trace's name only where another names the
/// scene.
RunOptions completed(RunOptions options) {
  if (options.input.path.empty()) options.input.path.swap(options.trace);
  if (options.input.path.empty()) throw UsageError{"SCENE is required; see msd run --help"};
  return options;
}

int run(const RunOptions& options) {
  const InterruptGuard guard;  // from before the recording is made until it is closed
  const Clock::time_point start = Clock::now();
  const msd_scene::LoadedScene loaded = loadInput(options.input);
  const msd_scene::SettingsOverrides overrides = overridesOf(options);
  msd_scene::SceneWorld scene = msd_scene::buildWorld(loaded, overrides);
  msd_sim::watchThreads(scene.world, options.profile);
  const double buildMilliseconds = 1e3 * secondsSince(start);
  const std::uint64_t steps = options.steps.value_or(loaded.document.steps);
  if (!options.problem.empty() && scene.world.settings().method != msd_sim::Method::kExact) {
    throw UsageError{fmt::format("--dump-problem: the method is {}, expected --method exact",
                                 msd_sim::methodName(scene.world.settings().method))};
  }
  const std::string name =
      loaded.document.name.empty() ? fs::path{options.input.path}.stem().string() : loaded.document.name;
  Outputs outputs{options, asSimulated(loaded.document, overrides, steps, name), scene};
  printWarnings(options, loaded);

  RunStatistics statistics;
  ProgressBar progress{steps};
  std::vector<StepObserver*> observers{&statistics};
  if (!options.quiet && !options.json && ProgressBar::isPossible()) observers.push_back(&progress);
  for (StepObserver* observer : outputs.observers()) observers.push_back(observer);

  msd_scene::ExpectationChecker checker{loaded.document};
  Runner runner{scene, std::move(observers)};
  const RunEnd end = runner.run(steps, checker);
  const RunResult result{.document = loaded.document,
                         .scene = scene,
                         .statistics = statistics,
                         .sceneName = name,
                         .stepsAsked = steps,
                         .buildMilliseconds = buildMilliseconds,
                         .end = end,
                         .failure = runner.failure(),
                         .expectations = checker.results()};
  if (outputs.record) outputs.record->close(scene, result.statusName(), endName(result.end));
  const std::string json = jsonLine(result);
  if (outputs.report) outputs.report->close(json);
  printResult(options, result, json, outputs);
  return exitCode(options, result, outputs);
}

void addSimulationOptions(CLI::App& parser, RunOptions& o) {
  parser.add_option("SCENE", o.input.path, "scene (JSON) or robot (.urdf, .xml); - for standard input")
      ->option_text(kRequiredByCommand);
  addSceneOptions(parser, o.input);
  parser.add_option("--steps", o.steps, "number of steps, instead of the scene's")
      ->check(wholeNumber(0, static_cast<std::uint64_t>(Limits::kMaxSteps)))
      ->type_name("N");
  parser.add_option("--dt", o.dt, "length of a step [s], 0.01 or 1/240, instead of the scene's")
      ->transform(quotient(Limits::kMinDt, Limits::kMaxDt, "[s]"))
      ->type_name("S");
  parser.add_option("--threads", o.threads, "threads that share a step; 0: all cores (default)")
      ->check(wholeNumber(0, 1024))
      ->type_name("N");
  parser.add_option("--method", o.method, "fast, exact or reference")
      ->check(oneOf({"fast", "exact", "reference"}))
      ->type_name("NAME");
  parser.add_option("--substeps", o.substeps, "substeps of a step; 0: the method's default")
      ->check(wholeNumber(0, 64))
      ->type_name("N");
  parser.add_option("--iterations", o.iterations, "solver sweeps per substep (fast)")
      ->check(wholeNumber(1, 1000))
      ->type_name("N");
  parser.add_flag("--no-sleep", o.noSleep, "keep every body awake");
}

void addOutputOptions(CLI::App& parser, RunOptions& o) {
  parser.add_option("--poses", o.poses, "write the bodies' poses to a binary file")
      ->type_name("OUT.bin");
  parser
      .add_option("--poses-every", o.posesEvery,
                  "steps between two poses (default 10; the first state and the last step always)")
      ->check(wholeNumber(1, static_cast<std::uint64_t>(Limits::kMaxSteps)))
      ->type_name("N");
  parser.add_option("--report", o.report, "write a row of figures per step to a JSON file")
      ->type_name("OUT.json");
  parser.add_option("--sensors", o.sensors, "write what the scene's sensors measure (CSV)")
      ->type_name("OUT.csv");
  parser.add_option("--record", o.record, "record the run into a file (SQLite)")
      ->type_name("OUT.db");
  parser
      .add_option("--record-every", o.recording.every,
                  "steps between two recorded frames (default 1, more for thousands of bodies)")
      ->check(wholeNumber(1, static_cast<std::uint64_t>(Limits::kMaxSteps)))
      ->type_name("N");
  parser.add_flag("--force", o.recording.force, "replace a recording that exists");
  addRecordChoices(parser, o.recording);
  parser
      .add_option("--dump-problem", o.problem,
                  "write the friction problem of a step (exact method) for msd solve and others")
      ->expected(2)
      ->type_name("STEP FILE");
  parser
      .add_option_function<std::string>(
          "--profile",
          [&o](const std::string& trace) {
            o.trace = trace;
            o.profile = true;
          },
          "print the time per stage; with a name, also write a trace for Perfetto")
      ->expected(0, 1)
      ->type_name("[TRACE.json]");
  parser.add_flag("--hash", o.hash, "print the hash of the final state");
  parser.add_flag("--expect", o.expect, "exit code 1 when a check of the scene does not hold or a step is degraded");
  parser.add_flag("--json", o.json, "print one line of JSON (with the scene's checks) instead of the summary");
  parser.add_flag("--quiet", o.quiet, "print nothing but errors (and the hash, where asked for)");
}

}  // namespace

void addRunCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  addSimulationOptions(parser, *options);
  addOutputOptions(parser, *options);
  parser.callback([options, &action] { action = [options] { return run(completed(*options)); }; });
}

}  // namespace msd_exe
