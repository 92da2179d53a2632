#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_exe {

namespace {

using Clock = std::chrono::steady_clock;

struct SolveOptions {
  std::string problem{};
  std::string solution{};
  double tolerance{1e-10};
  int iterations{3000};
  bool velocityAware{false};
  bool json{false};
};

std::string readText(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    throw UsageError{
        fmt::format("{}: found no file of this name, expected a friction problem", path)};
  }
  std::ifstream file{path, std::ios::binary};
  if (!file) throw UsageError{fmt::format("{}: cannot be opened for reading", path)};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (file.bad()) throw UsageError{fmt::format("{}: cannot be read", path)};
  return text;
}

msd_sim::FrictionProblem readProblem(const std::string& path) {
  try {
    return msd_sim::parseProblem(readText(path));
  } catch (const msd_sim::ProblemFileError& error) {
    throw UsageError{fmt::format("{}: {}", path, error.what())};
  }
}

void printJson(const SolveOptions& options, const msd_sim::FrictionProblem& problem,
               const msd_sim::ExactResult& result, double milliseconds) {
  const msd_sim::ContactCertificate& c = result.certificate;
  const nlohmann::ordered_json line{{"problem", options.problem},
                                    {"contacts", problem.contactCount()},
                                    {"status", msd_sim::exactStatusName(result.status)},
                                    {"tolerance", options.tolerance},
                                    {"residual", c.naturalMap},
                                    {"velocity_error", c.velocityError},
                                    {"complementarity", c.complementarity},
                                    {"cone_violation", c.coneViolation},
                                    {"normal_violation", c.normalViolation},
                                    {"newton_steps", result.newtonSteps},
                                    {"sweeps", result.sweeps},
                                    {"ms", milliseconds}};
  tell("{}\n", line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

void printText(const SolveOptions& options, const msd_sim::FrictionProblem& problem,
               const msd_sim::ExactResult& result, double milliseconds) {
  const msd_sim::ContactCertificate& c = result.certificate;
  tell("{:<16} {}, {} contacts\n", "problem", options.problem, problem.contactCount());
  tell("{:<16} {} in {} Newton steps and {} sweeps, {:.3g} ms\n", "status",
             msd_sim::exactStatusName(result.status), result.newtonSteps, result.sweeps,
             milliseconds);
  tell("{:<16} {:.3g} (natural map, relative; asked for {:g})\n", "residual", c.naturalMap,
             options.tolerance);
  tell("{:<16} {:.3g} of the largest free velocity\n", "velocity error", c.velocityError);
  tell("{:<16} {:.3g} J\n", "complementarity", c.complementarity);
  tell("{:<16} {:.3g} N s\n", "cone violation", c.coneViolation);
  tell("{:<16} {:.3g} m/s\n", "penetration rate", c.normalViolation);
  if (!options.solution.empty()) tell("{:<16} {}\n", "wrote", options.solution);
}

int solve(const SolveOptions& options) {
  const msd_sim::FrictionProblem problem = readProblem(options.problem);
  std::optional<OutputFile> output;
  if (!options.solution.empty()) output.emplace(options.solution);
  msd_sim::ExactSolver solver;
  const Clock::time_point start = Clock::now();
  const msd_sim::ExactResult result = solver.solve(problem, {.tolerance = options.tolerance,
                                                             .velocityAware = options.velocityAware,
                                                             .maxIterations = options.iterations});
  const double milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (output) {
    output->write(
        msd_sim::writeSolution(result.impulse, result.velocity, result.certificate.naturalMap));
    output->commit();
  }
  if (options.json) {
    printJson(options, problem, result, milliseconds);
  } else {
    printText(options, problem, result, milliseconds);
  }
  return result.converged() ? kOk : kSimulationFailed;
}

}  // namespace

void addSolveCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<SolveOptions>();
  parser.add_option("PROBLEM", options->problem, "friction problem (text, as Siconos writes it)")
      ->required();
  parser.add_option("--solution", options->solution, "write r and u, a contact per line")
      ->type_name("FILE");
  parser.add_option("--tolerance", options->tolerance, "residual to reach (default 1e-10)")
      ->check(number(1e-16, 1.0, ""))
      ->type_name("X");
  parser.add_option("--iterations", options->iterations, "most Newton steps (default 3000)")
      ->check(wholeNumber(0, 1000000000))
      ->type_name("N");
  parser.add_flag("--velocity-aware", options->velocityAware,
                  "ask the worst velocity error to be below the tolerance too");
  parser.add_flag("--json", options->json, "print one line of JSON");
  parser.callback([options, &action] { action = [options] { return solve(*options); }; });
}

}  // namespace msd_exe
