// Any bytes are a recording that can be read, or a RecordError or SceneError.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "msd-record/test/ReadEverything.hpp"

namespace {

std::filesystem::path scratchFile() {
  const std::filesystem::path memory{"/dev/shm"};
  const auto folder =
      std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("msd-fuzz-reader-" + std::to_string(::getpid()) + ".db");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path = [] {
    std::atexit([] { std::filesystem::remove(scratchFile()); });
    return scratchFile();
  }();
  {
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  static_cast<void>(msd_record::test::readEverything(path));
  return 0;
}
