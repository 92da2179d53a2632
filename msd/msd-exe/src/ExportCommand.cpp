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

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string recording{};
  std::string csv{};
  bool quiet{false};
};

int exportCsv(const ExportOptions& options) {
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
  parser.add_option("RECORDING", options->recording, "recording (.db)")->required();
  parser.add_option("--csv", options->csv, "folder for one CSV file per table; made if missing")
      ->required()
      ->type_name("DIR");
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return exportCsv(*options); }; });
}

}  // namespace msd_exe
