#include <CLI/CLI.hpp>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/ValidateTosses.hpp"

namespace msd_exe {

void addValidateCommand(CLI::App& parser, Action& action) {
  parser.require_subcommand(1);
  addValidateTosses(*parser.add_subcommand("tosses", "simulate measured tosses of a cube"), action);
}

}  // namespace msd_exe
