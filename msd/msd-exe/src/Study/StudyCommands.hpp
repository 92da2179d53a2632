#pragma once

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

void addSweepCommand(CLI::App& parser, Action& action);
void addReplayCommand(CLI::App& parser, Action& action);

}  // namespace msd_exe
