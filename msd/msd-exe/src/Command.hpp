#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace msd_exe {

/// What the tool's exit code says.
enum ExitCode : int {
  kOk = 0,
  kSimulationFailed = 1,  ///< the simulation or the writing of its results went wrong
  kBadInput = 2,          ///< a wrong file, option or command; nothing was written
  kDegraded = 3,          ///< all was simulated and written, but a step was degraded
};

/// A wish that cannot be fulfilled: exit code kBadInput.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a command does once its options are read; returns the exit code.
using Action = std::function<int()>;

/// One command of the tool. Each lives in a file of its own (RunCommand.cpp, ...); a new one is
/// declared below, and listed in Commands.cpp.
struct Command {
  std::string_view name;
  std::string_view summary;
  /// Adds the options to the command's parser and makes it set `action` when it is chosen.
  void (*add)(CLI::App& parser, Action& action);
};

[[nodiscard]] std::span<const Command> commands();

void addRunCommand(CLI::App& parser, Action& action);
void addSolveCommand(CLI::App& parser, Action& action);
void addCheckCommand(CLI::App& parser, Action& action);
void addImportCommand(CLI::App& parser, Action& action);
void addInfoCommand(CLI::App& parser, Action& action);
void addBenchCommand(CLI::App& parser, Action& action);
void addValidateCommand(CLI::App& parser, Action& action);
void addExportCommand(CLI::App& parser, Action& action);
void addPlotCommand(CLI::App& parser, Action& action);
void addReportCommand(CLI::App& parser, Action& action);
void addVerifyCommand(CLI::App& parser, Action& action);
void addResumeCommand(CLI::App& parser, Action& action);
#ifdef MSD_HAS_VIEW
void addViewCommand(CLI::App& parser, Action& action);
void addSnapshotCommand(CLI::App& parser, Action& action);
#endif

/// What a command line comes to: something to do, something to print, or what is wrong with it.
struct CommandLine {
  Action action{};
  std::string text{};   ///< help, version or manual page
  std::string error{};  ///< one line
};

/// Reads the arguments after the tool's name; does nothing yet, and opens no file.
[[nodiscard]] CommandLine readCommandLine(std::vector<std::string> arguments);

/// The whole tool: reads the command line, runs the command, reports errors on stderr as one line
/// that starts with "msd: ".
[[nodiscard]] int runTool(int argc, const char* const* argv);

}  // namespace msd_exe
