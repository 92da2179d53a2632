#pragma once

#include <filesystem>
#include <string>

namespace msd_exe {

/// The folder, made where it is missing. Throws UsageError when that cannot be.
[[nodiscard]] std::filesystem::path makeOutputFolder(const std::string& path);

}  // namespace msd_exe
