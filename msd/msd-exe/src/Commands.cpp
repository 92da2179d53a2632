#include <array>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

std::span<const Command> commands() {
  static constexpr std::array<Command, 5> kCommands{{
      {"run", "simulate a scene and print what happened", addRunCommand},
      {"check", "say whether a scene is right, and what is odd about it", addCheckCommand},
      {"info", "describe a scene, a mesh file or a poses file", addInfoCommand},
      {"bench", "measure speed and quality, beside other engines", addBenchCommand},
      {"validate", "compare the engine with the laws of mechanics", addValidateCommand},
  }};
  return kCommands;
}

}  // namespace msd_exe
