#include "msd-exe/src/HelpFormatter.hpp"

#include <fmt/format.h>

namespace msd_exe {

bool isRequired(const CLI::Option& option) {
  return option.get_required() || option.get_option_text() == kRequiredByCommand;
}

std::string valueName(const CLI::Option& option) {
  const bool isFlag = option.get_type_size() == 0;
  return isFlag || option.get_positional() ? std::string{} : option.get_type_name();
}

std::string describeOption(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) {
    text += fmt::format(" (default {})", option.get_default_str());
  } else if (isRequired(option) && !option.get_positional()) {
    text += " (required)";
  }
  return text;
}

HelpFormatter::HelpFormatter() {
  label("OPTIONS", "options");
  label("SUBCOMMAND", "COMMAND");
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string name = valueName(*option);
  return name.empty() ? name : " " + name;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return describeOption(*option);
}

std::string HelpFormatter::make_option_usage(const CLI::Option* option) const {
  const std::string name = make_option_name(option, true);
  return isRequired(*option) ? name : "[" + name + "]";
}

}  // namespace msd_exe
