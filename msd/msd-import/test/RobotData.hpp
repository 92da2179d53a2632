#pragma once

#include <filesystem>
#include <vector>

namespace msd_import::test {

/// The folder of robots outside the repository: `robots` in MSD_EXTERNAL_DATA, by default
/// ../shared/data beside the checkout. Empty where there is none.
[[nodiscard]] std::filesystem::path robotFolder();

/// All robot files below it, sorted.
[[nodiscard]] std::vector<std::filesystem::path> robotFiles();

}  // namespace msd_import::test
