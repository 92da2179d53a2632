#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/OutputFolder.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/Csv.hpp"
#include "msd-record/src/ExportMotion.hpp"
#include "msd-study/src/ResultsFile.hpp"
#include "msd-study/src/StudyTable.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string recording{};
  std::string csv{};
  std::string npz{};
  std::string vtk{};
  std::string gltf{};
  std::int64_t every{1};
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

void say(const ExportOptions& options, const OutputFile& file, const std::string& what) {
  if (options.quiet) return;
  tell("{:<10} {} ({}, {:.3g} MB)\n", "wrote", file.path().string(), what,
       1e-6 * static_cast<double>(file.bytes()));
}

void exportCsv(const ExportOptions& options, msd_record::Reader& reader) {
  const fs::path folder = makeOutputFolder(options.csv);
  for (const std::string& table : msd_record::csvTables()) {
    OutputFile file{folder / (table + ".csv")};
    const std::uint64_t rows =
        msd_record::writeCsv(reader, table, [&](std::string_view text) { file.write(text); });
    file.commit();
    say(options, file, plural(rows, "row", "rows"));
  }
  OutputFile scene{folder / "scene.json"};
  scene.write(reader.sceneText());
  scene.commit();
  if (!options.quiet) tell("{:<10} {} (the scene)\n", "wrote", scene.path().string());
}

void exportVtk(const ExportOptions& options, msd_record::Reader& reader) {
  const fs::path folder = makeOutputFolder(options.vtk);
  const std::int64_t frames = msd_record::writeVtk(
      reader, options.every, [&](const std::string& name, std::string_view bytes) {
        OutputFile file{folder / name};
        file.write(bytes);
        file.commit();
      });
  if (options.quiet) return;
  tell("{:<10} {} (ParaView opens it; {})\n", "wrote", (folder / "run.pvd").string(),
       plural(static_cast<std::uint64_t>(frames), "frame", "frames"));
}

int exportAll(const ExportOptions& options) {
  if (options.csv.empty() && options.npz.empty() && options.vtk.empty() && options.gltf.empty()) {
    throw UsageError{"--csv, --npz, --vtk or --gltf is required; see msd export --help"};
  }
  if (msd_study::isResultsFile(options.recording)) {
    if (!options.vtk.empty() || !options.gltf.empty()) {
      throw UsageError{"--vtk, --gltf: found results of a study, expected a recording"};
    }
    return exportStudy(options);
  }
  msd_record::Reader reader{options.recording};
  const auto write = [&](const std::string& path, const std::string& bytes, const char* what) {
    if (path.empty()) return;
    OutputFile file{path};
    file.write(bytes);
    file.commit();
    say(options, file, what);
  };
  if (!options.csv.empty()) exportCsv(options, reader);
  if (!options.npz.empty()) {
    write(options.npz, msd_record::toNpz(reader, options.every), "numpy.load opens it");
  }
  if (!options.gltf.empty()) {
    write(options.gltf, msd_record::toGlb(reader, options.every), "Blender and viewers open it");
  }
  if (!options.vtk.empty()) exportVtk(options, reader);
  return kOk;
}

}  // namespace

void addExportCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  parser.add_option("RECORDING", options->recording, "recording or results of a study (.db)")->required();
  parser.add_option("--csv", options->csv, "folder for one CSV file per table; made if missing")
      ->type_name("DIR");
  parser
      .add_option("--npz", options->npz,
                  "NumPy archive: motion of all bodies; of a study, an array per column")
      ->type_name("OUT.npz");
  parser.add_option("--vtk", options->vtk, "folder for run.pvd and a .vtp file per frame, for ParaView")
      ->type_name("DIR");
  parser.add_option("--gltf", options->gltf, "the motion as a glTF animation")->type_name("OUT.glb");
  parser.add_option("--every", options->every, "npz, vtk, gltf: frames from one to the next (default 1)")
      ->check(wholeNumber(1, 1'000'000'000))
      ->type_name("N");
  parser.add_flag("--quiet", options->quiet, "print nothing but errors");
  parser.callback([options, &action] { action = [options] { return exportAll(*options); }; });
}

}  // namespace msd_exe
