// bench_exact [--tolerance T] [--repeat N] [FILE.dat ...]
// Solves problem files (by default the collection found through MSD_EXTERNAL_DATA, else
// ../shared/data beside the checkout) and generated scenes; prints contacts, residual, iterations
// and the median time of N solves with a fresh solver, and of warm-started solves for the pyramid.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ProblemFamilies.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace {

using namespace msd_sim;

struct Settings {
  double tolerance{1e-10};
  int repeat{5};
  std::vector<std::filesystem::path> files;
};

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

std::vector<std::filesystem::path> collection() {
  const char* data = std::getenv("MSD_EXTERNAL_DATA");
  const char* source = std::getenv("MSD_SOURCE_DIR");
  const std::filesystem::path folder =
      data != nullptr
          ? std::filesystem::path{data}
          : std::filesystem::path{source != nullptr ? source : "."} / ".." / "shared" / "data";
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator{folder / "fc3d" / "problems", error}) {
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) fmt::print("left out: problem files (folder not found)\n");
  return files;
}

Settings readArguments(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word{argv[i]};
    if (word == "--tolerance" && i + 1 < argc) {
      settings.tolerance = std::atof(argv[++i]);
    } else if (word == "--repeat" && i + 1 < argc) {
      settings.repeat = std::max(1, std::atoi(argv[++i]));
    } else {
      settings.files.emplace_back(word);
    }
  }
  if (settings.files.empty()) settings.files = collection();
  return settings;
}

double measure(const std::string& name, const FrictionProblem& problem, const Settings& settings) {
  std::vector<double> times;
  for (int k = 0; k < settings.repeat; ++k) {
    ExactSolver solver;
    const double begin = milliseconds();
    const ExactResult result =
        solver.solve(problem, {.tolerance = settings.tolerance, .velocityAware = false});
    times.push_back(milliseconds() - begin);
    if (k > 0) continue;
    fmt::print("{:42} {:5} {:9.1e} {:9.1e} {:6} {:6}  {:15}", name, problem.contactCount(),
               result.certificate.naturalMap, result.certificate.velocityError, result.newtonSteps,
               result.sweeps, exactStatusName(result.status));
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  fmt::print(" {:10.3f}\n", median);
  return median;
}

/// A step of a resting scene: last step's impulses, off by a part in a thousand each.
void measureWarm(const std::string& name, const FrictionProblem& problem,
                 const Settings& settings) {
  ExactSolver solver;
  const ExactOptions options{.tolerance = 1e-8};
  const ExactResult cold = solver.solve(problem, options);
  std::vector<double> start(cold.impulse.begin(), cold.impulse.end());
  std::vector<double> times;
  ExactResult result;
  for (int k = 0; k < std::max(settings.repeat, 5); ++k) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] *= 1.0 + 1e-3 * std::sin(static_cast<double>(i * (i + 7)) + k);
    }
    const double begin = milliseconds();
    result = solver.solve(problem, options, start);
    times.push_back(milliseconds() - begin);
    start.assign(result.impulse.begin(), result.impulse.end());
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:42} {:5} {:9.1e} {:9.1e} {:6} {:6}  {:15} {:10.3f}\n", name, problem.contactCount(),
             result.certificate.naturalMap, result.certificate.velocityError, result.newtonSteps,
             result.sweeps, exactStatusName(result.status), times[times.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = readArguments(argc, argv);
  fmt::print("{:42} {:>5} {:>9} {:>9} {:>6} {:>6}  {:15} {:>10}\n", "problem", "c", "residual",
             "velocity", "Newton", "sweeps", "status", "ms");
  double total = 0.0;
  for (const auto& file : settings.files) {
    std::ifstream stream{file, std::ios::binary};
    std::stringstream text;
    text << stream.rdbuf();
    try {
      total += measure(file.filename().string(), parseProblem(text.str()), settings);
    } catch (const ProblemFileError& error) {
      fmt::print("{:42} {}\n", file.filename().string(), error.what());
    }
  }
  fmt::print("{:42} {:>72.3f}\n", "total of the files", total);
  using namespace families;
  for (const double ratio : {1e3, 1e6}) {
    measure(fmt::format("stack of 20, load {:g}", ratio), makeStack(20, ratio, 0.5), settings);
  }
  measure("slab on 100 feet", makeManyFeet(10, 0.5, 0.3), settings);
  measure("wedged spheres 50", makeWedge(50, 0.3), settings);
  measure("random pile 100 x 3", makeRandomPile(100, 3, 0.3, 7), settings);
  measure("redundant chain 50", makeRedundantChain(50, 0.5), settings);
  for (const int base : {10, 20, 30}) {
    const FrictionProblem pyramid = makePyramid(base, 0.5);
    measure(fmt::format("pyramid of base {}, cold", base), pyramid, settings);
    measureWarm(fmt::format("pyramid of base {}, warm, 1e-8", base), pyramid, settings);
  }
  return 0;
}
