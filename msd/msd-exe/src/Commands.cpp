#include <array>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

std::span<const Command> commands() {
  static constexpr std::array<Command, 6> kCommands{{
      {"run", "simulate a scene and print what happened", addRunCommand},
      {"solve", "solve a friction problem from a file and certify the answer", addSolveCommand},
      {"check", "say whether a scene is right, and what is odd about it", addCheckCommand},
      {"info", "describe a scene, a mesh file or a poses file", addInfoCommand},
      {"bench", "measure speed and quality, beside other engines", addBenchCommand},
      {"validate", "compare with laws of mechanics and with measurements", addValidateCommand},
  }};
  return kCommands;
}

}  // namespace msd_exe
