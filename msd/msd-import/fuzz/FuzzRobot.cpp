// Any bytes are a robot or a SceneError; and a robot's scene survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "msd-import/src/ImportRobot.hpp"
#include "msd-scene/src/WriteScene.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  msd_import::ImportedScene robot;
  try {
    robot = msd_import::importRobot(text, "fuzz", msd_import::noFiles());
  } catch (const msd_scene::SceneError&) {
    return 0;
  }
  const std::string written = msd_scene::writeScene(robot.scene.document);
  const auto again = msd_scene::loadScene(std::as_bytes(std::span{written.data(), written.size()}),
                                          "again", msd_scene::noMeshes());
  if (!(again.document == robot.scene.document)) std::abort();
  return 0;
}
