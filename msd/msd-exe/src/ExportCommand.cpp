#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/OutputFolder.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/Csv.hpp"
#include "msd-study/src/ResultsFile.hpp"
#include "msd-study/src/StudyTable.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string recording{};
  std::string csv{};
  std::string npz{};
  bool quiet{false};
};

int exportStudy(const ExportOptions& options) {
  const msd_study::StudyTable table = msd_study::readTable(options.recording);
  const auto write = [&](const fs::path& path, const std::string& bytes) {
    OutputFile file{path};
    file.write(bytes);
    file.commit();
    if (options.quiet) return;
    fmt::print("{:<10} {} ({}, {:.3g} MB)\n", "wrote", file.path().string(),
               plural(table.rows(), "case", "cases"), 1e-6 * static_cast<double>(file.bytes()));
  };
  if (!options.csv.empty()) {
    write(makeOutputFolder(options.csv) / "study.csv", msd_study::toCsv(table));
  }
  if (!options.npz.empty()) write(options.npz, msd_study::toNpz(table));
  return kOk;
}

int exportCsv(const ExportOptions& options) {
  if (options.csv.empty() && options.npz.empty()) {
    throw UsageError{"--csv is required; see msd export --help"};
  }
  if (msd_study::isResultsFile(options.recording)) return exportStudy(options);
  if (!options.npz.empty()) {
    throw UsageError{"--npz: found a recording, expected results of a study"};
  }
  msd_record::Reader reader{options.recording};
  const fs::path folder = makeOutputFolder(options.csv);
  for (const std::string& table : msd_record::csvTables()) {
    OutputFile file{folder / (table + ".csv")};
    const std::uint64_t rows =
        msd_record::writeCsv(reader, table, [&](std::string_view text) { file.write(text); });
    file.commit();
    if (!options.quiet) {
      tell("{:<10} {} ({}, {:.3g} MB)\n", "wrote", file.path().string(),
                 plural(rows, "row", "rows"), 1e-6 * static_cast<double>(file.bytes()));
    }
  }
  OutputFile scene{folder / "scene.json"};
  scene.write(reader.sceneText());
  scene.commit();
  if (!options.quiet) tell("{:<10} {} (the scene)\n", "wrote", scene.path().string());
  return kOk;
}

}  // namespace

void addExportCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  parser.add_option("RECORDING", options->recording, "recording or results of a study (.db)")->required();
  parser.add_option("--csv", options->csv, "folder for one CSV file per table; made if missing")
      ->type_name("DIR");
  parser.add_option("--npz", options->npz, "study: NumPy archive, an array per column")
      ->type_name("OUT.npz");
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return exportCsv(*options); }; });
}

}  // namespace msd_exe
