// Problems and measurements that others collected: friction problems with known solutions, tosses
// of a real cube. They are no part of the repository; where they are absent, the rows say so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Validate/Worlds.hpp"
#include "msd-exe/src/ValidateTosses.hpp"
#include "msd-record/src/SvgChart.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFastTosses = 60;  ///< with --fast only the first of them
constexpr int kFastContacts = 50;        ///< with --fast only smaller problems

fs::path externalFolder(const char* name) {
  const char* data = std::getenv("MSD_EXTERNAL_DATA");
  return fs::path{data != nullptr ? data : "../shared/data"} / name;
}

/// Empty where the folder is there.
std::string whyAbsent(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return {};
  return fmt::format("no folder {} (MSD_EXTERNAL_DATA says where the data is)",
                     folder.parent_path().filename().string() + "/" + folder.filename().string());
}

struct Solved {
  int contacts{0};
  double residual{0.0};  ///< of the natural map, relative
};

/// Every problem of the collection, by its size.
std::vector<Solved> solveAll(bool fast) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator{externalFolder("fc3d") / "problems"}) {
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Solved> all;
  for (const fs::path& file : files) {
    std::ifstream stream{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    const msd_sim::FrictionProblem problem = msd_sim::parseProblem(text);
    if (fast && problem.contactCount() > kFastContacts) continue;
    msd_sim::ExactSolver solver;
    const auto result = solver.solve(problem, {.tolerance = 1e-10, .velocityAware = false});
    all.push_back({problem.contactCount(), result.certificate.naturalMap});
  }
  std::ranges::sort(all, {}, &Solved::contacts);
  return all;
}

std::string drawResiduals(const std::vector<Solved>& all) {
  msd_record::Chart chart{.title = "Friction problems: residual by size",
                          .quantity = "log10 of the residual",
                          .unit = "",
                          .xQuantity = "contacts",
                          .xUnit = ""};
  msd_record::Series series{.name = "residual"};
  msd_record::Series asked{.name = "asked for"};
  for (const Solved& s : all) {
    series.x.push_back(s.contacts);
    series.y.push_back(std::log10(std::max(s.residual, 1e-17)));
    asked.x.push_back(series.x.back());
    asked.y.push_back(-8.0);
  }
  chart.series = {series, asked};
  return msd_record::toSvg(chart);
}

Measurement worstResidual(bool fast) {
  const std::vector<Solved> all = solveAll(fast);
  double worst = 0.0;
  for (const Solved& s : all) worst = std::max(worst, s.residual);
  return {.expected = 0.0,
          .measured = worst,
          .error = all.empty() ? 1.0 : worst,
          .tolerance = 1e-8,
          .drawing = drawResiduals(all)};
}

/// Median distance of the centres at rest, over the tosses.
Measurement tosses(bool fast) {
  const msd_sim::Method method = methodUnderTest();
  const TossData data = readTosses(externalFolder("cube-tosses"));
  const std::size_t count = fast ? std::min(kFastTosses, data.tosses.size()) : data.tosses.size();
  TossCurve curve{.name = std::string{msd_sim::methodName(method)}};
  for (std::size_t i = 0; i < count; ++i) {
    const TossError error = simulateToss(data, i, method, 1);
    curve.position.push_back(error.position);
    curve.rotation.push_back(error.rotation * 180.0 / std::numbers::pi);
  }
  std::ranges::sort(curve.position);
  std::ranges::sort(curve.rotation);
  const double median = curve.position[curve.position.size() / 2];
  return {.expected = 0.0,
          .measured = median,
          .error = median,
          .tolerance = 1.0,
          .drawing = drawTosses({curve})};
}

}  // namespace

std::vector<Phenomenon> externalPhenomena() {
  const std::string noProblems = whyAbsent(externalFolder("fc3d") / "problems");
  const std::string noTosses = whyAbsent(externalFolder("cube-tosses"));
  constexpr std::string_view kGroup = "From elsewhere";
  return {
      {kGroup, "friction problems (Siconos, FCLIB)",
       "Coulomb's law with the De Saxcé correction; worst residual of the natural map", "-",
       worstResidual, noProblems},
      {kGroup, "measured tosses of a cube",
       "cubes travel 10 to 20 half-widths; median distance at rest", "half-widths", tosses,
       noTosses},
  };
}

}  // namespace msd_exe
