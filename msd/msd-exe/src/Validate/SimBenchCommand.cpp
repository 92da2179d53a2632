// `msd validate simbench`: the contact tests of SimBenchmark beside what its authors published.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/Validate/SimBench.hpp"

namespace msd_exe {

namespace {

using msd_sim::Method;

/// Published errors of one engine at the columns of a table; empty where there is none.
struct Published {
  std::string_view engine;
  std::vector<std::string_view> errors;
};

struct Table {
  std::string_view name;
  std::string_view measure;
  std::vector<std::string> columns;
  std::vector<std::string> ours;
  std::vector<Published> published;
};

struct SimBenchOptions {
  bool fast{false};
  std::string markdown{};
};

constexpr double kSixtyDegrees = std::numbers::pi / 3.0;
constexpr double kAlongY = std::numbers::pi / 2.0;

std::string figure(double value) {
  return fmt::format("{:.2g}", value);
}

Table rolling(const SimBenchOptions& options) {
  const double seconds = options.fast ? 0.5 : 4.0;
  Table table{"Rolling",
              "mean of |v − v*|² of a ball and the plate [m²/s²], dt 1e-3, force at 60° and along y",
              {"60°", "along y"},
              {},
              {{"Bullet, 10 iterations", {"1.7e-6", ""}},
               {"Bullet, 400 iterations or more", {"3.9e-27", "7.3e-28"}},
               {"RaiSim", {"4.1e-7", "4.1e-7"}},
               {"MuJoCo", {"2.0e-3 to 1.0e-2", "2.4e-3 to 9e-3"}},
               {"ODE", {"3.145", "7.6e-9"}},
               {"DART", {"3.145", "0.426"}}}};
  for (const double angle : {kSixtyDegrees, kAlongY}) {
    table.ours.push_back(fmt::format("{}; exact {}",
                                     figure(simbenchRolling(Method::kFast, angle, 1e-3, seconds)),
                                     figure(simbenchRolling(Method::kExact, angle, 1e-3, seconds))));
  }
  return table;
}

/// One column a step length; fast runs leave out what takes long.
template <class Test>
Table overSteps(Table table, const std::vector<double>& steps, const SimBenchOptions& options,
                double shortest, const Test& test) {
  for (const double dt : steps) {
    table.columns.push_back(fmt::format("{:g}", dt));
    if (InterruptGuard::isRequested() || (options.fast && dt < shortest)) {
      table.ours.emplace_back("–");
    } else {
      table.ours.push_back(figure(test(dt)));
    }
  }
  return table;
}

Table bouncing(const SimBenchOptions& options) {
  return overSteps({"Bouncing",
                    "mean of (E − E₀)² [J²]",
                    {},
                    {},
                    {{"RaiSim", {"1.9e-10", "1.9e-6", "0.0186", "186", "1.8e6"}},
                     {"ODE", {"0.0185", "1.85", "185", "1.88e4", "2.0e6"}},
                     {"Bullet", {"7.5", "752", "7.5e4", "7.4e6", "7.7e8"}},
                     {"DART", {"7.4", "483", "7.2e4", "7.4e6", "7.7e8"}}}},
                   {1e-5, 1e-4, 1e-3, 1e-2, 0.1}, options, 1e-3,
                   [&](double dt) { return simbenchBouncing(dt, options.fast ? 2.0 : 20.0); });
}

/// Mean over three seeds; the finest steps take one.
template <class Test>
double overSeeds(double dt, const SimBenchOptions& options, const Test& test) {
  const std::uint64_t seeds = options.fast || dt < 1e-3 ? 1 : 3;
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) sum += test(seed);
  return sum / static_cast<double>(seeds);
}

Table heap(const SimBenchOptions& options) {
  const double seconds = options.fast ? 1.0 : 10.0;
  return overSteps(
      {"666",
       "mean of the sum of squared penetrations [m²]",
       {},
       {},
       {{"RaiSim", {"1.64e-6", "2.36e-5", "1.35e-4", "2.11e-3", "0.0153", "0.25", "0.96"}},
        {"ODE, Dantzig", {"1.55e-6", "2.62e-5", "1.55e-4", "2.42e-3", "0.0161", "0.254", "4.4"}},
        {"DART, Dantzig", {"2.0e-7", "7.2e-3", "2.8e-4", "9.3e3", "215", "", ""}},
        {"MuJoCo", {"0.0113", "0.0392", "0.0950", "0.374", "0.934", "3.85", "11"}},
        {"Bullet", {"3.5e-3", "0.063", "0.382", "5.78", "37.4", "728", "2.8e5"}}}},
      {1e-4, 4e-4, 1e-3, 4e-3, 1e-2, 4e-2, 0.1}, options, 4e-3, [&](double dt) {
        return overSeeds(dt, options,
                         [&](std::uint64_t seed) { return simbench666(dt, seconds, seed); });
      });
}

Table elastic(const SimBenchOptions& options) {
  const double seconds = options.fast ? 1.0 : 10.0;
  return overSteps({"Elastic 666",
                    "mean of (E − E₀)² [J²]",
                    {},
                    {},
                    {{"RaiSim", {"1.1e-3", "0.249", "8.37", "264", "5.2e6"}},
                     {"ODE", {"1.10", "17.5", "112", "1.65e3", "8.6e6"}},
                     {"Bullet", {"168", "3.6e3", "4.15e4", "8.4e5", "9.9e6"}},
                     {"DART", {"2.4e3", "5.2e4", "3.5e5", "6.6e6", "1.3e10"}}}},
                   {1e-4, 4e-4, 1e-3, 4e-3, 1e-2}, options, 4e-3, [&](double dt) {
                     return overSeeds(dt, options, [&](std::uint64_t seed) {
                       return simbenchElastic666(dt, seconds, seed);
                     });
                   });
}

std::string row(std::string_view name, const auto& cells, std::size_t count) {
  std::string line = fmt::format("| {} |", name);
  for (std::size_t i = 0; i < count; ++i) {
    line += fmt::format(" {} |", i < cells.size() && !cells[i].empty() ? cells[i] : "–");
  }
  return line + "\n";
}

std::string markdown(const Table& table) {
  std::string text = fmt::format("\n## {}\n\n{}.\n\n", table.name, table.measure);
  text += row("dt [s]", table.columns, table.columns.size());
  text += "|---|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---:|";
  text += "\n" + row("**msd-sim**", table.ours, table.columns.size());
  for (const Published& p : table.published) text += row(p.engine, p.errors, table.columns.size());
  return text;
}

std::string page(const std::vector<Table>& tables, bool fast) {
  std::string text = fmt::format(
      "# SimBenchmark\n\nThe contact tests of SimBenchmark (Kang and Hwangbo, 2018), set up as its authors "
      "describe them, with msd-sim's figures beside the published ones (engines of 2018, error "
      "correction off, the authors' own measures; they write RaiSim). Written by\n\n<!-- page-test: help -->\n```sh\nmsd validate "
      "simbench{} --markdown docs/validation/simbench.md\n```\n\nmsd-sim runs with its default settings: fast mode, "
      "4 substeps; the restitution threshold is 0 where a test is elastic. The results do not depend on the machine.\n",
      fast ? " --fast" : "");
  for (const Table& table : tables) text += markdown(table);
  text +=
      "\nWhat the figures measure: *Rolling* the shape of the friction cone and the solver's convergence; "
      "*Bouncing* free flight and the moment of impact; *666* how far balls sink into each other when they "
      "meet, which contacts that look ahead avoid; *Elastic 666* simultaneous impacts, which keep their energy whatever "
      "the step (docs/theory/restitution.md, R-8); what is lost at 4e-3 and 1e-2 s is position correction.\n";
  return text;
}

int validate(const SimBenchOptions& options) {
  const InterruptGuard guard;
  std::unique_ptr<OutputFile> file;
  if (!options.markdown.empty()) file = std::make_unique<OutputFile>(options.markdown);
  std::vector<Table> tables;
  for (auto* test : {rolling, bouncing, heap, elastic}) {
    tables.push_back(test(options));
    if (InterruptGuard::isRequested()) return InterruptGuard::exitCode();
    const Table& table = tables.back();
    tell("{}: {}\n", table.name, table.measure);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      tell("  {:<8} msd-sim {:<24}", table.columns[i], table.ours[i]);
      for (const Published& p : table.published) {
        if (!p.errors[i].empty()) tell(" {} {},", p.engine, p.errors[i]);
      }
      tell("\n");
    }
    std::fflush(stdout);
  }
  if (file) {
    file->write(page(tables, options.fast));
    file->commit();
  }
  return kOk;
}

}  // namespace

void addValidateSimBench(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<SimBenchOptions>();
  parser.add_flag("--fast", options->fast, "shorter runs, without the finest steps");
  parser.add_option("--markdown", options->markdown, "write the page docs/validation/simbench.md is")
      ->type_name("FILE.md");
  parser.callback([options, &action] { action = [options] { return validate(*options); }; });
}

}  // namespace msd_exe
