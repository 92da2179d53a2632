#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/SimBench.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"
#include "msd-exe/src/ValidateTosses.hpp"

namespace msd_exe {

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  bool fast{false};
  bool json{false};
  std::string only{};
  std::string method{};  ///< empty: all
  std::string markdown{};
  std::string html{};
};

Finding examine(const Phenomenon& phenomenon, msd_sim::Method method, bool fast) {
  Finding finding{.phenomenon = phenomenon, .method = method, .leftOut = phenomenon.leftOut};
  const MethodTerms terms = termsOf(phenomenon, method);
  if (finding.leftOut.empty()) finding.leftOut = terms.leftOut;
  if (finding.isLeftOut()) return finding;
  methodUnderTest() = method;
  const auto start = std::chrono::steady_clock::now();
  try {
    finding.measurement = phenomenon.measure(fast);
    if (!std::isnan(terms.tolerance)) finding.measurement.tolerance = terms.tolerance;
  } catch (const std::exception& error) {
    finding.failure = error.what();
  }
  finding.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finding;
}

std::string line(const Finding& f) {
  const Measurement& m = f.measurement;
  const std::string_view method = msd_sim::methodName(f.method);
  if (f.isLeftOut())
    return fmt::format("left  {:<40} {:<9} {}\n", f.phenomenon.name, method, f.leftOut);
  const std::string verdict = f.holds() ? "ok   " : "MISS ";
  if (!f.failure.empty())
    return fmt::format("{} {:<40} {:<9} {}\n", verdict, f.phenomenon.name, method, f.failure);
  return fmt::format(
      "{} {:<40} {:<9} expected {:>10.6g}, measured {:>10.6g} [{}], error {:.2g} (allowed {:.0e}), "
      "{:.2f} s\n",
      verdict, f.phenomenon.name, method, m.expected, m.measured, f.phenomenon.unit, m.error,
      m.tolerance, f.seconds);
}

Json toJson(const Finding& f) {
  return {{"group", f.phenomenon.group},
          {"phenomenon", f.phenomenon.name},
          {"method", msd_sim::methodName(f.method)},
          {"formula", f.phenomenon.formula},
          {"unit", f.phenomenon.unit},
          {"expected", f.measurement.expected},
          {"measured", f.measurement.measured},
          {"error", f.measurement.error},
          {"tolerance", f.measurement.tolerance},
          {"holds", f.holds()},
          {"failure", f.failure},
          {"left_out", f.leftOut}};
}

bool isAskedFor(const Phenomenon& phenomenon, const std::string& word) {
  return phenomenon.name.find(word) != std::string_view::npos ||
         phenomenon.group.find(word) != std::string_view::npos;
}

int validate(const ValidateOptions& options) {
  const InterruptGuard guard;
  std::unique_ptr<OutputFile> page;
  std::unique_ptr<OutputFile> html;
  if (!options.markdown.empty()) page = std::make_unique<OutputFile>(options.markdown);
  if (!options.html.empty()) html = std::make_unique<OutputFile>(options.html);
  std::vector<Finding> findings;
  for (const Phenomenon& phenomenon : phenomena()) {
    if (!isAskedFor(phenomenon, options.only)) continue;
    for (const std::string_view name : msd_sim::kMethodNames) {
      const auto method = msd_sim::methodFromName(name);
      if (!method || (!options.method.empty() && name != options.method)) continue;
      if (InterruptGuard::isRequested()) return InterruptGuard::exitCode();
      findings.push_back(examine(phenomenon, *method, options.fast));
      if (!options.json) tell("{}", line(findings.back()));
      std::fflush(stdout);
    }
  }
  if (findings.empty())
    throw UsageError{
        fmt::format("--only: found \"{}\", expected a word in the name or group of a phenomenon",
                    options.only)};
  if (options.json) {
    Json list = Json::array();
    for (const Finding& f : findings) list.push_back(toJson(f));
    tell("{}\n", list.dump());
  } else {
    tell("\n{}\n{}\n", methodTable(findings), summaryOf(findings));
  }
  if (page) {
    page->write(validationMarkdown(findings, options.fast));
    page->commit();
  }
  if (html) {
    html->write(validationHtml(findings, options.fast));
    html->commit();
  }
  const bool allHold =
      std::ranges::all_of(findings, [](const Finding& f) { return f.isLeftOut() || f.holds(); });
  return allHold ? kOk : kSimulationFailed;
}

}  // namespace

std::vector<Phenomenon> phenomena() {
  std::vector<Phenomenon> all;
  for (auto* chapter : {motionPhenomena, impactPhenomena, frictionPhenomena, restPhenomena,
                        structurePhenomena, prototypePhenomena, externalPhenomena}) {
    for (Phenomenon& phenomenon : chapter()) all.push_back(std::move(phenomenon));
  }
  return all;
}

void addValidateCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ValidateOptions>();
  parser.add_option("--only", options->only, "only phenomena with this in their name or group")
      ->type_name("WORD");
  parser.add_option("--method", options->method, "fast, exact or reference; none: all three")
      ->check(oneOf({"fast", "exact", "reference"}))
      ->type_name("NAME");
  parser.add_flag("--fast", options->fast, "shorter runs of the same phenomena");
  parser.add_flag("--json", options->json, "print JSON instead of lines");
  parser.add_option("--markdown", options->markdown, "write the page docs/validation.md is")
      ->type_name("FILE.md");
  addValidateSimBench(*parser.add_subcommand("simbench", "contact tests of SimBenchmark"), action);
  parser.add_option("--html", options->html, "write a page with plots, complete in itself")
      ->type_name("FILE.html");
  addValidateTosses(*parser.add_subcommand("tosses", "simulate measured tosses of a cube"), action);
  parser.callback([options, &parser, &action] {
    if (parser.get_subcommands().empty()) action = [options] { return validate(*options); };
  });
}

}  // namespace msd_exe
