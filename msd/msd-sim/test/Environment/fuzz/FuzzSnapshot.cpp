// libFuzzer target: any bytes after a right head and with a right check sum are refused, or make a world that steps.
#include <cstdint>
#include <exception>

#include "msd-sim/test/Environment/EditedSnapshots.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace msd_sim;
  using namespace msd_sim::test;
  static WorldModel world = [] {
    WorldModel made;
    addEverything(made);
    for (int i = 0; i < 60; ++i) made.update(1.0 / 60.0);
    return made;
  }();
  static const std::vector<std::byte> good = world.snapshot();
  // The input is a list of edits (place, byte): random bytes would hardly get past the first count.
  std::vector<std::byte> bad = good;
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t at = (data[i] | data[i + 1] << 8 | data[i + 2] << 16) % (bad.size() - kPayloadAt);
    bad[kPayloadAt + at] = static_cast<std::byte>(data[i + 3]);
  }
  redoSum(bad);
  try {
    world.restore(bad);
    for (int k = 0; k < 2; ++k) (void)world.update(1.0 / 60.0);
    world.restore(good);
  } catch (const std::invalid_argument&) {
    if (world.snapshot() != good) std::terminate();
  }
  return 0;
}
