#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "msd-exe/src/Bench/BenchResult.hpp"
#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/ValidateTosses.hpp"
#include "msd-exe/src/Version.hpp"

namespace msd_exe {

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  bool fast{false};
  bool json{false};
  std::string only{};
  std::string markdown{};
};

struct Finding {
  Phenomenon phenomenon{};
  Measurement measurement{};
  double seconds{0.0};
  std::string failure{};  ///< what went wrong, when nothing was measured

  [[nodiscard]] bool holds() const { return failure.empty() && measurement.holds(); }
};

Finding examine(const Phenomenon& phenomenon, bool fast) {
  Finding finding{.phenomenon = phenomenon};
  const auto start = std::chrono::steady_clock::now();
  try {
    finding.measurement = phenomenon.measure(fast);
  } catch (const std::exception& error) {
    finding.failure = error.what();
  }
  finding.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finding;
}

std::string line(const Finding& f) {
  const Measurement& m = f.measurement;
  const std::string verdict = f.holds() ? "ok   " : "MISS ";
  if (!f.failure.empty())
    return fmt::format("{} {:<40} {}\n", verdict, f.phenomenon.name, f.failure);
  return fmt::format(
      "{} {:<40} expected {:>10.6g}, measured {:>10.6g} [{}], error {:.2g} (allowed {:.0e}), "
      "{:.2f} s\n",
      verdict, f.phenomenon.name, m.expected, m.measured, f.phenomenon.unit, m.error, m.tolerance,
      f.seconds);
}

std::string markdown(const std::vector<Finding>& findings, bool fast) {
  const Machine machine = describeMachine();
  std::string text = fmt::format(
      "# Validation\n\nEvery phenomenon below has a known answer. The page is written "
      "by\n\n<!-- page-test: help -->\n```sh\nmsd validate{} --markdown "
      "docs/validation.md\n```\n\nwith version {} on {}, {}. The results do not depend on the "
      "machine; `dt` is 1/60 s and all "
      "settings are the defaults unless a row says otherwise. A row that misses its tolerance says "
      "so.\n",
      fast ? " --fast" : "", version(), machine.processor, machine.system);
  std::string_view group;
  for (const Finding& f : findings) {
    if (f.phenomenon.group != group) {
      group = f.phenomenon.group;
      text += fmt::format(
          "\n## {}\n\n| phenomenon | law, and what the error is | expected | measured | unit | "
          "error | allowed | |\n"
          "|---|---|---|---|---|---|---|---|\n",
          group);
    }
    const Measurement& m = f.measurement;
    text +=
        fmt::format("| {} | {} | {:.6g} | {} | {} | {:.2g} | {:.0e} | {} |\n", f.phenomenon.name,
                    f.phenomenon.formula, m.expected,
                    f.failure.empty() ? fmt::format("{:.6g}", m.measured) : f.failure,
                    f.phenomenon.unit, m.error, m.tolerance, f.holds() ? "holds" : "**misses**");
  }
  return text;
}

int validate(const ValidateOptions& options) {
  const InterruptGuard guard;
  std::vector<Finding> findings;
  std::size_t held = 0;
  for (const Phenomenon& phenomenon : phenomena()) {
    if (!options.only.empty() && phenomenon.name.find(options.only) == std::string_view::npos &&
        phenomenon.group.find(options.only) == std::string_view::npos) {
      continue;
    }
    if (InterruptGuard::isRequested()) return kInterrupted;
    findings.push_back(examine(phenomenon, options.fast));
    held += findings.back().holds() ? 1 : 0;
    if (!options.json) fmt::print("{}", line(findings.back()));
    std::fflush(stdout);
  }
  if (findings.empty())
    throw UsageError{fmt::format("no phenomenon is called \"{}\"", options.only)};
  if (options.json) {
    Json list = Json::array();
    for (const Finding& f : findings) {
      list.push_back({{"group", f.phenomenon.group},
                      {"phenomenon", f.phenomenon.name},
                      {"formula", f.phenomenon.formula},
                      {"unit", f.phenomenon.unit},
                      {"expected", f.measurement.expected},
                      {"measured", f.measurement.measured},
                      {"error", f.measurement.error},
                      {"tolerance", f.measurement.tolerance},
                      {"holds", f.holds()},
                      {"failure", f.failure}});
    }
    fmt::print("{}\n", list.dump());
  } else {
    fmt::print("{} of {} hold\n", held, findings.size());
  }
  if (!options.markdown.empty()) {
    OutputFile file{options.markdown};
    file.write(markdown(findings, options.fast));
    file.commit();
  }
  return held == findings.size() ? kOk : kSimulationFailed;
}

}  // namespace

std::vector<Phenomenon> phenomena() {
  std::vector<Phenomenon> all;
  for (auto* chapter :
       {motionPhenomena, impactPhenomena, frictionPhenomena, restPhenomena, structurePhenomena}) {
    for (Phenomenon& phenomenon : chapter()) all.push_back(std::move(phenomenon));
  }
  return all;
}

void addValidateCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ValidateOptions>();
  parser.add_option("--only", options->only, "only phenomena with this in their name or group")
      ->type_name("WORD");
  parser.add_flag("--fast", options->fast, "shorter runs of the same phenomena");
  parser.add_flag("--json", options->json, "print JSON instead of lines");
  parser.add_option("--markdown", options->markdown, "write the page docs/validation.md is")
      ->type_name("FILE.md");
  addValidateTosses(*parser.add_subcommand("tosses", "simulate measured tosses of a cube"), action);
  parser.callback([options, &parser, &action] {
    if (parser.get_subcommands().empty()) action = [options] { return validate(*options); };
  });
}

}  // namespace msd_exe
