#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/ProgressBar.hpp"
#include "msd-exe/src/RecordOutput.hpp"
#include "msd-exe/src/Runner.hpp"
#include "msd-exe/src/Study/StudyCommands.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-study/src/Measures.hpp"
#include "msd-study/src/StudyTable.hpp"

namespace msd_exe {

namespace {

struct ReplayOptions {
  std::string results{};
  std::uint64_t index{0};
  std::string scene{};
  std::string record{};
  RecordChoices recording{};
  bool quiet{false};
};

/// Takes from the run what the study measures.
class MeasureObserver final : public StepObserver {
 public:
  MeasureObserver(const msd_study::StudyDocument& study, const msd_scene::SceneWorld& scene)
      : measures_{study, scene} {}
  void begin(const msd_scene::SceneWorld&) override {}
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport&, double) override {
    measures_.observe(scene);
  }
  void finish(const msd_scene::SceneWorld& scene) override { results_ = measures_.finish(scene); }
  [[nodiscard]] const std::vector<double>& results() const { return results_; }

 private:
  msd_study::Measures measures_;
  std::vector<double> results_;
};

std::string_view nameOf(RunEnd end) {
  return end == RunEnd::kCompleted ? "ok" : end == RunEnd::kFailed ? "failed" : "interrupted";
}

/// Whether the stored row says how the case ends, rather than where it was cut off.
bool isComparable(const msd_study::StoredResult& stored) {
  return stored.isThere &&
         (stored.status == "ok" || stored.status == "degraded" || stored.status == "failed");
}

void writeScene(const ReplayOptions& options, const msd_scene::SceneDocument& document) {
  OutputFile file{options.scene};
  file.write(msd_scene::writeScene(document));
  file.commit();
  if (!options.quiet) {
    fmt::print("{:<10} {} (msd run and msd view take it)\n", "wrote", file.path().string());
  }
}

int replay(const ReplayOptions& options) {
  const InterruptGuard guard;
  const auto study = msd_study::readStudy(options.results);
  if (options.index >= study->cases().size()) {
    throw UsageError{fmt::format("CASE: found {}, expected a whole number below {}", options.index,
                                 study->cases().size())};
  }
  const msd_study::StoredResult stored = msd_study::readResult(options.results, options.index);
  msd_scene::SceneDocument document = study->sceneOf(options.index);
  document.name = fmt::format("{}, case {}", study->name(), options.index);
  msd_scene::SettingsOverrides overrides;
  if (!options.record.empty()) overrides.hashEveryStep = true;
  msd_scene::SceneWorld scene = msd_scene::buildWorld(document, overrides);
  if (!options.scene.empty()) writeScene(options, document);

  MeasureObserver measures{study->document(), scene};
  std::unique_ptr<RecordOutput> record;
  if (!options.record.empty()) {
    record = std::make_unique<RecordOutput>(
        std::make_unique<msd_record::Recorder>(options.record, document, scene,
                                               recordOptions(options.recording, document.steps)),
        options.recording.onError == "stop", false);
  }
  ProgressBar progress{document.steps};
  std::vector<StepObserver*> observers{&measures};
  if (!options.quiet && ProgressBar::isPossible()) observers.push_back(&progress);
  if (record) observers.push_back(record.get());
  msd_scene::ExpectationChecker none{document};
  Runner runner{scene, std::move(observers)};
  const RunEnd end = runner.run(document.steps, none);
  if (record) record->close(scene, end == RunEnd::kFailed ? "failed" : "ok", endName(end));
  if (end == RunEnd::kInterrupted || end == RunEnd::kStopped) return InterruptGuard::exitCode();

  const std::string hash = scene.world.stateHash().toString();
  const bool isSame = !isComparable(stored) || stored.hash == hash;
  if (!options.quiet) {
    fmt::print("{:<10} {} of {}: {}, {} steps\n", "case", options.index, study->name(), nameOf(end),
               scene.world.stepCount());
    const auto& wanted = study->document().measures;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      fmt::print("{:<10} {} = {} {}\n", i == 0 ? "measured" : "", wanted[i].name,
                 measures.results()[i], msd_study::measureUnit(wanted[i]));
    }
    fmt::print("{:<10} {}{}\n", "hash", hash,
               !isComparable(stored) ? "; the study has none to compare with"
               : isSame              ? ", the same as in the study"
                                     : "");
    if (record) fmt::print("{}", record->line(0.0));
  }
  if (!isSame) {
    fmt::print(stderr, "msd: case {} ended with hash {} in the study and with {} now\n",
               options.index, stored.hash, hash);
    return kSimulationFailed;
  }
  return record && record->isFailed() ? kSimulationFailed : kOk;
}

}  // namespace

void addReplayCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ReplayOptions>();
  parser.add_option("RESULTS", options->results, "results of a study (.db)")->required();
  parser.add_option("CASE", options->index, "number of the case")
      ->required()
      ->check(wholeNumber(0, msd_study::kMostCases));
  parser.add_option("--record", options->record, "record the run into a file (SQLite)")
      ->type_name("OUT.db");
  parser
      .add_option("--record-every", options->recording.every,
                  "steps between two recorded frames (default 1, more for thousands of bodies)")
      ->check(wholeNumber(1, 1'000'000'000))
      ->type_name("N");
  parser.add_flag("--force", options->recording.force, "replace a recording that exists");
  parser.add_option("--scene", options->scene, "write the case's scene")->type_name("OUT.json");
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return replay(*options); }; });
}

}  // namespace msd_exe
