#pragma once

#include <string>
#include <string_view>

namespace msd_exe {

/// "0.1.0"
[[nodiscard]] std::string_view version();

/// "msd 0.1.0 (g++ 12.2.0, Release)"
[[nodiscard]] std::string versionText();

}  // namespace msd_exe
