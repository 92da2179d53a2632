#include <array>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Study/StudyCommands.hpp"

namespace msd_exe {

std::span<const Command> commands() {
  static constexpr auto kCommands = std::to_array<Command>({
      {"run", "simulate a scene and print what happened", addRunCommand},
      {"solve", "solve a friction problem from a file and certify the answer", addSolveCommand},
      {"check", "say whether a scene is right, and what is odd about it", addCheckCommand},
      {"import", "make a scene of a robot file (URDF or MJCF)", addImportCommand},
      {"info", "describe a scene, a recording, a mesh file or a poses file", addInfoCommand},
      {"export", "write a recording's tables as CSV files", addExportCommand},
      {"plot", "draw a recording's energies, penetration, step time and trajectories",
       addPlotCommand},
      {"report", "make one page of a recording: summary, plots, extremes, settings",
       addReportCommand},
      {"verify", "simulate a recording again and compare every step", addVerifyCommand},
      {"resume", "go on with a recording from its last committed step", addResumeCommand},
      {"sweep", "run a study: many cases of a scene, on all cores", addSweepCommand},
      {"replay", "run one case of a study again and compare, bit for bit", addReplayCommand},
      {"bench", "measure speed and quality, beside other engines", addBenchCommand},
      {"validate", "compare the engine with the laws of mechanics and with measurements",
       addValidateCommand},
#ifdef MSD_HAS_VIEW
      {"view", "watch a simulation or a recording in the browser", addViewCommand},
      {"snapshot", "make a picture of a scene at a time", addSnapshotCommand},
#endif
  });
  return kCommands;
}

}  // namespace msd_exe
