// The book keeps up with the code: stage names, files and functions that it names, links between
// pages, and the options of every command line it shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "msd-sim/src/Diagnostics/StepReport.hpp"

namespace {

namespace fs = std::filesystem;

fs::path sourceFolder() {
  return std::getenv("MSD_SOURCE_DIR");
}

std::string readAll(const fs::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<fs::path> pages() {
  std::vector<fs::path> result{sourceFolder() / "README.md", sourceFolder() / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator{sourceFolder() / "docs"}) {
    if (entry.path().extension() == ".md") result.push_back(entry.path());
  }
  return result;
}

std::vector<std::smatch> allMatches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator{text.begin(), text.end(), pattern}, {}};
}

TEST(LifeOfAStep, namesTheStagesInTheCodesOrder) {
  const std::string page = readAll(sourceFolder() / "docs/life-of-a-step.md");
  std::vector<std::string> told;
  for (const std::smatch& m : allMatches(page, std::regex{R"(\n## \d+\. (\w+)\n)"}))
    told.push_back(m[1]);
  std::vector<std::string> real;
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    real.emplace_back(msd_sim::stageName(static_cast<msd_sim::Stage>(i)));
  }
  EXPECT_EQ(told, real);
}

TEST(LifeOfAStep, namesFunctionsWhereTheyAreAndUpdateCallsThem) {
  const std::string page = readAll(sourceFolder() / "docs/life-of-a-step.md");
  const std::string update = readAll(sourceFolder() / "msd/msd-sim/src/Environment/WorldModel.cpp");
  const auto told = allMatches(page, std::regex{R"(\n`(\w+)` in `([^`]+)`\.\n)"});
  ASSERT_EQ(told.size(), msd_sim::kStageCount);
  std::size_t last = update.find("bool advance(Simulation& sim");
  ASSERT_NE(last, std::string::npos);
  for (const std::smatch& m : told) {
    const std::string function = m[1];
    EXPECT_THAT(readAll(sourceFolder() / m[2].str()),
                testing::HasSubstr(" " + function + "(Simulation& sim"))
        << "where docs/life-of-a-step.md says";
    const std::size_t call = update.find(function + "(sim", last);
    ASSERT_NE(call, std::string::npos) << function << " is not called in this order";
    last = call;
  }
}

/// What a shell command prints.
std::string outputOf(std::string command) {
  command.append(" 2>/dev/null");
  std::string text;
  if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
      text.append(buffer.data(), count);
    ::pclose(pipe);
  }
  return text;
}

TEST(LifeOfAStep, namesTheFunctionsThatTheProfileShowsInItsOrder) {
  const std::string page = readAll(sourceFolder() / "docs/life-of-a-step.md");
  std::vector<std::string> told;
  for (const std::smatch& m : allMatches(page, std::regex{R"(\n`(\w+)` in `[^`]+`\.\n)"}))
    told.push_back(m[1]);
  std::string command{"'"};
  command.append(std::getenv("MSD_BINARY_DIR")).append("/bin/msd' run '");
  command.append(sourceFolder() / "scenes/free_flight.json").append("' --steps 2 --profile");
  const std::string profile = outputOf(command);
  std::vector<std::string> shown;
  for (const std::smatch& m : allMatches(profile, std::regex{R"( %  (\w+)\n)"})) shown.push_back(m[1]);
  EXPECT_EQ(told, shown) << profile;
}

/// The text without its fenced blocks: code has brackets of its own.
std::string withoutCode(const std::string& text) {
  std::string prose;
  std::istringstream lines{text};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) inside = !inside;
    if (!inside) prose += line + "\n";
  }
  return prose;
}

TEST(Docs, linksLeadToPages) {
  for (const fs::path& page : pages()) {
    const std::string text = withoutCode(readAll(page));
    for (const std::smatch& m : allMatches(text, std::regex{R"(\]\(([^)#:]+)(#[^)]*)?\))"})) {
      EXPECT_TRUE(fs::exists(page.parent_path() / m[1].str())) << page << " links to " << m[1];
    }
  }
}

TEST(Docs, filesThatPagesNameExist) {
  for (const fs::path& page : pages()) {
    const std::string text = readAll(page);
    for (const std::smatch& m : allMatches(
             text, std::regex{R"(`((?:msd|docs|tools|scenes|bench|tests)/[\w./-]+\.\w+)`)"})) {
      // A name may be a path in the tree, or what users include (include/msd).
      EXPECT_TRUE(fs::exists(sourceFolder() / m[1].str()) || fs::exists(sourceFolder() / "include" / m[1].str()))
          << page << " names " << m[1];
    }
  }
}

/// Pages of the theory that comments point to.
TEST(Docs, pagesThatTheCodeNamesExist) {
  for (const auto& entry : fs::recursive_directory_iterator{sourceFolder() / "msd"}) {
    const fs::path path = entry.path();
    if (path.extension() != ".hpp" && path.extension() != ".cpp") continue;
    const std::string text = readAll(path);
    for (const std::smatch& m : allMatches(text, std::regex{R"((?:docs/)?(theory/[a-z-]+\.md))"})) {
      EXPECT_TRUE(fs::exists(sourceFolder() / "docs" / m[1].str())) << path << " names " << m[1];
    }
  }
}

/// What `msd COMMAND --help` prints.
std::string helpOf(const std::string& command) {
  static std::map<std::string, std::string> known;
  if (const auto found = known.find(command); found != known.end()) return found->second;
  std::string line{"'"};
  line.append(std::getenv("MSD_BINARY_DIR")).append("/bin/msd' ").append(command);
  line.append(" --help 2>/dev/null");
  std::string text;
  if (std::FILE* pipe = ::popen(line.c_str(), "r")) {
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
      text.append(buffer.data(), count);
    ::pclose(pipe);
  }
  return known[command] = text;
}

/// Lines of code blocks and inline code that start with the tool's name.
std::vector<std::string> commandLines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::smatch& m :
       allMatches(text, std::regex{R"((?:^|\n|`)(?:build/release/bin/)?(msd [a-z]+[^\n`]*))"})) {
    lines.push_back(m[1]);
  }
  return lines;
}

TEST(Docs, commandsHaveTheOptionsThatPagesShow) {
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& line : commandLines(readAll(page))) {
      std::smatch command;
      if (!std::regex_search(line, command, std::regex{R"(^msd ([a-z]+(?: tosses)?))"})) continue;
      const std::string help = helpOf(command[1]);
      ASSERT_FALSE(help.empty()) << page << " shows: " << line;
      for (const std::smatch& option : allMatches(line, std::regex{R"(--[a-z][a-z-]*)"})) {
        EXPECT_THAT(help, testing::HasSubstr(option.str())) << page << " shows: " << line;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 10u);
}

TEST(Docs, everyCommandHasItsSection) {
  const std::string page = readAll(sourceFolder() / "docs/command-line.md");
  const std::string help = helpOf("");
  std::size_t commands = 0;
  for (const std::smatch& m : allMatches(help, std::regex{R"(\n  ([a-z]+) {2,})"})) {
    ++commands;
    const std::regex heading{"\n## [^\n]*`msd " + m[1].str() + "\\b"};
    EXPECT_TRUE(std::regex_search(page, heading)) << "docs/command-line.md has no " << m[1];
  }
  EXPECT_GE(commands, 5u);
}

}  // namespace
