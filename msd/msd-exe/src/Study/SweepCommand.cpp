#include "msd-exe/src/Study/SweepCommand.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "msd-exe/src/Study/StudyCommands.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/Study/SweepProgressLine.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-study/src/CaseRunner.hpp"
#include "msd-study/src/ResultsSchema.hpp"
#include "msd-study/src/StudyChecks.hpp"
#include "msd-study/src/StudySummary.hpp"
#include "msd-study/src/StudyTable.hpp"
#include "msd-study/src/Sweep.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;
using msd_study::ResultsFile;
using msd_study::Study;
using msd_study::StudySummary;
using msd_study::StudyTable;
using msd_study::SweepProgress;

constexpr std::uint64_t kMostWorkers = 1024;

fs::path outputPath(const SweepOptions& options) {
  if (!options.out.empty()) return options.out;
  return fs::path{options.study}.filename().replace_extension(".db");
}

std::string caseText(const Study& study, std::uint64_t index) {
  const std::vector<double> values = study.cases().values(index);
  std::string text;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const msd_study::CaseColumn& column = study.cases().columns()[c];
    const auto& choices = study.document().parameters[column.parameter].choices;
    text += fmt::format("{}{} = {}", c > 0 ? ", " : "", column.name,
                        choices.empty()
                            ? fmt::format("{}", values[c])
                            : msd_study::choiceText(choices[static_cast<std::size_t>(values[c])]));
  }
  return text.empty() ? "the scene as it is" : text;
}

std::string studyLine(const Study& study) {
  return fmt::format("{:<10} {}: {}, {}, {}\n", "study", study.name(),
                     plural(study.cases().size(), "case", "cases"),
                     plural(study.document().parameters.size(), "parameter", "parameters"),
                     plural(study.document().measures.size(), "measure", "measures"));
}

/// Prints what a sweep would do, and that the first case can be built.
int dryRun(const Study& study) {
  constexpr std::uint64_t kShown = 10;
  fmt::print("{}", studyLine(study));
  const std::uint64_t cases = study.cases().size();
  for (std::uint64_t i = 0; i < std::min(kShown, cases); ++i) {
    fmt::print("{:<10} {}\n", fmt::format("case {}", i), caseText(study, i));
  }
  if (cases > kShown) fmt::print("{:<10} and {} more\n", "", cases - kShown);
  msd_study::CaseWorld world{study};
  (void)world.prepare(study.cases().values(0));
  fmt::print("{:<10} {}; {}\n", "worlds", plural(world.document().steps, "step", "steps"),
             study.variesParameters()
                 ? "built anew for every case from the scene with its parameters"
             : study.makePatch().changesStartOnly()
                 ? "one per worker, set back to its start for every case"
                 : "built anew for every case, shapes shared");
  return kOk;
}

struct Outcome {
  SweepProgress progress{};
  std::string engine{};
  bool isInterrupted{false};
  std::string problem{};  ///< why the file could not be written any more
};

void exportTable(const SweepOptions& options, const StudyTable& table) {
  const auto write = [&](const std::string& path, const std::string& bytes) {
    OutputFile file{path};
    file.write(bytes);
    file.commit();
    if (options.quiet || options.json) return;
    fmt::print("{:<10} {} ({}, {:.3g} MB)\n", "wrote", file.path().string(),
               plural(table.rows(), "case", "cases"), 1e-6 * static_cast<double>(file.bytes()));
  };
  if (!options.csv.empty()) write(options.csv, msd_study::toCsv(table));
  if (!options.npz.empty()) write(options.npz, msd_study::toNpz(table));
}

void printStatuses(const StudySummary& summary) {
  bool isFirst = true;
  for (const StudySummary::StatusCount& count : summary.statuses) {
    fmt::print("{:<10} {} {}{}\n", isFirst ? "status" : "", count.cases, count.status,
               count.reason.empty()
                   ? std::string{}
                   : fmt::format("; the first, case {}: {}", count.first, count.reason));
    isFirst = false;
  }
}

void printSummary(const Study& study, const Outcome& outcome, const StudySummary& summary,
                  const fs::path& path) {
  const SweepProgress& p = outcome.progress;
  fmt::print("{}{:<10} {}\n", studyLine(study), "engine", outcome.engine);
  fmt::print("{:<10} {} in {:.3g} s, {:.4g} cases/s; {:.4g} s of steps{}\n", "done",
             plural(p.done, "case", "cases"), p.seconds,
             p.seconds > 0.0 ? static_cast<double>(p.done) / p.seconds : 0.0, p.stepSeconds,
             p.before > 0 ? fmt::format("; {} were done before", p.before) : std::string{});
  printStatuses(summary);
  if (summary.judged > 0) {
    fmt::print("{:<10} {} of {}, {:.4g} %\n", "success", summary.successes, summary.judged,
               100.0 * static_cast<double>(summary.successes) / static_cast<double>(summary.judged));
  }
  std::error_code ignored;
  fmt::print("{:<10} {} ({:.3g} MB)\n", "wrote", path.string(),
             1e-6 * static_cast<double>(fs::file_size(path, ignored)));
}

void printJson(const Study& study, const Outcome& outcome, const fs::path& path) {
  const SweepProgress& p = outcome.progress;
  const nlohmann::ordered_json line{{"study", study.name()},
                                    {"engine", outcome.engine},
                                    {"cases", p.cases},
                                    {"before", p.before},
                                    {"done", p.done},
                                    {"not_ok", p.notOk},
                                    {"successes", p.successes},
                                    {"seconds", p.seconds},
                                    {"step_seconds", p.stepSeconds},
                                    {"results", path.string()}};
  fmt::print("{}\n", line.dump());
}

/// Prints the study's checks; whether all hold.
bool checksHold(const SweepOptions& options, const Study& study, const StudyTable& table) {
  bool all = true;
  bool isFirst = true;
  for (const auto& check : msd_study::evaluateChecks(study.document(), table)) {
    all = all && check.holds;
    if (!options.quiet && !options.json) {
      fmt::print("{:<10} {}\n", isFirst ? "checks" : "", check.line);
    }
    isFirst = false;
  }
  return all;
}

std::string resumeHint(const SweepOptions& options) {
  return fmt::format("the same command with --resume goes on: sweep {}{} --resume", options.study,
                     options.out.empty() ? "" : " -o " + options.out);
}

Outcome runCases(const SweepOptions& options, const Study& study, ResultsFile& file,
                 const SweepEngine& engine) {
  Outcome outcome{.engine = engine.name};
  SweepProgressLine line{!options.quiet && !options.json};
  const msd_study::SweepHooks hooks{
      .isStopWanted = [] { return InterruptGuard::isRequested(); },
      .onProgress =
          [&](const SweepProgress& progress) {
            outcome.progress = progress;
            line.show(progress);
          }};
  try {
    outcome.progress = msd_study::sweep(study, *engine.pool, file, hooks);
    outcome.isInterrupted = !outcome.progress.isComplete();
  } catch (const msd_record::RecordError& reason) {
    outcome.problem = reason.what();
  }
  line.clear();
  return outcome;
}

}  // namespace

SweepEngine makeLocalEngine(const SweepOptions& options, const Study& study) {
  const auto orCores = [](std::size_t count) {
    return count > 0 ? count : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  };
  if (options.processes) {
    const std::size_t count = orCores(*options.processes);
    return {msd_study::makeProcessWorkers(count, study.runners(),
                                          study.document().caseSeconds.value_or(0.0)),
            plural(count, "process", "processes")};
  }
  const std::size_t count = orCores(options.threads);
  return {msd_study::makeThreadWorkers(count, study.runners()),
          plural(count, "thread", "threads")};
}

int runSweep(const SweepOptions& options, const Study& study, const MakeEngine& makeEngine) {
  const InterruptGuard guard;
  if (options.dryRun) return dryRun(study);
  const fs::path path = outputPath(options);
  const msd_study::ResultsOptions how{.force = options.force,
                                      .durable = options.durable,
                                      .version = std::string{version()},
                                      .build = versionText()};
  std::unique_ptr<ResultsFile> file = options.resume ? ResultsFile::resume(path, study, how)
                                                     : ResultsFile::create(path, study, how);
  // Workers end last: those of a cluster take the whole job with them when it was stopped.
  const SweepEngine engine = makeEngine(study);
  const Outcome outcome = runCases(options, study, *file, engine);
  const bool isComplete = outcome.progress.isComplete() && outcome.problem.empty();
  if (outcome.problem.empty()) file->finish(isComplete ? "complete" : "stopped");
  file.reset();
  if (!outcome.problem.empty()) {
    fmt::print(stderr,
               "msd: {}; {} of {} cases are kept; when there is room again, {}\n", outcome.problem,
               outcome.progress.before + outcome.progress.done, study.cases().size(),
               resumeHint(options));
    return kSimulationFailed;
  }
  const StudySummary summary = msd_study::readSummary(path);
  if (options.json) {
    printJson(study, outcome, path);
  } else if (!options.quiet) {
    printSummary(study, outcome, summary, path);
  }
  // The table as a whole is read where someone wants it.
  const bool isWanted =
      !options.csv.empty() || !options.npz.empty() || !study.document().expect.empty();
  const StudyTable table = isWanted ? msd_study::readTable(path) : StudyTable{};
  exportTable(options, table);
  if (outcome.isInterrupted) {
    fmt::print(stderr, "msd: stopped with {} of {} cases done; {}\n", summary.done,
               study.cases().size(), resumeHint(options));
    return InterruptGuard::exitCode();
  }
  const bool held = checksHold(options, study, table);
  if (!options.quiet && !options.json) {
    fmt::print("{:<10} msd report {}\n", "next", path.string());
  }
  if (options.expect && !held) {
    fmt::print(stderr, "msd: a check of the study does not hold\n");
    return kSimulationFailed;
  }
  return kOk;
}

void addSweepOptions(CLI::App& parser, SweepOptions& o, bool ownEngines) {
  parser.add_option("STUDY", o.study, "study file (JSON)")->required();
  parser.add_option("-o,--out", o.out, "results (SQLite; default: the study's name with .db, here)")
      ->type_name("OUT.db");
  if (ownEngines) {
    CLI::Option* threads =
        parser.add_option("--threads", o.threads, "run cases in N threads; 0: all cores (default)")
            ->check(wholeNumber(0, kMostWorkers))
            ->type_name("N");
    parser
        .add_option("--processes", o.processes,
                    "run cases in N processes, so that a crash costs one case; 0: all cores")
        ->check(wholeNumber(0, kMostWorkers))
        ->type_name("N")
        ->excludes(threads);
  }
  CLI::Option* resume = parser.add_flag("--resume", o.resume, "go on with results that exist");
  parser.add_flag("--force", o.force, "replace results that exist")->excludes(resume);
  parser.add_flag("--durable", o.durable, "survive power loss too: wait for the disk");
  parser.add_flag("--dry-run", o.dryRun, "print the first cases and end; nothing is written");
  parser.add_option("--csv", o.csv, "write the results as CSV too")->type_name("OUT.csv");
  parser.add_option("--npz", o.npz, "write the results as a NumPy archive too")
      ->type_name("OUT.npz");
  parser.add_flag("--expect", o.expect, "exit code 1 when a check of the study does not hold");
  parser.add_flag("--json", o.json, "print one line of JSON instead of the summary");
  parser.add_flag("--quiet", o.quiet, "print nothing but errors");
}

void addSweepCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<SweepOptions>();
  addSweepOptions(parser, *options, true);
  parser.callback([options, &action] {
    action = [options] {
      const auto study = Study::load(options->study);
      return runSweep(*options, *study,
                      [&](const Study& s) { return makeLocalEngine(*options, s); });
    };
  });
}

}  // namespace msd_exe
