#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/OutputFolder.hpp"
#include "msd-record/src/Charts.hpp"
#include "msd-study/src/ResultsFile.hpp"
#include "msd-study/src/StudyCharts.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::string recording{};
  std::string folder{};
  std::vector<std::string> bodies{};
  msd_study::ChartChoice study{};
  bool quiet{false};
};

fs::path plotFolder(const PlotOptions& options) {
  const std::string beside = fs::path{options.recording}.replace_extension().string() + "-plots";
  return makeOutputFolder(options.folder.empty() ? beside : options.folder);
}

void writePlot(const PlotOptions& options, const fs::path& path, const std::string& title,
               const std::string& svg) {
  OutputFile file{path};
  file.write(svg);
  file.commit();
  if (!options.quiet) tell("{:<10} {} ({})\n", "wrote", file.path().string(), title);
}

int plotStudy(const PlotOptions& options) {
  if (!options.bodies.empty()) throw UsageError{"--body: found results of a study, expected a recording"};
  const msd_study::StudyTable table = msd_study::readTable(options.recording);
  std::vector<msd_study::StudyChart> charts = msd_study::overParameters(table, options.study);
  if (options.study.x.empty()) {
    for (msd_study::StudyChart& chart : msd_study::histograms(table, options.study)) {
      charts.push_back(std::move(chart));
    }
  }
  if (charts.empty()) throw UsageError{options.recording + ": found no results that vary"};
  const fs::path folder = plotFolder(options);
  for (const msd_study::StudyChart& chart : charts) {
    writePlot(options, folder / (chart.name + ".svg"), chart.title, chart.svg);
  }
  return kOk;
}

int plot(const PlotOptions& options) {
  if (msd_study::isResultsFile(options.recording)) return plotStudy(options);
  if (!options.study.x.empty() || !options.study.y.empty()) {
    throw UsageError{"--x, --y: found a recording, expected results of a study"};
  }
  msd_record::Reader reader{options.recording};
  std::vector<msd_record::NamedChart> charts = msd_record::runCharts(reader);
  for (const std::string& body : options.bodies) {
    for (msd_record::NamedChart& chart : msd_record::bodyCharts(reader, body)) {
      charts.push_back(std::move(chart));
    }
  }
  const fs::path folder = plotFolder(options);
  for (const msd_record::NamedChart& chart : charts) {
    writePlot(options, folder / (chart.name + ".svg"), chart.chart.title,
              msd_record::toSvg(chart.chart));
  }
  return kOk;
}

}  // namespace

void addPlotCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<PlotOptions>();
  parser.add_option("RECORDING", options->recording, "recording or results of a study (.db)")->required();
  parser
      .add_option("-o,--out", options->folder,
                  "folder for the plots (default: beside the file)")
      ->type_name("DIR");
  parser.add_option("--body", options->bodies, "plot this body's trajectory too; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  parser.add_option("--x", options->study.x, "study: only over this parameter")->type_name("NAME");
  parser.add_option("--y", options->study.y, "study: only this measure, or success")
      ->type_name("NAME");
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return plot(*options); }; });
}

}  // namespace msd_exe
