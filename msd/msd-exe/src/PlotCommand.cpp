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

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::string recording{};
  std::string folder{};
  std::vector<std::string> bodies{};
  bool quiet{false};
};

int plot(const PlotOptions& options) {
  msd_record::Reader reader{options.recording};
  std::vector<msd_record::NamedChart> charts = msd_record::runCharts(reader);
  for (const std::string& body : options.bodies) {
    for (msd_record::NamedChart& chart : msd_record::bodyCharts(reader, body)) {
      charts.push_back(std::move(chart));
    }
  }
  const std::string beside = (fs::path{options.recording}.replace_extension().string() + "-plots");
  const fs::path folder = makeOutputFolder(options.folder.empty() ? beside : options.folder);
  for (const msd_record::NamedChart& chart : charts) {
    OutputFile file{folder / (chart.name + ".svg")};
    file.write(msd_record::toSvg(chart.chart));
    file.commit();
    if (!options.quiet) {
      tell("{:<10} {} ({})\n", "wrote", file.path().string(), chart.chart.title);
    }
  }
  return kOk;
}

}  // namespace

void addPlotCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<PlotOptions>();
  parser.add_option("RECORDING", options->recording, "recording (.db)")->required();
  parser
      .add_option("-o,--out", options->folder,
                  "folder for the plots (default: beside the recording)")
      ->type_name("DIR");
  parser.add_option("--body", options->bodies, "plot this body's trajectory too; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return plot(*options); }; });
}

}  // namespace msd_exe
