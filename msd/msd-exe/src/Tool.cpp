#include <fmt/format.h>

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
#include "msd-exe/src/HelpFormatter.hpp"
#include "msd-exe/src/Manual.hpp"
#include "msd-exe/src/UsageMessages.hpp"
#include "msd-exe/src/Version.hpp"
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

void printError(std::string_view message) {
  fmt::print(stderr, "msd: {}\n", message);
}

/// "msd help run" is "msd run --help".
std::vector<std::string> argumentsOf(int argc, const char* const* argv) {
  std::vector<std::string> arguments{argv + std::min(argc, 1), argv + argc};
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

int runTool(int argc, const char* const* argv) {
  // A reader that goes away (msd run ... | head) shows as a write error, not as a sudden death that
  // leaves temporary files behind.
  std::signal(SIGPIPE, SIG_IGN);
  // So does a file that may not grow any further.
  std::signal(SIGXFSZ, SIG_IGN);
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
    std::vector<std::string> arguments = argumentsOf(argc, argv);
    // The parser takes them from the back.
    std::ranges::reverse(arguments);
    tool.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    if (const auto unknown = describeUnknownCommand(tool)) {
      printError(*unknown);
      return kBadInput;
    }
    const CLI::App& parser = chosenParser(tool);
    const CLI::App* parent = parser.get_parent();
    fmt::print("{}", parent == nullptr ? tool.help() : parser.help(fullName(*parent)));
    return kOk;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return kOk;
  } catch (const CLI::ParseError& error) {
    printError(describeParseError(tool, error));
    return kBadInput;
  }
  if (wantsManual)
    action = [&tool] {
      fmt::print("{}", manualPage(tool));
      return kOk;
    };
  if (!action)
    action = [&tool] {
      fmt::print("{}", tool.help());
      return kOk;
    };
  return runAction(action);
}

}  // namespace msd_exe
