#include "msd-exe/src/Version.hpp"

#include <fmt/format.h>

namespace msd_exe {

std::string_view version() {
  return MSD_VERSION;
}

std::string versionText() {
#if defined(__clang__)
  const std::string compiler =
      fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string compiler =
      fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return fmt::format("msd {} ({}, {})", version(), compiler, MSD_BUILD_TYPE);
}

}  // namespace msd_exe
