#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-record/src/HtmlReport.hpp"
#include "msd-study/src/ResultsFile.hpp"
#include "msd-study/src/StudyReport.hpp"

namespace msd_exe {

namespace {

struct ReportOptions {
  std::string recording{};
  std::string out{};
  bool quiet{false};
};

std::string pageOf(const std::string& path) {
  if (msd_study::isResultsFile(path)) {
    return msd_study::htmlReport(msd_study::readTable(path), *msd_study::readStudy(path), path);
  }
  msd_record::Reader reader{path};
  return msd_record::htmlReport(reader);
}

int report(const ReportOptions& options) {
  const std::string page = pageOf(options.recording);
  std::filesystem::path path{options.out};
  if (path.empty()) path = std::filesystem::path{options.recording}.replace_extension(".html");
  OutputFile file{path};
  file.write(page);
  file.commit();
  if (!options.quiet) {
    tell("{:<10} {} ({:.3g} MB)\n", "wrote", file.path().string(),
               1e-6 * static_cast<double>(file.bytes()));
  }
  return kOk;
}

}  // namespace

void addReportCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  parser.add_option("RECORDING", options->recording, "recording or results of a study (.db)")->required();
  parser.add_option("-o,--out", options->out, "the page (default: beside the file)")
      ->type_name("OUT.html");
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace msd_exe
