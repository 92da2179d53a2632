#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace msd_exe {

/// What is wrong with a command line, in one line: the word, what was expected, and where it is
/// plain what was meant, that.
[[nodiscard]] std::string describeParseError(const CLI::App& tool, const CLI::ParseError& error);

/// What is wrong where help was asked for a command that does not exist; nothing where it does.
[[nodiscard]] std::optional<std::string> describeUnknownCommand(const CLI::App& tool);

/// The command that was chosen, or the command of a command; the tool itself where none was.
[[nodiscard]] const CLI::App& chosenParser(const CLI::App& tool);

/// "msd validate tosses"
[[nodiscard]] std::string fullName(const CLI::App& parser);

}  // namespace msd_exe
