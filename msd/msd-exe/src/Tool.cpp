#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/HelpFormatter.hpp"
#include "msd-exe/src/Manual.hpp"
#include "msd-exe/src/UsageMessages.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace msd_exe {

namespace {

constexpr std::string_view kDescription =
    "msd: rigid-body dynamics with contact that can be trusted";

/// Where a first scene and the pages are: installed beside the tool, or in the checkout.
struct Places {
  std::string demo{"scenes/demo.json"};
  std::string docs{"docs"};
};

Places findPlaces() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path share =
      fs::read_symlink("/proc/self/exe", unknown).parent_path().parent_path() / "share";
  const fs::path demo = share / "msd" / "scenes" / "demo.json";
  if (unknown || !fs::exists(demo, unknown)) return {};
  return {.demo = demo.string(), .docs = (share / "doc" / "msd-sim" / "docs").string()};
}

std::string theWay() {
  const Places places = findPlaces();
  const std::pair<std::string, std::string_view> steps[] = {
      {"msd run " + places.demo, "simulate a scene, see the summary"},
#ifdef MSD_HAS_VIEW
      {"msd view " + places.demo, "watch it in the browser"},
#endif
      {"msd check my_scene.json", "say what is wrong with a scene, and where"},
      {"msd info my_scene.json", "say what is in it"},
      {"msd run my_scene.json --record out.db", "record it"},
      {"msd report out.db", "make a page of the recording"},
      {"msd run --help", "all options of a command"},
  };
  std::size_t width = 0;
  for (const auto& [command, meaning] : steps) width = std::max(width, command.size());
  std::string text = "\nFirst steps:\n";
  for (const auto& [command, meaning] : steps)
    text += fmt::format("  {:<{}}  {}\n", command, width, meaning);
  text +=
      fmt::format("To read, in {}: scene-format.md, command-line.md, recording.md.\n", places.docs);
  return text;
}

/// Takes the places of streams that are closed, so that no file of ours gets one of them: what is
/// said to nobody must not end up in a recording. Writing there fails, as it did.
void occupyStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

void printError(std::string_view message) {
  complainText(message);
}

/// "msd help run" is "msd run --help".
std::vector<std::string> withoutHelpCommand(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

/// One word for one thing: "command" in help and errors alike.
void groupCommands(CLI::App& parser) {
  for (CLI::App* command : parser.get_subcommands([](const CLI::App*) { return true; })) {
    command->group("Commands");
    groupCommands(*command);
  }
}

int runAction(const Action& action) {
  try {
    const int code = action();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      printError("cannot write to standard output");
      return kSimulationFailed;
    }
    return code;
  } catch (const msd_scene::SceneError& error) {
    printError(error.what());
    if (!error.others().empty()) {
      printError(fmt::format("{} more; msd check lists them",
                             plural(error.others().size(), "error", "errors")));
    }
    return kBadInput;
  } catch (const msd_record::RecordError& error) {
    printError(error.what());
    return kBadInput;
  } catch (const UsageError& error) {
    printError(error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    printError("out of memory");
  } catch (const std::exception& error) {
    printError(error.what());
  }
  return kSimulationFailed;
}

}  // namespace

CommandLine readCommandLine(std::vector<std::string> arguments) {
  CLI::App tool{std::string{kDescription}, "msd"};
  tool.formatter(std::make_shared<HelpFormatter>());
  tool.set_help_flag("-h,--help", "print this help and end");
  tool.set_version_flag("--version", versionText(), "print the version and end");
  tool.footer(theWay());
  bool wantsManual = false;
  // For the build, which installs it; an empty group keeps it out of the help.
  tool.add_flag("--manual", wantsManual, "print the manual page (roff)")->group("");
  tool.require_subcommand(0, 1);
  Action action;
  for (const Command& command : commands()) {
    CLI::App* parser = tool.add_subcommand(std::string{command.name}, std::string{command.summary});
    parser->footer("");
    command.add(*parser, action);
  }
  groupCommands(tool);
  try {
    arguments = withoutHelpCommand(std::move(arguments));
    // The parser takes them from the back.
    std::ranges::reverse(arguments);
    tool.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    if (const auto unknown = describeUnknownCommand(tool)) return {.error = *unknown};
    const CLI::App& parser = chosenParser(tool);
    const CLI::App* parent = parser.get_parent();
    return {.text = parent == nullptr ? tool.help() : parser.help(fullName(*parent))};
  } catch (const CLI::CallForVersion& version) {
    return {.text = fmt::format("{}\n", version.what())};
  } catch (const CLI::ParseError& error) {
    return {.error = describeParseError(tool, error)};
  }
  if (wantsManual) return {.text = manualPage(tool)};
  if (!action) return {.text = tool.help()};
  return {.action = std::move(action)};
}

int runTool(int argc, const char* const* argv) {
  // A reader that goes away (msd run ... | head) shows as a write error, not as a sudden death that
  // leaves temporary files behind.
  std::signal(SIGPIPE, SIG_IGN);
  // So does a file that may not grow any further.
  std::signal(SIGXFSZ, SIG_IGN);
  occupyStreams();
  return runAction([&] {
    const CommandLine line = readCommandLine({argv + std::min(argc, 1), argv + argc});
    if (!line.error.empty()) throw UsageError{line.error};
    if (line.action) return line.action();
    tellText(line.text);
    return static_cast<int>(kOk);
  });
}

}  // namespace msd_exe
