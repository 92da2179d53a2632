#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace msd_exe {

/// Marks an argument that is required although the parser does not insist on it, because its word
/// may have gone to an option; the command itself complains.
inline constexpr const char* kRequiredByCommand = "required by the command";

/// Whether the user must give this option or argument.
[[nodiscard]] bool isRequired(const CLI::Option& option);

/// "N" of "--steps N"; nothing for a flag or an argument, whose name says it all.
[[nodiscard]] std::string valueName(const CLI::Option& option);

/// The description, with the default value, or that there is none and it must be given.
[[nodiscard]] std::string describeOption(const CLI::Option& option);

/// The help of every command in one form: names, the value's name, the description. What the parser
/// knows besides (types, counts, exclusions) is left to the words of the description.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override;
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
  [[nodiscard]] std::string make_option_usage(const CLI::Option* option) const override;
};

}  // namespace msd_exe
