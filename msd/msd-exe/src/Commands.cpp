#include <array>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

std::span<const Command> commands() {
  static constexpr auto kCommands = std::to_array<Command>({
      {"run", "simulate a scene and print what happened", addRunCommand},
      {"check", "say whether a scene is right, and what is odd about it", addCheckCommand},
      {"info", "describe a scene, a mesh file or a poses file", addInfoCommand},
#ifdef MSD_HAS_VIEW
      {"view", "watch a simulation or a recording in the browser", addViewCommand},
      {"snapshot", "make a picture of a scene at a time", addSnapshotCommand},
#endif
  });
  return kCommands;
}

}  // namespace msd_exe
