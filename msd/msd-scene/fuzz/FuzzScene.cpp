// Any bytes are a scene or a SceneError; and what is accepted survives being written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace {

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span{data, size});
  msd_scene::SceneDocument document;
  try {
    document = msd_scene::loadScene(bytes, "fuzz", msd_scene::noMeshes()).document;
  } catch (const msd_scene::SceneError&) {
    return 0;
  }
  const std::string written = msd_scene::writeScene(document);
  const auto again = msd_scene::loadScene(bytesOf(written), "again", msd_scene::noMeshes());
  if (!(again.document == document) || msd_scene::writeScene(again.document) != written)
    std::abort();
  return 0;
}
