#include "msd-exe/src/OutputFolder.hpp"

#include <fmt/format.h>

#include <system_error>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

std::filesystem::path makeOutputFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path)) {
    throw UsageError{fmt::format("cannot make the folder {}: {}", path,
                                 error ? error.message() : "a file of this name exists")};
  }
  return path;
}

}  // namespace msd_exe
