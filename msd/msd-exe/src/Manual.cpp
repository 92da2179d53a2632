#include "msd-exe/src/Manual.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <iterator>
#include <string_view>

#include "msd-exe/src/HelpFormatter.hpp"
#include "msd-exe/src/Version.hpp"

namespace msd_exe {

namespace {

constexpr std::string_view kHead = R"(.SH NAME
msd \- rigid\-body dynamics with contact that can be trusted
.SH SYNOPSIS
.B msd
.I COMMAND
.RI [ options ]
.SH DESCRIPTION
Simulates scenes of rigid bodies with contact, friction and joints, in double precision. Every step ends with
a report: the solver's residual, the deepest penetration and an energy ledger that accounts for every joule.
Without arguments
.B msd
shows the way;
.BI "msd " COMMAND " \-\-help"
lists the options of a command, and
.B msd \-\-version
tells the version.
.SH COMMANDS
)";

constexpr std::string_view kTail = R"(.SH EXIT STATUS
.TP
.B 0
all is well
.TP
.B 1
the simulation failed, a result could not be written, or a check did not hold
.TP
.B 2
wrong input; nothing was written
.TP
.B 130
stopped by Ctrl\-C; what was simulated until then is reported
.SH ENVIRONMENT
.TP
.B MSD_EXTERNAL_DATA
the folder of measurements and problems that msd validate compares with
.TP
.B MSD_CHROMIUM
the browser that msd snapshot draws with
.SH FILES
.TP
.I share/msd/scenes
example scenes
.TP
.I share/doc/msd\-sim/docs
the documentation; scene\-format.md describes every field of a scene
.TP
.I libexec/msd
the adapters through which msd bench runs other engines (Debian: the package msd\-sim\-peers)
.SH EXAMPLES
.nf
msd run scenes/demo.json
msd run scenes/arch_stands.json \-\-expect
msd bench \-\-scenes stack_20 \-\-against bullet
msd validate \-\-fast
.fi
)";

/// Text that roff takes as it is.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  // A point or a quote at the start of a line would be a request.
  if (!result.empty() && (result.front() == '.' || result.front() == '\'')) result.insert(0, "\\&");
  return result;
}

std::string sentence(std::string_view text) {
  std::string result{text};
  if (!result.empty())
    result.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(result.front())));
  return plain(result) + ".";
}

void addOption(std::string& out, const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) names += "--" + name + ", ";
  if (names.empty()) names = option.get_single_name() + ", ";
  names.resize(names.size() - 2);
  const std::string value = valueName(option);
  fmt::format_to(std::back_inserter(out), ".TP\n.B {}{}\n{}\n", plain(names),
                 value.empty() ? "" : " " + plain(value), plain(describeOption(option)));
}

void addCommand(std::string& out, const CLI::App& command, const std::string& before) {
  const std::string name = before + " " + command.get_name();
  std::string usage = name;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string word = option->get_single_name();
    usage += isRequired(*option) ? " " + word : " [" + word + "]";
  }
  out += fmt::format(".SS {}\n{}\n", plain(usage), sentence(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) addOption(out, *option);
  }
  for (const CLI::App* part : command.get_subcommands([](const CLI::App*) { return true; })) {
    addCommand(out, *part, name);
  }
}

}  // namespace

std::string manualPage(const CLI::App& tool) {
  std::string out = fmt::format(".TH MSD 1 \"\" \"msd\\-sim {}\" \"User commands\"\n", version());
  out += kHead;
  for (const CLI::App* command : tool.get_subcommands([](const CLI::App*) { return true; })) {
    addCommand(out, *command, tool.get_name());
  }
  out += kTail;
  return out;
}

}  // namespace msd_exe
