#include "msd-assets/fuzz/FuzzChecks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    msd_assets::fuzz::checkMesh(msd_assets::readGltf(std::as_bytes(std::span{data, size})));
  } catch (const msd_assets::MeshError&) {
  }
  return 0;
}
