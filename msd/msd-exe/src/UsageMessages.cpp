#include "msd-exe/src/UsageMessages.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "msd-scene/src/Suggestion.hpp"

namespace msd_exe {

namespace {

/// The words a misspelt one may have meant: the options of the parser that met it, and its
/// commands.
std::vector<std::string> knownWords(const CLI::App& parser) {
  std::vector<std::string> words;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* command : parser.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(command->get_name());
  }
  return words;
}

/// The one word that begins like this, else the nearest.
std::optional<std::string_view> findMeant(std::string_view word,
                                          const std::vector<std::string_view>& known) {
  const auto begins = [word](std::string_view candidate) { return candidate.starts_with(word); };
  const bool isBeginning = word.find_first_not_of('-') != std::string_view::npos;
  if (isBeginning && std::ranges::count_if(known, begins) == 1)
    return *std::ranges::find_if(known, begins);
  return msd_scene::findClosest(word, known);
}

/// "unknown option --stpes; did you mean --steps?"
std::string describeExtra(const CLI::App& parser, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> words = knownWords(parser);
  // After "--" an option's name is an argument like any other.
  const bool isKnown = std::ranges::find(words, name) != words.end();
  const bool isOption = word.starts_with('-') && !isKnown;
  const bool isCommand = !isOption && parser.get_parent() == nullptr;
  std::string text = fmt::format("unknown {} {}",
                                 isOption    ? "option"
                                 : isCommand ? "command"
                                             : "argument",
                                 word.empty() ? "\"\""
                                 : isOption   ? name
                                              : word);
  const auto meant = isKnown ? std::nullopt : findMeant(name, {words.begin(), words.end()});
  text += meant ? fmt::format("; did you mean {}?", *meant)
                : fmt::format("; see {} --help", fullName(parser));
  return text;
}

/// The words that no parser took.
std::vector<std::string> extraWords(const CLI::App& tool) {
  std::vector<std::string> extras = tool.remaining(true);
  std::erase(extras, "--");
  return extras;
}

/// "--steps: found no value, expected N", from the parser's "--steps: 1 required N missing".
std::string describeMismatch(std::string_view text) {
  constexpr std::string_view kRequired = " required ";
  constexpr std::string_view kMissing = " missing";
  const std::string_view option = text.substr(0, text.find(':'));
  const std::size_t required = text.find(kRequired);
  if (required == std::string_view::npos) return std::string{text};
  if (text.find("At Most") != std::string_view::npos)
    return fmt::format("{}: given more than once", option);
  if (text.find("At least") != std::string_view::npos)
    return fmt::format("{}: found too few values", option);
  if (!text.ends_with(kMissing)) return std::string{text};
  const std::size_t start = required + kRequired.size();
  const std::string_view expected = text.substr(start, text.size() - kMissing.size() - start);
  const bool isOne = text.substr(0, required).ends_with(" 1");
  return fmt::format("{}: found {}, expected {}", option, isOne ? "no value" : "too few values",
                     expected);
}

}  // namespace

const CLI::App& chosenParser(const CLI::App& tool) {
  const CLI::App* parser = &tool;
  while (!parser->get_subcommands().empty()) parser = parser->get_subcommands().front();
  return *parser;
}

std::string fullName(const CLI::App& parser) {
  const CLI::App* parent = parser.get_parent();
  return parent == nullptr ? parser.get_name() : fullName(*parent) + " " + parser.get_name();
}

std::optional<std::string> describeUnknownCommand(const CLI::App& tool) {
  const CLI::App& parser = chosenParser(tool);
  const std::vector<std::string> extras = extraWords(tool);
  const bool hasCommands = !parser.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (!hasCommands || extras.empty()) return std::nullopt;
  return describeExtra(parser, extras.front());
}

std::string describeParseError(const CLI::App& tool, const CLI::ParseError& error) {
  const CLI::App& parser = chosenParser(tool);
  const std::vector<std::string> extras = extraWords(tool);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty())
    return describeExtra(parser, extras.front());
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    // What is missing may be there, under a misspelt option.
    for (const std::string& word : extras) {
      if (word.starts_with('-')) return describeExtra(parser, word);
    }
    return fmt::format("{}; see {} --help", error.what(), fullName(parser));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return describeMismatch(error.what());
  return error.what();
}

}  // namespace msd_exe
