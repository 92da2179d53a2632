// msd-mpi: `msd sweep` over the ranks of an MPI job. Rank 0 reads the study, gives out the cases
// and writes the results; all ranks, rank 0 too, run cases.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Study/SweepCommand.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-mpi/src/MpiWorkers.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace {

using msd_study::Study;

int printError(std::string_view message, int code) {
  fmt::print(stderr, "msd-mpi: {}\n", message);
  return code;
}

/// Runs `work`; what goes wrong is said in one line.
template <class Work>
int guarded(Work&& work) {
  try {
    return work();
  } catch (const msd_scene::SceneError& error) {
    return printError(error.what(), msd_exe::kBadInput);
  } catch (const msd_record::RecordError& error) {
    return printError(error.what(), msd_exe::kBadInput);
  } catch (const msd_exe::UsageError& error) {
    return printError(error.what(), msd_exe::kBadInput);
  } catch (const std::exception& error) {
    return printError(error.what(), msd_exe::kSimulationFailed);
  }
}

/// Rank 0. `isShared` becomes true when the other ranks have been told what to do.
int lead(int argc, char** argv, bool& isShared) {
  CLI::App tool{
      "msd-mpi: studies of msd on the ranks of an MPI job (mpirun -n 8 msd-mpi sweep ...)",
      "msd-mpi"};
  tool.set_version_flag("--version", msd_exe::versionText());
  tool.require_subcommand(1);
  msd_exe::SweepOptions options;
  CLI::App* sweep = tool.add_subcommand("sweep", "run a study, its cases shared by all ranks");
  msd_exe::addSweepOptions(*sweep, options, false);
  try {
    tool.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    return tool.exit(wish);
  } catch (const CLI::ParseError& error) {
    return printError(error.what(), msd_exe::kBadInput);
  }
  const auto study = Study::load(options.study);
  return msd_exe::runSweep(options, *study, [&](const Study& s) {
    (void)msd_mpi::shareTexts(s.texts());
    isShared = true;
    msd_exe::SweepEngine engine{.pool = msd_mpi::makeMpiWorkers(s.runners())};
    engine.name = msd_exe::plural(engine.pool->workers(), "MPI rank", "MPI ranks");
    return engine;
  });
}

/// The other ranks.
int follow() {
  const auto texts = msd_mpi::shareTexts(std::nullopt);
  if (!texts) return 0;
  // Rank 0 decides when to stop.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const auto study = Study::fromTexts(*texts);
  msd_mpi::serve(study->runners());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int code = 0;
  if (rank == 0) {
    bool isShared = false;
    code = guarded([&] { return lead(argc, argv, isShared); });
    if (!isShared) (void)msd_mpi::shareTexts(std::nullopt);
  } else {
    code = guarded([] { return follow(); });
    // A rank that cannot go on must not leave the others waiting.
    if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  }
  std::fflush(nullptr);
  MPI_Finalize();
  return code;
}
