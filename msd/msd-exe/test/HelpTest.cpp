// Help, manual page, completion and misuse: the same for every command, whatever commands there
// are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "msd-exe/test/RunMsd.hpp"

namespace msd_exe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

using Words = std::vector<std::string>;

/// The first words of the lines of a section of a help text: names of commands, or long options.
Words sectionOf(const std::string& help, const std::string& title) {
  Words words;
  bool inside = false;
  std::istringstream lines{help};
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') inside = line == title + ":";
    if (!inside || !line.starts_with("  ") || line.size() < 3 || line[2] == ' ') continue;
    const std::string first = line.substr(2, line.find(' ', 2) - 2);
    if (!first.starts_with('-')) {
      words.push_back(first);
    } else if (const std::size_t at = first.find("--"); at != std::string::npos) {
      words.push_back(first.substr(at));
    }
  }
  return words;
}

struct CommandHelp {
  Words path;  ///< {"validate", "tosses"}
  Words options;
};

void collect(const Words& path, std::vector<CommandHelp>& all) {
  Words arguments = path;
  arguments.emplace_back("--help");
  const Outcome outcome = runMsd(arguments);
  EXPECT_EQ(outcome.exitCode, 0) << testing::PrintToString(path);
  if (!path.empty()) all.push_back({path, sectionOf(outcome.out, "Options")});
  for (const std::string& name : sectionOf(outcome.out, "Commands")) {
    Words longer = path;
    longer.push_back(name);
    collect(longer, all);
  }
}

/// Every command, and every command of a command.
std::vector<CommandHelp> allCommands() {
  std::vector<CommandHelp> all;
  collect({}, all);
  return all;
}

std::string joined(const Words& path) {
  std::string text = "msd";
  for (const std::string& word : path) text += " " + word;
  return text;
}

/// As roff writes it.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '-' ? std::string{"\\-"} : std::string{c};
  return result;
}

TEST(Manual, hasEveryCommandAndOptionThatHelpHas) {
  const std::string manual =
      readAll(std::string{std::getenv("MSD_BINARY_DIR")} + "/msd/msd-exe/msd.1");
  const std::vector<CommandHelp> commands = allCommands();
  ASSERT_GE(commands.size(), 12u);
  for (const CommandHelp& command : commands) {
    const std::string heading = ".SS " + roff(joined(command.path));
    std::size_t start = manual.find(heading + "\n");
    if (start == std::string::npos) start = manual.find(heading + " ");
    ASSERT_NE(start, std::string::npos) << "no section: " << joined(command.path);
    const std::string section = manual.substr(start, manual.find("\n.S", start + 1) - start);
    for (const std::string& option : command.options) {
      if (option == "--help") continue;
      EXPECT_THAT(section, HasSubstr(roff(option))) << joined(command.path);
    }
  }
}

/// What bash offers after these words; the last one is still being typed.
Words completionsOf(const Words& words) {
  std::string line = "PATH='" + std::string{std::getenv("MSD_BINARY_DIR")} +
                     "/bin':\"$PATH\"; . '" + std::getenv("MSD_SOURCE_DIR") +
                     "/msd/msd-exe/share/msd.bash'; COMP_WORDS=(msd";
  for (const std::string& word : words) line += " '" + word + "'";
  line += "); COMP_CWORD=" + std::to_string(words.size()) +
          "; _msd; printf '%s\\n' \"${COMPREPLY[@]}\"";
  std::string command = "bash -c '";
  for (const char c : line) command += c == '\'' ? std::string{"'\\''"} : std::string{c};
  command += "'";
  Words found;
  if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
    std::array<char, 512> buffer{};
    while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) {
      std::string word{buffer.data()};
      word.erase(word.find_last_not_of('\n') + 1);
      if (!word.empty()) found.push_back(word);
    }
    ::pclose(pipe);
  }
  return found;
}

TEST(Completion, offersEveryCommandAndOption) {
  const std::vector<CommandHelp> commands = allCommands();
  Words first;
  for (const CommandHelp& command : commands) {
    if (command.path.size() == 1) first.push_back(command.path.front());
    Words typed = command.path;
    typed.emplace_back("--");
    EXPECT_THAT(completionsOf(typed), UnorderedElementsAreArray(command.options))
        << joined(command.path);
  }
  EXPECT_THAT(completionsOf({""}), UnorderedElementsAreArray(first));
  EXPECT_THAT(completionsOf({"validate", "to"}), Contains("tosses"));
  EXPECT_THAT(completionsOf({"run", "x.json", "--method", "e"}), testing::ElementsAre("exact"));
}

TEST(Tool, everyCommandCorrectsAMisspeltOption) {
  for (const CommandHelp& command : allCommands()) {
    // The longest is the one whose misspelling cannot be mistaken for another option.
    const std::string option = *std::ranges::max_element(
        command.options, {}, [](const std::string& word) { return word.size(); });
    Words arguments = command.path;
    arguments.push_back(option + "x");
    const Outcome outcome = runMsd(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << joined(arguments);
    EXPECT_EQ(outcome.err, "msd: unknown option " + option + "x; did you mean " + option + "?\n");
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST(Tool, everyCommandSaysWhatFileIsMissing) {
  for (const Words& arguments : std::vector<Words>{{"run", "none.x"},
                                                   {"solve", "none.x"},
                                                   {"check", "none.x"},
                                                   {"info", "none.x"},
                                                   {"export", "none.x", "--csv", "out"},
                                                   {"plot", "none.x"},
                                                   {"report", "none.x"},
                                                   {"verify", "none.x"},
                                                   {"resume", "none.x"}}) {
    const Outcome outcome = runMsd(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << joined(arguments);
    EXPECT_THAT(outcome.err, StartsWith("msd: none.x: found no file of this name, expected a"))
        << joined(arguments);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << joined(arguments);
  }
}

TEST(Tool, aWrongCommandOfACommandGetsTheNearestOne) {
  const Outcome outcome = runMsd({"validate", "toses"});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.err, "msd: unknown argument toses; did you mean tosses?\n");
}

}  // namespace
}  // namespace msd_exe::test
